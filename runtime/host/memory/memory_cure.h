/* memory_cure.h -- what a person can do where the system gives no more memory. */
#ifndef LEAT_HOST_MEMORY_MEMORY_CURE_H
#define LEAT_HOST_MEMORY_MEMORY_CURE_H

enum { MEMORY_CURE_TEXT = 160 };

/* "free memory", or "raise the limit of 97.7 MB (ulimit -v), of which 80.1 MB are in use". Returns
 * `out`. */
const char *memory_cure(char out[MEMORY_CURE_TEXT]);

#endif
