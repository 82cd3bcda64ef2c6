/* status_text.c -- see status_text.h. */
#include "status_text.h"

#include <leat/status.h>

const char *status_text(int status)
{
    switch (status) {
    case LEAT_EARG:
        return "its configuration is wrong";
    case LEAT_ENOMEM:
        return "there is not enough memory";
    case LEAT_EIO:
        return "a file, pipe or network failed";
    case LEAT_EDATA:
        return "its data cannot be used";
    case LEAT_ENONFINITE:
        return "a number became NaN or infinite";
    case LEAT_EABI:
        return "the plugin does not fit this program";
    case LEAT_EFULL:
        return "there is no room left";
    case LEAT_EROLLBACK:
        return "the output since the last checkpoint was undone";
    case LEAT_EFENCED:
        return "another run owns the output now";
    default:
        return "the stage gave no reason";
    }
}
