/* contrast_counter.c -- implementation of contrast_counter.h. */
#include "contrast_counter.h"

#include <string.h>

#include "common/answers/answer.h"
#include "contrast_chunk.h"
#include "contrast_pairs.h"
#include "contrast_waiting.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "kernels/counting/panes/panes.h"

/* ---- memory ---- */

static bool counter_is_rung(uint32_t joint)
{
    return counter_is_crossed(joint) || (joint % 8 == LEAT_RUNG && joint != LEAT_ALONE);
}

/* Numbers of what the ladders of examples need. */
struct counter_ladders {
    uint32_t rungs, crossed, ladders; /* sides; those of crossed edges; ladders */
};

/* Returns the number of fields from f on that are one ladder, two for each edge. Adds those of
 * crossed edges to *crossed. */
static uint32_t counter_ladder_at(const struct leat_schema *in, uint32_t f, uint32_t *crossed)
{
    const uint32_t *joint = in->joint;
    uint32_t end = f;
    for (; end + 1 < in->n_joints && counter_is_rung(joint[end]); end += 2) {
        if (joint[end] / 8 != joint[f] / 8 || joint[end + 1] != joint[end]) break;
        *crossed += counter_is_crossed(joint[end]) ? 2 : 0;
    }
    return end - f;
}

static struct counter_ladders counter_ladders(const struct leat_schema *in)
{
    struct counter_ladders n = {0};
    for (uint32_t f = 0, len; f < in->n_joints; f += len ? len : 1) {
        uint32_t crossed = 0;
        len = counter_ladder_at(in, f, &crossed);
        n.rungs += len;
        n.crossed += crossed;
        n.ladders += len > 0;
    }
    return n;
}

static struct contrast_front_size counter_front_size(uint32_t members,
                                                     const struct counter_ladders *n)
{
    return (struct contrast_front_size){.members = members,
                                        .owns = n->rungs,
                                        .sides = n->crossed,
                                        .steps = n->crossed / 2 + 2 * n->ladders};
}

/* Returns room for the features of a record that are no members, at most COUNTER_OTHERS, and for a
 * block that is looked up. */
static uint32_t counter_others(const struct leat_schema *in, size_t features)
{
    const uint64_t pairs = in->joint ? (uint64_t)features * features / 2 : 0,
                   all = in->entries_per_record + pairs;
    return (all && all < COUNTER_OTHERS ? (uint32_t)all : COUNTER_OTHERS) + ID_SLOTS_FORESEEN;
}

static size_t counter_lay_out(struct contrast_counter *c, uint32_t members,
                              const struct leat_schema *in, void *block)
{
    const struct counter_ladders n = counter_ladders(in);
    const struct contrast_front_size size = counter_front_size(members, &n);
    struct layout y = {block, contrast_front_bytes(&size)};
    const size_t items = in->joint ? in->entries_per_record + 1 : 1,
                 features = items + n.crossed / 2 + 1;
    c->max_others = counter_others(in, features);
    c->other = layout_take(&y, c->max_others, sizeof *c->other);
    c->list = layout_take(&y, features, sizeof *c->list);
    c->n_lists = (uint32_t)features;
    if (!in->joint) return y.used;
    c->item = layout_take(&y, items, sizeof *c->item);
    c->code = layout_take(&y, items, sizeof *c->code);
    c->chunk = layout_take(&y, 1, sizeof *c->chunk);
    c->feature = layout_take(&y, features, sizeof *c->feature);
    c->rung = layout_take(&y, n.rungs, sizeof *c->rung);
    c->rung_of = layout_take(&y, in->n_joints, sizeof *c->rung_of);
    return y.used;
}

size_t contrast_counter_bytes(const struct contrast_shape *s, const struct leat_schema *in)
{
    struct contrast_counter c;
    return counter_lay_out(&c, s->members, in, NULL);
}

/* Makes the rungs of the ladder that begins with field f, from rung `first` on. */
static void counter_make_ladder(struct contrast_counter *c, const struct leat_schema *in,
                                uint32_t f, uint32_t first, uint32_t sides, uint32_t crossed)
{
    const uint32_t joint = LEAT_JOINT(in->joint[f] / 8, crossed ? LEAT_CROSSED : LEAT_RUNG);
    contrast_front_set_ladder(&c->front, first, sides / 2, crossed / 2);
    for (uint32_t i = 0, above = 0; i < sides; i++) {
        const char *name = in->fields[f + i];
        uint64_t id = feature_id_name(name, strlen(name));
        above += i % 2 && counter_is_crossed(in->joint[f + i]);
        c->rung[first + i] = (struct counter_rung){
            .id = id,
            .part = feature_id_part(id),
            .key = redundancy_key(name, strlen(name), NULL, 0),
            .field = f + i,
            .joint = joint,
            .step = (i + 1) / 2,
            .crossed = above,
            .of = c->front.ladder[first + i],
        };
        c->rung_of[f + i] = first + i + 1;
    }
}

