/* sizes.h -- reads the parameter for the sizes of sketches, which is a list of texts. */
#ifndef LEAT_EVALUATE_SIZES_H
#define LEAT_EVALUATE_SIZES_H

#include <stdlib.h>

#include <leat/plugin.h>

/* Returns the size in a text; 0 if the text is not a whole number from 1 to max. */
static inline uint32_t sizes_one(const char *text, uint32_t max)
{
    char *end;
    unsigned long size = strtoul(text, &end, 10);
    return *end || *text < '0' || *text > '9' || size > max ? 0 : (uint32_t)size;
}

static inline void sizes_validate(const struct leat_strings *sizes, const char *param, uint32_t max,
                                  struct leat_diag *d)
{
    for (uint32_t i = 0; i < sizes->n; i++)
        if (!sizes_one(sizes->v[i], max))
            d->error(d, param, "'%s' is not a size: give whole numbers from 1 to %u", sizes->v[i],
                     max);
}

#endif
