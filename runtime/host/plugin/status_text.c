/* status_text.c -- implementation of status_text.h. */
#include "status_text.h"

#include <stdbool.h>

#include <leat/status.h>

static const char *const text[] = {
    [-LEAT_EARG] = "its configuration is wrong",
    [-LEAT_ENOMEM] = "there is not enough memory",
    [-LEAT_EIO] = "a file, pipe or network failed",
    [-LEAT_EDATA] = "its data cannot be used",
    [-LEAT_ENONFINITE] = "a number became NaN or infinite",
    [-LEAT_EABI] = "the plugin does not fit this program",
    [-LEAT_EFULL] = "there is no room left",
    [-LEAT_EROLLBACK] = "the output since the last checkpoint was undone",
    [-LEAT_EFENCED] = "another run owns the output now",
    [-LEAT_ESTUCK] = "a call into a library does not return",
};

const char *status_text(int status)
{
    bool known = status < 0 && status > -(int)(sizeof text / sizeof *text);
    return known ? text[-status] : "the stage gave no reason";
}