static void counter_make_ladders(struct contrast_counter *c, const struct leat_schema *in)
{
    for (uint32_t f = 0, n = 0, len; f < in->n_joints; f += len ? len : 1, n += len) {
        uint32_t crossed = 0;
        len = counter_ladder_at(in, f, &crossed);
        if (len) counter_make_ladder(c, in, f, n, len, crossed);
    }
}

/* True if a model may have a front. */
static bool counter_has_front(const struct contrast *m)
{
    return m->opt.half_life <= 0 && !m->sums.member;
}

int contrast_counter_make(struct leat_ctx *ctx, struct contrast_counter *c, struct contrast_held *h)
{
    uint32_t members = h->model.shape.members;
    size_t bytes = contrast_counter_bytes(&h->model.shape, ctx->in);
    c->block = ctx->host->alloc(ctx, bytes);
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %zu bytes of cells", bytes);
    const struct counter_ladders n = counter_ladders(ctx->in);
    const struct contrast_front_size size = counter_front_size(members, &n);
    contrast_front_init(&c->front, &size, c->block);
    counter_lay_out(c, members, ctx->in, c->block);
    if (c->chunk) c->chunk->n_entries = COUNTER_NO_SHAPE;
    counter_make_ladders(c, ctx->in);
    c->joint = ctx->in->joint;
    c->n_joints = ctx->in->n_joints;
    h->model.front = counter_has_front(&h->model) ? &c->front : NULL;
    return LEAT_OK;
}

void contrast_counter_free(struct leat_ctx *ctx, struct contrast_counter *c)
{
    ctx->host->free(ctx, c->block);
}

void contrast_counter_leave(const struct contrast_held *h, struct contrast_held *next)
{
    next->model.front = h->model.front;
    if (!h->model.front) return;
    contrast_flush(&h->model);
    contrast_front_restart(h->model.front);
}

/* ---- entries ---- */

/* Returns the number of the part of a single feature of the current record; the first one is 0. */
static inline uint32_t counter_part(struct contrast_counter *c, uint32_t part)
{
    if (!c->first) c->first = part;
    return part - c->first;
}

/* ---- the sample ---- */

/* True if the sample has the name part of the current record. */
static bool counter_has_part(const struct contrast_counter *c, uint32_t part)
{
    uint32_t i = part - c->first;
    return i < COUNTER_PARTS && (c->kept[i / 64] >> i % 64 & 1);
}

/* Puts entry i of the current record, which is sampled, into the sample. Single features go in by
 * the key of their name part. From these keys an answer knows which conjunctions a record has. So a
 * conjunction goes in, by its id, only if the sample lacks one of its parts. */
static void counter_keep_entry(struct contrast_counter *c, struct contrast *m,
                               const struct leat_batch *b, uint32_t i, int kind)
{
    const uint32_t *part = b->name ? b->name[i].part : (const uint32_t[3]){0};
    bool single = part[0] && !part[1], known = part[0] != 0;
    const struct counter_rung *rung = counter_rung(c, b, i);
    for (uint32_t k = 0; rung && k < rung->of.edges; k++)
        contrast_keep(m, kind, counter_side(c, rung, k)->key);
    if (rung) return;
    for (int k = 0; k < 3 && part[k]; k++)
        known &= counter_has_part(c, part[k]);
    if (known) return;
    uint32_t at = single ? counter_part(c, part[0]) : COUNTER_PARTS;
    if (at < COUNTER_PARTS) c->kept[at / 64] |= UINT64_C(1) << at % 64;
    contrast_keep(m, kind, single ? answer_parts(b, i).key[0] : b->id[i]);
}

/* ---- records ---- */

/* Returns the sum of the ids of a record, whose first example is e. */
static uint64_t counter_content(const struct leat_batch *b, uint32_t e)
{
    uint32_t end = e + 1;
    uint64_t sum = 0;
    while (end < b->n_examples && b->ex_record[end] == b->ex_record[e])
        end++;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[end]; i++)
        sum += b->id[i];
    return sum;
}

/* Begins a record. Forgets the name parts of the record before. */
void contrast_counter_record(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t e, int kind)
{
    contrast_record(&h->model, kind, counter_content(b, e));
    c->first = 0;
    if (contrast_samples(&h->model, kind)) memset(c->kept, 0, sizeof c->kept);
}

/* ---- counting ---- */

/* Entries of the current example that cells have counted. */
struct counter_entries {
    uint32_t counted;
    int kind;
    struct contrast_front_one one;
};

/* Counts the sides of all edges of a ladder by the bin of its step. Returns false if the bin is not
 * taken. */
