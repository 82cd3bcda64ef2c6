/* state_names.c -- implementation of state_names.h: names of features in a state. */
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
    *list = (struct name_list){.n = n};
    if (r->array(r, "name_sizes", LEAT_U32, n, &size) != LEAT_OK ||
        r->array_up_to(r, "names", LEAT_U8, UINT64_MAX, &text, &list->bytes) != LEAT_OK)
        return LEAT_EDATA;
    list->size = (uint32_t *)(uintptr_t)size; /* cast away const: the list is only read */
    list->text = (char *)(uintptr_t)text;
    return name_list_fits(list) ? LEAT_OK
                                : r->refuse(r, "name_sizes do not add up to the length of names");
}

/* ---- names by slot ---- */

struct state_names_slot_names {
    const struct names *names;
    uint32_t n;
};

static void state_names_list_slots(const void *slots, struct name_list *list)
{
    const struct state_names_slot_names *s = slots;
    for (uint32_t k = 0; k < s->n; k++) {
        size_t len;
        const char *name = names_get(s->names, k, &len);
        name_list_add(list, len ? name : NULL, len);
    }
}

int state_write_slot_names(struct leat_writer *w, const struct names *names, uint32_t n)
{
    struct state_names_slot_names s = {names, n};
    return state_write_names(w, state_names_list_slots, &s, n);
}

int state_read_slot_names(struct leat_reader *r, uint32_t n, struct names *names)
{
    struct name_list list;
    uint64_t at = 0;
    if (state_read_names(r, n, &list) != LEAT_OK) return LEAT_EDATA;
    for (uint32_t s = 0; s < n; s++) {
        size_t len;
        const char *name = name_list_next(&list, s, &at, &len);
        if (name) names_set(names, s, name, len);
    }
    return LEAT_OK;
}

bool state_join_names(struct names *names, uint32_t slot, const struct names *one, uint32_t a,
                      const struct names *other, uint32_t b)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = a ? names_get(one, a - 1, &a_len) : "";
    const char *in_b = b ? names_get(other, b - 1, &b_len) : "";
    bool take_a = name_preferred(in_a, a_len, in_b, b_len);
    if (a_len || b_len) names_set(names, slot, take_a ? in_a : in_b, take_a ? a_len : b_len);
    return a && (take_a || !b);
}

/* ---- names in a pool ---- */

struct state_names_pool_names {
    const struct name_pool *pool;
    const uint32_t *tag;
    uint32_t n;
};

static void state_names_list_pool(const void *names, struct name_list *list)
{
    const struct state_names_pool_names *p = names;
    for (uint32_t f = 0; f < p->n; f++) {
        size_t len = 0;
        const char *name = p->tag[f] ? name_pool_get(p->pool, p->tag[f], &len) : NULL;
        name_list_add(list, name, len);
    }
}

int state_write_pool_names(struct leat_writer *w, const struct name_pool *pool, const uint32_t *tag,
                           uint32_t n)
{
    struct state_names_pool_names p = {pool, tag, n};
    return state_write_names(w, state_names_list_pool, &p, n);
}

/* ---- parts ---- */

int state_write_name_parts(struct leat_writer *w, const struct redundancy_parts *parts, uint64_t n)
{
    return w->array(w, "parts", LEAT_U64, parts, parts ? 3 * n : 0);
}

int state_read_name_parts(struct leat_reader *r, uint64_t n, const struct redundancy_parts **parts)
{
    const void *keys;
    uint64_t n_keys = 0;
    *parts = NULL;
    if (r->array_up_to(r, "parts", LEAT_U64, 3 * n, &keys, &n_keys) != LEAT_OK) return LEAT_EDATA;
    if (n_keys && n_keys != 3 * n)
        return r->refuse(r, "parts has %" PRIu64 " elements; %" PRIu64 " features have 3 each",
                         n_keys, n);
    if (n_keys) *parts = keys;
    return LEAT_OK;
}
