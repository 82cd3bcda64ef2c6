/* window_state.c -- implementation of window.h: snapshots. */
#include "window.h"

#include <string.h>

#include "core/le.h"
#include "common/state/block_copy.h"
#include "common/state/state_fields.h"

/* Header of a group in a snapshot. The group's cell and key follow. All numbers are
 * little-endian. */
struct window_state_saved {
    int64_t pane;
    uint32_t n_key, reserved;
};
#define WINDOW_STATE_SAVED "844"

static size_t window_state_saved_bytes(const struct window *st)
{
    return sizeof(struct window_state_saved) + st->groups.stride - sizeof(struct group);
}

static void window_state_save_group(const struct window *st, const struct group *a, char *to)
{
    struct window_state_saved head = {a->pane, a->n_key, 0};
    le_turn_members(&head, WINDOW_STATE_SAVED);
    memset(to, 0,
           window_state_saved_bytes(st)); /* the bytes behind a short key are otherwise undefined */
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, group_cell(a), st->groups.cell_bytes + a->n_key);
    aggregates_saved(&st->sums, to + sizeof head);
}

static int window_state_save_groups(const struct window *st, struct leat_writer *w)
{
    const struct groups *g = &st->groups;
    if (!g->n) return w->array(w, "groups", LEAT_U8, "", 0);
    char *to = w->reserve(w, "groups", LEAT_U8, g->n * window_state_saved_bytes(st));
    if (!to) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < g->n_panes; k++)
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE; i = groups_at(g, i)->next) {
            window_state_save_group(st, groups_at(g, i), to);
            to += window_state_saved_bytes(st);
        }
    return LEAT_OK;
}

/* ---- texts of top() parts ---- */

/* A text of a top() in a snapshot. The number of texts of each top() is in its cell. */
struct window_state_saved_text {
    uint64_t count, excess, hash;
    uint32_t len, reserved;
    char text[TALLY_TEXT];
};
#define WINDOW_STATE_SAVED_TEXT "88844"

static uint64_t window_state_save_tally(const struct window *st, const struct tally *of,
                                        struct window_state_saved_text *to)
{
    uint64_t n = 0;
    if (!of) return 0;
    for (const struct tallied *a = NULL; (a = tallies_next(&st->sums.tallies, of, a)); n++) {
        to[n] = (struct window_state_saved_text){a->count, a->excess, a->hash, a->len, 0, {0}};
        memcpy(to[n].text, a->text, tallied_text_bytes(a));
        le_turn_members(&to[n], WINDOW_STATE_SAVED_TEXT);
    }
    return n;
}

/* Saves the texts of all top() parts, in the order of the groups. */
static int window_state_save_texts(const struct window *st, struct leat_writer *w)
{
    const struct groups *g = &st->groups;
    uint64_t n = st->sums.tallies.n;
    if (!n) return w->array(w, "texts", LEAT_U8, "", 0);
    struct window_state_saved_text *to = w->reserve(w, "texts", LEAT_U8, n * sizeof *to);
    if (!to) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < g->n_panes; k++)
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE; i = groups_at(g, i)->next)
            for (uint32_t j = 0; j < st->sums.n; j++)
                to += window_state_save_tally(
                    st, aggregate_tally(&st->sums.each[j], group_cell(groups_at(g, i))), to);
    return LEAT_OK;
}

/* Restores the texts of the tally `of`: moves of->n texts from *from into it. *left is the number
 * of texts that remain in *from. Returns the fault, or NULL. */
static const char *window_state_restore_tally(struct window *st, struct tally *of,
                                              const char **from, uint64_t *left)
{
    uint32_t n = of->n;
    if (n > *left) return "has more texts than there are";
    *of = (struct tally){.bound = of->bound};
    for (; n; n--, --*left, *from += sizeof(struct window_state_saved_text)) {
        struct window_state_saved_text s;
        memcpy(&s, *from, sizeof s);
        le_turn_members(&s, WINDOW_STATE_SAVED_TEXT);
        struct tallied a = {.hash = s.hash, .count = s.count, .excess = s.excess, .len = s.len};
        memcpy(a.text, s.text, sizeof a.text);
        if (!tallies_append(&st->sums.tallies, of, &a)) return "has an impossible text";
    }
    return NULL;
}

