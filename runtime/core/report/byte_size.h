/* byte_size.h -- a number of bytes for people: "640 B", "1920.4 KB", "35.9 MB".
 *
 * KB and MB are 1024 bytes and 1024 KB, as in a script's sizes (plugin/quantity.h). */
#ifndef LEAT_CORE_REPORT_BYTE_SIZE_H
#define LEAT_CORE_REPORT_BYTE_SIZE_H

#include <stdint.h>

enum { BYTE_SIZE_TEXT = 32 };

/* Returns `out`. */
const char *byte_size(uint64_t bytes, char out[BYTE_SIZE_TEXT]);

#endif
