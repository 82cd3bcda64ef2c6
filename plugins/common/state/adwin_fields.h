/* adwin_fields.h -- a window of kernels/drift/adwin.h as fields of a state (state_fields.h).
 *
 * AT: the macro of the table of fields. After reading, check the window by adwin_broken().
 */
#ifndef LEAT_COMMON_STATE_ADWIN_FIELDS_H
#define LEAT_COMMON_STATE_ADWIN_FIELDS_H

#include "kernels/drift/adwin.h"
#include "state_fields.h"

enum { ADWIN_ALL_BUCKETS = ADWIN_LEVELS * (ADWIN_BUCKETS + 1) };

/* clang-format off */
#define ADWIN_FIELDS(AT, window)                                                                   \
    {"buckets", STATE_INSIDE, .at = AT(window.used[0]), .each = ADWIN_LEVELS,                      \
     .max = ADWIN_BUCKETS},                                                                        \
    {"sums", STATE_INSIDE, .at = AT(window.sum[0][0]), .each = ADWIN_ALL_BUCKETS, .max = 0x1p56},  \
    {"squares", STATE_INSIDE, .at = AT(window.square[0][0]), .each = ADWIN_ALL_BUCKETS,            \
     .max = 0x1p56}
/* clang-format on */

#endif
