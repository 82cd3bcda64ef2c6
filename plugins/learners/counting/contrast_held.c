/* contrast_held.c -- implementation of contrast_held.h. */
#include "contrast_held.h"

#include <string.h>

#include "contrast_counter.h"
#include "contrast_panes.h"

/* ---- memory ---- */

size_t contrast_held_names_bytes(uint32_t members, uint32_t name_bytes)
{
    return names_block_bytes(members, names_room(members, name_bytes)) +
           members * sizeof(struct redundancy_parts);
}

void contrast_held_release(struct leat_ctx *ctx, void *held)
{
    struct contrast_held *h = held;
    if (h->next) contrast_held_release(ctx, h->next);
    ctx->host->free(ctx, h->next);
    ctx->host->free(ctx, h->rank);
    ctx->host->free(ctx, h->panes);
    ctx->host->free(ctx, h->parts);
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
}

/* Allocates the blocks of a model. Frees them again if that fails. */
static bool contrast_held_alloc(struct leat_ctx *ctx, size_t bytes, uint32_t members, size_t names,
                                struct contrast_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct contrast_held){.block = host->alloc(ctx, bytes),
                                .names_block = host->alloc(ctx, names_block_bytes(members, names)),
                                .parts = host->alloc(ctx, members * sizeof *h->parts)};
    if (h->block && h->names_block && h->parts) return true;
    contrast_held_release(ctx, h);
    *h = (struct contrast_held){0};
    return false;
}

int contrast_held_make(struct leat_ctx *ctx, const struct contrast_shape *s,
                       const struct contrast_options *o, uint32_t name_bytes,
                       struct contrast_held *h)
{
    const size_t room = names_room(s->members, name_bytes);
    if (!contrast_held_alloc(ctx, contrast_block_bytes(s), s->members, room, h))
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %u features and 2 x %u x %u cells",
                               s->members, CONTRAST_DEPTH, s->width);
    contrast_init(&h->model, s, o, h->block);
    names_init(&h->names, s->members, name_bytes, room, h->names_block);
    return LEAT_OK;
}

int contrast_held_make_union(struct leat_ctx *ctx, const struct contrast_shape *leaf,
                             struct contrast_union_size size, size_t names,
                             const struct contrast_held *like, struct contrast_held *h)
{
    const uint32_t members = size.members ? size.members : 1;
    const size_t bytes = contrast_union_bytes(leaf, size);
    if (!contrast_held_alloc(ctx, bytes, members, names, h))
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for a merged model of %u features, "
                               "which takes %zu bytes: raise --memory",
                               size.members, bytes + contrast_held_names_bytes(members, 0) + names);
    contrast_union_init(&h->model, leaf, size, &like->model.opt, h->block);
    names_init(&h->names, members, like->names.max_bytes, names, h->names_block);
    h->amounts = like->amounts;
    return LEAT_OK;
}

int contrast_held_make_next(struct leat_ctx *ctx, struct contrast_held *h)
{
    struct contrast_shape s;
    int status = LEAT_ENOMEM;
    if (!contrast_held_shape(ctx->cfg, ctx->split, &s))
        return ctx->host->fail(ctx, LEAT_EARG, "nothing fits the budget");
    h->rank = ctx->host->alloc(ctx, h->model.shape.members * sizeof *h->rank);
    h->next = ctx->host->alloc(ctx, sizeof *h->next);
    if (h->rank && h->next)
        status = contrast_held_make(ctx, &s, &h->model.opt, h->names.max_bytes, h->next);
    if (status != LEAT_OK) return ctx->host->fail(ctx, status, "there is not enough memory");
    h->next->amounts = h->amounts;
    return LEAT_OK;
}

/* ---- names ---- */

/* True if the name and the parts of a member replace those of a slot. The choice does not depend on
 * the order of merges. */
static bool contrast_held_prefers(const struct contrast_held *h, uint32_t to,
                                  const struct contrast_held *from, uint32_t slot)
{
    size_t own_len, len;
    const char *own = names_get(&h->names, to, &own_len);
    const char *other = names_get(&from->names, slot, &len);
    if (own_len != len || (len && memcmp(own, other, len)))
        return !name_preferred(own, own_len, other, len);
    return memcmp(&from->parts[slot], &h->parts[to], sizeof *h->parts) > 0;
}

static void contrast_held_name(struct contrast_held *h, uint32_t to,
                               const struct contrast_held *from, uint32_t slot)
{
    size_t len;
    const char *name = names_get(&from->names, slot, &len);
    names_set(&h->names, to, name, len);
    h->parts[to] = from->parts[slot];
}

/* ---- merging ---- */

