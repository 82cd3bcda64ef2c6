/* byte_size.h -- a number of bytes for people: "640 B", "1920.4 KB", "35.9 MB".
 *
 * KB means 1024 bytes and MB 1024 KB, like the sizes in a script (host/params/quantity.h). */
#ifndef LEAT_CORE_REPORT_BYTE_SIZE_H
#define LEAT_CORE_REPORT_BYTE_SIZE_H

#include <stdint.h>

enum { BYTE_SIZE_TEXT = 32 };

/* Writes `bytes` with its unit to `out`, and returns `out`. */
const char *byte_size(uint64_t bytes, char out[BYTE_SIZE_TEXT]);

#endif
