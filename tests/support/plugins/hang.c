/* hang.c -- never finishes loading. */
#include <unistd.h>

#include "bad.h"

static __attribute__((constructor)) void hang(void)
{
    for (;;)
        pause();
}

static const struct leat_stage stage[] = {{STAGE("feature.hang")}};
static const struct leat_stage *const stages[] = {&stage[0]};
DESCRIPTOR(stages, );