static inline bool counter_by_bin(struct contrast_counter *c, const struct contrast_held *h,
                                  const struct counter_rung *rung, struct counter_entries *k)
{
    if (!h->model.front) return false;
    uint64_t *bin = &c->front.bin[rung->of.first + rung->step];
    if (!contrast_front_add(bin, k->one)) {
        contrast_take_step(&h->model, rung->of.first, rung->step);
        if (!contrast_front_add(bin, k->one)) return false;
    }
    k->counted += rung->of.edges;
    return true;
}

/* Counts the sides of all edges of a ladder. */
static void counter_ladder(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, const struct counter_rung *rung,
                           struct counter_entries *k)
{
    if (counter_by_bin(c, h, rung, k)) return;
    for (uint32_t edge = 0; edge < rung->of.edges; edge++) {
        const struct counter_rung *side = counter_side(c, rung, edge);
        const uint32_t number = (uint32_t)(side - c->rung);
        if (contrast_front_add(&c->front.own[number], k->one))
            k->counted++;
        else
            contrast_waiting_add(c, l, h, b, k->kind, (struct counter_pair){number, COUNTER_RUNG},
                                 side->id);
    }
}

/* Counts an entry that is a feature alone. */
static inline void counter_single(struct contrast_counter *c, struct learner *l,
                                  struct contrast_held *h, const struct leat_batch *b, uint32_t i,
                                  struct counter_entries *k)
{
    struct contrast_front_single *place =
        h->model.front ? contrast_front_single(&c->front, b->id[i]) : NULL;
    if (contrast_front_add(contrast_front_cell(&c->front, place, b->id[i]), k->one))
        k->counted++;
    else
        contrast_waiting_add(c, l, h, b, k->kind, (struct counter_pair){i, COUNTER_ENTRY},
                             b->id[i]);
    contrast_pairs_note(c, b, i, counter_field(b, i), NULL, place);
}

/* Counts entries first .. end - 1, and notes those that join others. Pairs and triples among them
 * are counted after those before them. */
static void counter_entries(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                            const struct leat_batch *b, uint32_t first, uint32_t end,
                            struct counter_entries *k)
{
    bool was_joined = false;
    contrast_pairs_begin(c);
    for (uint32_t i = first; i < end; i++) {
        const bool joined = b->name && b->name[i].part[1];
        const struct counter_rung *rung = joined ? NULL : counter_rung(c, b, i);
        if (joined != was_joined) contrast_waiting_end(c, l, h, b, k->kind);
        was_joined = joined;
        if (rung) {
            contrast_pairs_note(c, b, i, counter_field(b, i), rung, NULL);
            counter_ladder(c, l, h, b, rung, k);
        } else if (joined) {
            contrast_waiting_add(c, l, h, b, k->kind, (struct counter_pair){i, COUNTER_ENTRY},
                                 b->id[i]);
        } else {
            counter_single(c, l, h, b, i, k);
        }
    }
    contrast_waiting_end(c, l, h, b, k->kind);
}

/* ---- an example ---- */

/* Counts the sides of a ladder in the panes: those of crossed edges, or the others. */
static void counter_ladder_to_panes(const struct contrast_counter *c, struct contrast_held *h,
                                    const struct counter_rung *rung, bool crossed)
{
    for (uint32_t k = 0; k < rung->of.edges; k++) {
        const struct counter_rung *side = counter_side(c, rung, k);
        if (counter_is_crossed(c->joint[side->field]) == crossed) panes_add(h->panes, side->id);
    }
}

/* Counts the features of the example in the panes, in the order of contrast_waiting.h. */
static void counter_to_panes(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t first, uint32_t end)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = first; i < end; i++) {
            const struct counter_rung *rung = counter_rung(c, b, i);
            if (rung)
                counter_ladder_to_panes(c, h, rung, !pass);
            else if (!pass)
                panes_add(h->panes, b->id[i]);
        }
    contrast_pairs_to_panes(c, h, b);
}

void contrast_counter_example(struct contrast_counter *c, struct learner *l,
                              struct contrast_held *h, const struct leat_batch *b, uint32_t e,
                              int kind)
{
    const uint32_t first = b->ex_start[e], end = b->ex_start[e + 1];
    if (!c->chunk || !contrast_chunk_takes(c, l, h, b, e, kind)) {
        struct counter_entries k = {.kind = kind, .one = contrast_one(&h->model, kind)};
        counter_entries(c, l, h, b, first, end, &k);
        h->model.occurrences += k.counted;
        contrast_pairs_count(c, l, h, b, kind);
    }
    if (c->in_pane) counter_to_panes(c, h, b, first, end);
    for (uint32_t i = first; i < end && contrast_samples(&h->model, kind); i++)
        counter_keep_entry(c, &h->model, b, i, kind);
}
