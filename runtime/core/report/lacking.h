/* lacking.h -- columns without a value where a condition was unknown, in words. */
#ifndef LEAT_CORE_REPORT_LACKING_H
#define LEAT_CORE_REPORT_LACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LACKING_MAX = 16, LACKING_SHOWN = 3, LACKING_TEXT = 900 };

/* Zeroed: none yet. Names beyond LACKING_MAX are dropped. */
struct lacking {
    struct lacking_name {
        const char *text; /* without a closing NUL */
        uint32_t len;
    } name[LACKING_MAX];
    uint32_t n;
};

bool lacking_has(const struct lacking *l, const char *name, size_t len);
/* Adds a name unless it is there already. The name must outlive the struct. */
void lacking_add(struct lacking *l, const char *name, size_t len);

/* "column 'fee' has no value", "columns 'a', 'b', 'c' and 2 more have no value". Returns `out`. */
const char *lacking_text(const struct lacking *l, char out[LACKING_TEXT]);

#endif