/* Adds model and names. slot: room for the members of `from`. */
static void contrast_held_unite(struct contrast_held *h, const struct contrast_held *from,
                                double weight, uint32_t *slot)
{
    contrast_union_add(&h->model, &from->model, weight, slot);
    for (uint32_t i = 0; i < from->model.index.n; i++)
        if (contrast_held_prefers(h, slot[i], from, i)) contrast_held_name(h, slot[i], from, i);
}

/* Returns the shape of the leaves of a model. */
static struct contrast_shape contrast_held_leaf(const struct contrast *m)
{
    struct contrast_shape leaf = m->shape;
    if (m->united.is) leaf.members = m->united.leaf_members;
    return leaf;
}

/* Makes the live model a union that has room for `size` and for `names` bytes of names. A union
 * that has to grow gets room for twice as much. An empty model takes the shape of `from`. */
static int contrast_held_grow(struct leat_ctx *ctx, struct contrast_held *live,
                              const struct contrast_held *from, struct contrast_union_size size,
                              size_t names, uint32_t *slot)
{
    const bool empty = !live->model.clock.t;
    struct contrast_shape leaf = contrast_held_leaf(empty ? &from->model : &live->model);
    struct contrast_held h;
    if (live->model.united.is) {
        if (size.members <= CONTRAST_MAX_MEMBERS / 2) size.members *= 2;
        names *= 2;
    }
    if (names >= UINT32_MAX) names = UINT32_MAX - 1; /* names that do not fit are dropped */
    int status = contrast_held_make_union(ctx, &leaf, size, names, live, &h);
    if (status == LEAT_OK) status = contrast_held_make_next(ctx, &h);
    if (status != LEAT_OK) {
        contrast_held_release(ctx, &h);
        return status;
    }
    contrast_counter_leave(contrast_held_learner(live), h.next);
    if (!empty) contrast_held_unite(&h, live, 1, slot);
    h.panes = live->panes;
    live->panes = NULL;
    contrast_held_release(ctx, live);
    *live = h;
    return LEAT_OK;
}

int contrast_held_add(struct leat_ctx *ctx, void *live, void *other, double weight)
{
    struct contrast_held *h = live, *from = other;
    const struct leat_host *host = ctx->host;
    char text[AMOUNTS_TEXT];
    contrast_flush(&h->model);
    if (h->amounts && !amounts_fit(h->model.sums.total, from->model.sums.total, weight))
        return host->fail(ctx, LEAT_EARG, "%s", amounts_no_room(h->amounts->cfg, text));
    const struct contrast_union_size size = contrast_union_of(&h->model, &from->model);
    const size_t names = h->names.live + from->names.live;
    const uint32_t a = h->model.index.n, b = from->model.index.n;
    uint32_t *slot = host->alloc(ctx, (a > b ? a : b) * sizeof *slot + 1);
    if (!slot || size.members > CONTRAST_MAX_MEMBERS) {
        host->free(ctx, slot);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %u features",
                          size.members);
    }
    int status = LEAT_OK;
    if (!contrast_union_fits(&h->model, size) || names > h->names.cap)
        status = contrast_held_grow(ctx, h, from, size, names, slot);
    if (status == LEAT_OK) {
        contrast_meet(&h->model, &from->model);
        contrast_held_unite(h, from, weight, slot);
        if (h->panes) contrast_panes_unite(from, weight, h);
    }
    host->free(ctx, slot);
    return status;
}

static void contrast_held_swap(void *held, uint32_t a, uint32_t b)
{
    struct contrast_held *h = held;
    struct redundancy_parts parts = h->parts[a];
    h->parts[a] = h->parts[b];
    h->parts[b] = parts;
    names_swap(&h->names, a, b);
}

void contrast_held_sort(const struct contrast_held *h)
{
    struct contrast_held copy = *h; /* of the struct, not of its arrays */
    if (h->model.united.is) contrast_union_sort(&copy.model, h->rank, contrast_held_swap, &copy);
}

/* ---- the model that learns ---- */

void contrast_held_settle(struct leat_ctx *ctx, struct contrast_held *h)
{
    struct contrast_held *next = h->next, old;
    uint32_t n = h->model.index.n;
    if (!next) return;
    contrast_settle_union(&next->model, &h->model, h->rank);
    for (uint32_t s = 0; s < next->model.index.n; s++)
        contrast_held_name(next, s, h, h->rank[s].slot);
    if (n > next->model.index.n)
        ctx->host->log(ctx, LEAT_WARN,
                       "of the %u features of the merged state %u are kept, as `budget` has no "
                       "room for more: counts of the others are known only within bounds",
                       n, next->model.index.n);
    next->panes = h->panes;
    h->panes = NULL;
    h->next = NULL;
    old = *h;
    *h = *next;
    contrast_held_release(ctx, &old);
    ctx->host->free(ctx, next);
}
