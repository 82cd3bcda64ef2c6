/* lacking.h -- for messages: the columns whose missing values made a condition unknown. */
#ifndef LEAT_CORE_REPORT_LACKING_H
#define LEAT_CORE_REPORT_LACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LACKING_MAX = 16, LACKING_SHOWN = 3, LACKING_TEXT = 900 };

/* Set of column names, empty when zeroed. Names beyond LACKING_MAX are dropped. */
struct lacking {
    struct lacking_name {
        const char *text; /* without a closing NUL */
        uint32_t len;
    } name[LACKING_MAX];
    uint32_t n;
};

bool lacking_has(const struct lacking *l, const char *name, size_t len);
/* Adds a name unless the set has it. The name must stay valid as long as the struct. */
void lacking_add(struct lacking *l, const char *name, size_t len);

/* Writes "column 'fee' has no value", or "columns 'a', 'b', 'c' and 2 more have no value". Returns
 * `out`. */
const char *lacking_text(const struct lacking *l, char out[LACKING_TEXT]);

#endif
