/* state_names.c -- names of features in a state; see state_names.h. */
#include "state_names.h"

#include <inttypes.h>

int state_write_names(struct leat_writer *w, state_name_lister *list, const void *model, uint32_t n)
{
    struct name_list sizes = {.size = w->reserve(w, "name_sizes", LEAT_U32, n)};
    if (!sizes.size) return LEAT_ENOMEM;
    list(model, &sizes);
    struct name_list texts = {.text = w->reserve(w, "names", LEAT_U8, sizes.bytes)};
    if (!texts.text) return LEAT_ENOMEM;
    list(model, &texts);
    return LEAT_OK;
}

int state_read_names(struct leat_reader *r, uint32_t n, struct name_list *list)
{
    const void *size, *text;
    uint64_t sizes = 0;
    *list = (struct name_list){.n = n};
    if (r->array(r, "name_sizes", LEAT_U32, &size, &sizes) != LEAT_OK ||
        r->array(r, "names", LEAT_U8, &text, &list->bytes) != LEAT_OK)
        return LEAT_EDATA;
    if (sizes != n)
        return r->refuse(r, "name_sizes has %" PRIu64 " elements; the model has %u features", sizes,
                         n);
    list->size = (uint32_t *)(uintptr_t)size; /* only read from here on */
    list->text = (char *)(uintptr_t)text;
    return name_list_fits(list) ? LEAT_OK : r->refuse(r, "name_sizes do not add up to names");
}

int state_write_name_parts(struct leat_writer *w, const struct redundancy_parts *parts, uint64_t n)
{
    return w->array(w, "parts", LEAT_U32, parts, parts ? 3 * n : 0);
}

int state_read_name_parts(struct leat_reader *r, uint64_t n, const struct redundancy_parts **parts)
{
    const void *keys;
    uint64_t n_keys = 0;
    *parts = NULL;
    if (r->array(r, "parts", LEAT_U32, &keys, &n_keys) != LEAT_OK) return LEAT_EDATA;
    if (n_keys && n_keys != 3 * n)
        return r->refuse(r, "parts has %" PRIu64 " elements; %" PRIu64 " features have 3 each",
                         n_keys, n);
    if (n_keys) *parts = keys;
    return LEAT_OK;
}