static const char *window_state_restore_cell(struct window *st, void *cell, const char **from,
                                             uint64_t *left)
{
    const char *why = NULL;
    for (uint32_t j = 0; j < st->sums.n && !why; j++) {
        struct tally *of = aggregate_tally(&st->sums.each[j], cell);
        if (of) why = window_state_restore_tally(st, of, from, left);
    }
    return why;
}

static int window_state_restore_texts(struct window *st, struct leat_reader *r)
{
    const struct groups *g = &st->groups;
    const void *bytes;
    const char *why = NULL;
    uint64_t n = 0, left;
    /* The cells of the groups contain the number of texts in each tally. The sum must equal the
     * number of texts in this array. */
    const uint64_t max = (uint64_t)UINT32_MAX * sizeof(struct window_state_saved_text);
    int status = r->array_up_to(r, "texts", LEAT_U8, max, &bytes, &n);
    const char *from = bytes;
    if (status != LEAT_OK) return status;
    left = n / sizeof(struct window_state_saved_text);
    for (uint32_t k = 0; k < g->n_panes; k++)
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE && !why; i = groups_at(g, i)->next)
            why = window_state_restore_cell(st, group_cell(groups_at(g, i)), &from, &left);
    if (why) return r->refuse(r, "texts cannot be restored: a top %s", why);
    if (left || n % sizeof(struct window_state_saved_text))
        return r->refuse(r, "texts has more texts than the tops of groups");
    return LEAT_OK;
}

/* ---- the whole state ---- */

#define AT(member) STATE_MEMBER(struct window_state, member)
struct window_state {
    /* Layout of a group; must be the same on restore. */
    uint64_t slide, panes, cell_bytes, key_bytes;
    int64_t given, ahead_sample;
    uint64_t late, early, refused, peak, overflows, ahead, returned;
    uint64_t values, limit, estimated, farthest, pressed; /* settings and counts of top() */
};
static const struct state_field window_state_fields[] = {
    {"slide", STATE_SAME, .at = AT(slide)},
    {"panes", STATE_SAME, .at = AT(panes)},
    {"cell_bytes", STATE_SAME, .at = AT(cell_bytes)},
    {"key_bytes", STATE_SAME, .at = AT(key_bytes)},
    {"given", STATE_VALUE, .at = AT(given)},
    {"late", STATE_VALUE, .at = AT(late)},
    {"early", STATE_VALUE, .at = AT(early)},
    {"refused", STATE_VALUE, .at = AT(refused)},
    {"peak", STATE_VALUE, .at = AT(peak)},
    {"overflows", STATE_VALUE, .at = AT(overflows)},
    {"returned", STATE_VALUE, .at = AT(returned)},
    {"ahead", STATE_VALUE, .at = AT(ahead)},
    {"ahead_sample", STATE_VALUE, .at = AT(ahead_sample), .min = 0, .max = 0x1p63},
    {"values", STATE_SAME, .at = AT(values)},
    {"limit", STATE_VALUE, .at = AT(limit)},
    {"estimated", STATE_VALUE, .at = AT(estimated)},
    {"farthest", STATE_VALUE, .at = AT(farthest)},
    {"pressed", STATE_VALUE, .at = AT(pressed)},
};
#undef AT

static struct window_state window_state_state_of(const struct window *st)
{
    return (struct window_state){.slide = (uint64_t)st->slide,
                                 .panes = (uint64_t)st->panes,
                                 .cell_bytes = st->groups.cell_bytes,
                                 .key_bytes = st->groups.key_bytes,
                                 .given = st->given,
                                 .ahead_sample = st->ahead_sample,
                                 .late = st->late,
                                 .early = st->early,
                                 .refused = st->refused,
                                 .peak = st->peak,
                                 .overflows = st->sums.overflows,
                                 .returned = st->returned,
                                 .ahead = st->ahead,
                                 .values = st->sums.tallies.most,
                                 .limit = st->sums.tallies.limit,
                                 .estimated = st->sums.estimated,
                                 .farthest = st->sums.farthest,
                                 .pressed = st->sums.pressed};
}

int window_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct window *st = self;
    const struct window_state s = window_state_state_of(st);
    int status = state_write(w, STATE_TABLE(window_state_fields), &s);
    if (status == LEAT_OK) status = window_state_save_groups(st, w);
    return status == LEAT_OK ? window_state_save_texts(st, w) : status;
}

