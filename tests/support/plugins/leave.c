/* leave.c -- prints a word, and ends the process that loads it. */
#include <stdio.h>
#include <stdlib.h>

#include "bad.h"

static __attribute__((constructor)) void leave(void)
{
    fputs("its runtime must come first\nand more\n", stderr);
    _Exit(3);
}

static const struct leat_stage stage[] = {{STAGE("feature.leave")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
