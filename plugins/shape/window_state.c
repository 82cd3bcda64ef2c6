/* window_state.c -- see window_state.h. */
#include "window_state.h"

#include <string.h>

#include "support/block_copy.h"
#include "support/state_fields.h"
#include "window_key.h"

/* A group in a snapshot: then its cell and its key, as they lie in memory of a little-endian
 * machine. */
struct saved {
    int64_t pane;
    uint32_t n_key, reserved;
};

static size_t saved_bytes(const struct window *st)
{
    return sizeof(struct saved) + st->groups.stride - sizeof(struct group);
}

static void save_group(const struct window *st, const struct group *a, char *to)
{
    const struct saved head = {a->pane, a->n_key, 0};
    memset(to, 0, saved_bytes(st)); /* after the key lies what others have left there */
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, group_cell(a), st->groups.cell_bytes + a->n_key);
}

static int save_groups(const struct window *st, struct leat_writer *w)
{
    const struct groups *g = &st->groups;
    if (!g->n) return w->array(w, "groups", LEAT_U8, "", 0);
    char *to = w->reserve(w, "groups", LEAT_U8, g->n * saved_bytes(st));
    if (!to) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < g->n_panes; k++)
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE; i = groups_at(g, i)->next) {
            save_group(st, groups_at(g, i), to);
            to += saved_bytes(st);
        }
    return LEAT_OK;
}

#define AT(member) STATE_MEMBER(struct window_state, member)
struct window_state {
    uint64_t slide, panes, cell_bytes, key_bytes; /* what a group is */
    int64_t latest, given;
    uint64_t late, early, refused, peak, overflows;
};
static const struct state_field fields[] = {
    {"slide", STATE_SAME, .at = AT(slide)},
    {"panes", STATE_SAME, .at = AT(panes)},
    {"cell_bytes", STATE_SAME, .at = AT(cell_bytes)},
    {"key_bytes", STATE_SAME, .at = AT(key_bytes)},
    {"latest", STATE_VALUE, .at = AT(latest), .min = -1, .max = 0x1p63},
    {"given", STATE_VALUE, .at = AT(given)},
    {"late", STATE_VALUE, .at = AT(late)},
    {"early", STATE_VALUE, .at = AT(early)},
    {"refused", STATE_VALUE, .at = AT(refused)},
    {"peak", STATE_VALUE, .at = AT(peak)},
    {"overflows", STATE_VALUE, .at = AT(overflows)},
};
#undef AT

static struct window_state state_of(const struct window *st)
{
    return (struct window_state){(uint64_t)st->slide,
                                 (uint64_t)st->panes,
                                 st->groups.cell_bytes,
                                 st->groups.key_bytes,
                                 st->latest,
                                 st->given,
                                 st->late,
                                 st->early,
                                 st->refused,
                                 st->peak,
                                 st->sums.overflows};
}

int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct window *st = self;
    const struct window_state s = state_of(st);
    int status = state_write(w, STATE_TABLE(fields), &s);
    return status == LEAT_OK ? save_groups(st, w) : status;
}

static const char *restore_group(struct leat_ctx *ctx, struct window *st, int64_t given,
                                 const char *from)
{
    struct saved head;
    bool is_new;
    int64_t most = INT64_MAX / st->slide - st->panes - 1;
    memcpy(&head, from, sizeof head);
    const char *cell = from + sizeof head, *key = cell + st->groups.cell_bytes;
    if (head.n_key > st->groups.key_bytes || !window_key_is_whole(ctx, st, key, head.n_key))
        return "has a key that is none";
    if (head.pane < -most || head.pane > most ||
        (given != WINDOW_NONE && head.pane + st->panes <= given))
        return "is of a time that is over, or never comes";
    struct group *a =
        groups_take(&st->groups, head.pane, key, head.n_key, groups_hash(key, head.n_key), &is_new);
    if (!a) return "does not fit any more";
    if (!is_new) return "is there twice";
    memcpy(group_cell(a), cell, st->groups.cell_bytes);
    return aggregates_valid(&st->sums, group_cell(a)) ? NULL : "has sums that cannot be";
}

static int restore_groups(struct leat_ctx *ctx, struct window *st, struct leat_reader *r,
                          int64_t given)
{
    const void *bytes;
    uint64_t n, each = saved_bytes(st);
    int status = r->array_up_to(r, "groups", LEAT_U8, UINT64_MAX, &bytes, &n);
    if (status != LEAT_OK) return status;
    if (n % each)
        return r->refuse(r, "groups has %llu bytes, and a group has %llu", (unsigned long long)n,
                         (unsigned long long)each);
    for (uint64_t i = 0; i < n / each; i++) {
        const char *why = restore_group(ctx, st, given, (const char *)bytes + i * each);
        if (why)
            return r->refuse(r, "groups[%llu] cannot be taken: it %s", (unsigned long long)i, why);
    }
    return LEAT_OK;
}

static int replace_groups(struct leat_ctx *ctx, struct window *st, struct leat_reader *r,
                          int64_t given)
{
    const struct groups before = st->groups, *g = &before;
    struct block_copy copy;
    size_t bytes = groups_block_bytes(g->max, g->max_panes, g->key_bytes, g->cell_bytes);
    int status = block_copy_take(ctx, &copy, st->block, bytes, g->n);
    if (status != LEAT_OK) return status;
    groups_clear(&st->groups);
    status = restore_groups(ctx, st, r, given);
    block_copy_end(ctx, &copy, status != LEAT_OK);
    if (status != LEAT_OK && g->n) st->groups = before;
    if (status != LEAT_OK && !g->n) groups_clear(&st->groups);
    return status;
}

int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct window *st = self;
    struct window_state s = state_of(st);
    int status = state_check_version(r, version, WINDOW_STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(fields), &s);
    if (status != LEAT_OK) return status;
    int64_t most = INT64_MAX / st->slide;
    if (s.given != WINDOW_NONE && (s.given < -most || s.given > most))
        return r->refuse(r, "given is %lld; it must be %lld to %lld", (long long)s.given,
                         (long long)-most, (long long)most);
    status = replace_groups(ctx, st, r, s.given);
    if (status != LEAT_OK) return status;
    st->latest = s.latest;
    st->given = s.given;
    st->late = s.late;
    st->early = s.early;
    st->refused = s.refused;
    st->peak = s.peak;
    st->sums.overflows = s.overflows;
    return LEAT_OK;
}