static const char *window_state_restore_group(struct leat_ctx *ctx, struct window *st,
                                              int64_t given, const char *from)
{
    struct window_state_saved head;
    bool is_new;
    int64_t most = INT64_MAX / st->slide - st->panes - 1;
    memcpy(&head, from, sizeof head);
    le_turn_members(&head, WINDOW_STATE_SAVED);
    const char *cell = from + sizeof head, *key = cell + st->groups.cell_bytes;
    if (head.n_key > st->groups.key_bytes || !window_key_is_whole(ctx, st, key, head.n_key))
        return "has an impossible key";
    if (head.pane < -most || head.pane > most ||
        (given != WINDOW_NONE && head.pane + st->panes <= given))
        return "has an impossible time";
    struct group *a =
        groups_take(&st->groups, head.pane, key, head.n_key, groups_hash(key, head.n_key), &is_new);
    if (!a) return "does not fit";
    if (!is_new) return "is there twice";
    memcpy(group_cell(a), cell, st->groups.cell_bytes);
    aggregates_restored(&st->sums, group_cell(a));
    return aggregates_valid(&st->sums, group_cell(a)) ? NULL : "has impossible sums";
}

static int window_state_restore_groups(struct leat_ctx *ctx, struct window *st,
                                       struct leat_reader *r, int64_t given)
{
    const void *bytes;
    uint64_t n, each = window_state_saved_bytes(st);
    int status = r->array_up_to(r, "groups", LEAT_U8, UINT64_MAX, &bytes, &n);
    if (status != LEAT_OK) return status;
    if (n % each)
        return r->refuse(r, "groups has %llu bytes, and a group has %llu", (unsigned long long)n,
                         (unsigned long long)each);
    for (uint64_t i = 0; i < n / each; i++) {
        const char *why =
            window_state_restore_group(ctx, st, given, (const char *)bytes + i * each);
        if (why)
            return r->refuse(r, "groups[%llu] cannot be restored: it %s", (unsigned long long)i,
                             why);
    }
    return LEAT_OK;
}

static void window_state_clear(struct window *st)
{
    groups_clear(&st->groups);
    if (st->sums.tallies.capacity) tallies_clear(&st->sums.tallies);
}

static int window_state_replace_groups(struct leat_ctx *ctx, struct window *st,
                                       struct leat_reader *r, const struct window_state *s)
{
    const struct groups before = st->groups;
    const struct tallies tallies = st->sums.tallies;
    struct block_copy copy;
    int status = block_copy_take(ctx, &copy, st->block, st->block_bytes, before.n);
    if (status != LEAT_OK) return status;
    window_state_clear(st);
    if (s->limit < st->sums.tallies.limit) st->sums.tallies.limit = (uint32_t)s->limit;
    status = window_state_restore_groups(ctx, st, r, s->given);
    if (status == LEAT_OK) status = window_state_restore_texts(st, r);
    block_copy_end(ctx, &copy, status != LEAT_OK);
    if (status != LEAT_OK && before.n) {
        st->groups = before;
        st->sums.tallies = tallies;
    } else if (status != LEAT_OK) {
        window_state_clear(st);
    }
    return status;
}

int window_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct window *st = self;
    struct window_state s = window_state_state_of(st);
    int status = state_check_version(r, version, WINDOW_STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(window_state_fields), &s);
    if (status != LEAT_OK) return status;
    int64_t most = INT64_MAX / st->slide;
    if (s.given != WINDOW_NONE && (s.given < -most || s.given > most))
        return r->refuse(r, "given is %lld; it must be %lld to %lld", (long long)s.given,
                         (long long)-most, (long long)most);
    if (s.values && (s.limit < TALLIES_LEAST || s.limit > s.values))
        return r->refuse(r, "limit is not a possible number of texts");
    status = window_state_replace_groups(ctx, st, r, &s);
    if (status != LEAT_OK) return status;
    st->given = s.given;
    st->late = s.late;
    st->early = s.early;
    st->refused = s.refused;
    st->peak = s.peak;
    st->sums.overflows = s.overflows;
    st->returned = s.returned;
    st->ahead = s.ahead;
    st->ahead_sample = s.ahead_sample;
    st->sums.estimated = s.estimated;
    st->sums.farthest = s.farthest;
    st->sums.pressed = s.pressed != 0;
    return LEAT_OK;
}
