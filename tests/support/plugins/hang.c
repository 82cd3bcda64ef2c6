/* hang.c -- never finishes loading. */
#include <unistd.h>

#include "bad.h"

static __attribute__((constructor)) void hang(void)
{
    for (;;)
        pause();
}

static const struct leat_stage stages[] = {{STAGE("feature.hang")}};
DESCRIPTOR(stages, );
