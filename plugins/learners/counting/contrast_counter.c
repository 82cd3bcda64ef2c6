/* contrast_counter.c -- implementation of contrast_counter.h. */
#include "contrast_counter.h"

#include <string.h>

#include "common/answers/answer.h"
#include "kernels/counting/panes/panes.h"

int contrast_counter_make(struct leat_ctx *ctx, struct contrast_counter *c, struct contrast_held *h)
{
    size_t bytes = contrast_front_bytes(&h->model.shape);
    c->block = ctx->host->alloc(ctx, bytes);
    if (!c->block)
        return ctx->host->fail(ctx, LEAT_ENOMEM,
                               "there is not enough memory for %zu bytes of cells", bytes);
    contrast_front_init(&c->front, &h->model, c->block);
    h->front = &c->front;
    return LEAT_OK;
}

void contrast_counter_free(struct leat_ctx *ctx, struct contrast_counter *c)
{
    ctx->host->free(ctx, c->block);
}

void contrast_counter_flush(const struct contrast_held *h)
{
    if (h->front) contrast_front_flush(h->front, &h->model);
}

void contrast_counter_leave(const struct contrast_held *h, struct contrast_held *next)
{
    if (h->front) contrast_front_restart(h->front, &h->model);
    next->front = h->front;
}

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
    for (int k = 0; k < 3 && part[k]; k++)
        known &= counter_has_part(c, part[k]);
    if (known) return;
    uint32_t at = single ? counter_part(c, part[0]) : COUNTER_PARTS;
    if (at < COUNTER_PARTS) c->kept[at / 64] |= UINT64_C(1) << at % 64;
    contrast_keep(m, kind, single ? answer_parts(b, i).key[0] : id_slots_fold(b->id[i]));
}

/* ---- counting ---- */

/* Begins a record. Forgets the name parts of the record before. */
void contrast_counter_record(struct contrast_counter *c, struct contrast_held *h, int kind)
{
    contrast_record(&h->model, kind);
    c->first = 0;
    if (contrast_samples(&h->model, kind)) memset(c->kept, 0, sizeof c->kept);
}

/* Returns the code of a name part of the current record; 0 if it has none. */
static inline uint32_t counter_code(const struct contrast_counter *c, uint32_t part)
{
    return part - c->first < COUNTER_PARTS ? c->code[part - c->first] : 0;
}

/* Returns the cell of entry i, whose folded id is `id`; NULL if it has none. */
static inline struct contrast_front_cell *
counter_cell(struct contrast_counter *c, const struct leat_batch *b, uint32_t i, uint32_t id)
{
    const uint32_t *part = b->name ? b->name[i].part : (const uint32_t[3]){0};
    if (part[2]) return NULL;
    if (part[1])
        return contrast_front_pair(&c->front, counter_code(c, part[0]), counter_code(c, part[1]));
    uint32_t cell = contrast_front_single(&c->front, id);
    if (cell == CONTRAST_NONE) return NULL;
    uint32_t at = counter_part(c, part[0]);
    if (at < COUNTER_PARTS) c->code[at] = contrast_front_code(&c->front, cell);
    return &c->front.single[cell];
}

/* Counts entry i in the model. */
static void counter_add(struct learner *l, struct contrast_held *h, const struct leat_batch *b,
                        uint32_t i, int kind)
{
    uint32_t slot = contrast_add(&h->model, b->id[i], kind);
    if (slot == CONTRAST_NONE) return;
    learner_take_name(l, &h->names, slot, b, i);
    h->parts[slot] = answer_parts(b, i);
}

/* Counts entries first .. end - 1 in cells, if they have some. */
static void counter_add_to_cells(struct contrast_counter *c, struct learner *l,
                                 struct contrast_held *h, const struct leat_batch *b,
                                 uint32_t first, uint32_t end, int kind)
{
    uint32_t others = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t id = id_slots_fold(b->id[i]);
        struct contrast_front_cell *cell = counter_cell(c, b, i, id);
        if (cell && contrast_front_add(cell, &h->model, id, kind)) continue;
        counter_add(l, h, b, i, kind);
        if (cell) contrast_front_take(cell, id);
        others++;
    }
    h->model.occurrences += end - first - others;
}

void contrast_counter_example(struct contrast_counter *c, struct learner *l,
                              struct contrast_held *h, const struct leat_batch *b, uint32_t e,
                              int kind)
{
    uint32_t first = b->ex_start[e], end = b->ex_start[e + 1], most = ID_SLOTS_FORESEEN;
    bool cells = contrast_front_begin(&c->front, &h->model, end - first);
    if (cells) counter_add_to_cells(c, l, h, b, first, end, kind);
    for (uint32_t i = first; i < end && !cells; i++) {
        if ((i - first) % most == 0)
            contrast_foresee(&h->model, end - i < most ? end - i : most, b->id + i);
        counter_add(l, h, b, i, kind);
    }
    for (uint32_t i = first; i < end && c->in_pane; i++)
        panes_add(h->panes, b->id[i]);
    for (uint32_t i = first; i < end && contrast_samples(&h->model, kind); i++)
        counter_keep_entry(c, &h->model, b, i, kind);
}
