/* bear_state.c -- BEAR in memory, from its parts, and from two others; see bear.h. */
#include <assert.h>
#include <string.h>

#include "bear.h"
#include "kernels/base/layout.h"

/* ---- memory ---- */

static struct mission_options top_of(const struct bear_options *o)
{
    return (struct mission_options){
        .sgd = o->sgd, .counts = o->counts, .max_row = o->max_row, .seed = o->seed};
}

/* Entries that a mini-batch may have: of one row, or of several. */
static uint32_t room_of(const struct bear_options *o)
{
    return o->longest > o->entries ? o->longest : o->entries;
}

static size_t lay_out(struct bear *b, void *block)
{
    const struct bear_options *o = &b->opt;
    struct layout c = {block, 0};
    struct linear_pairs *p = &b->lbfgs.pairs;
    struct linear_pending *w = &b->pending;
    struct bear_scratch *s = &b->scratch;
    size_t of_pairs = ((size_t)o->tau + 1) * o->entries, room = room_of(o);
    p->length = layout_take(&c, o->tau + 1, 4);
    p->id = layout_take(&c, of_pairs, 4);
    p->s = layout_take(&c, of_pairs, 4);
    p->r = layout_take(&c, of_pairs, 4);
    b->lbfgs.sr = layout_take(&c, (size_t)o->tau * o->tau, 8);
    b->lbfgs.rr = layout_take(&c, (size_t)o->tau * o->tau, 8);
    w->length = layout_take(&c, o->batch, 4);
    w->pull = layout_take(&c, o->batch, 4);
    w->id = layout_take(&c, room, 4);
    w->x = layout_take(&c, room, 4);
    if (!o->max_row) return c.used; /* another one's scratch is used */
    s->key = layout_take(&c, room, 8);
    s->sorted = layout_take(&c, room, 8);
    s->id = layout_take(&c, room, 4);
    s->at = layout_take(&c, room, 4);
    s->beta = layout_take(&c, room, 8);
    s->after = layout_take(&c, room, 8);
    s->g = layout_take(&c, room, 8);
    s->z = layout_take(&c, room, 8);
    return c.used;
}

size_t bear_block_bytes(const struct mission_shape *shape, const struct bear_options *opt)
{
    struct bear b = {.opt = *opt};
    struct mission_options top = top_of(opt);
    return mission_block_bytes(shape, &top) + lay_out(&b, NULL);
}

size_t bear_pair_bytes(const struct bear_options *opt)
{
    struct bear b = {.opt = *opt};
    b.opt.max_row = 0;
    return lay_out(&b, NULL);
}

void bear_init(struct bear *b, const struct mission_shape *shape, const struct bear_options *opt,
               void *block)
{
    struct mission_options top = top_of(opt);
    assert(opt->tau && opt->tau <= LBFGS_MAX_PAIRS && opt->batch && opt->entries);
    assert(opt->max_row <= opt->longest);
    *b = (struct bear){.shape = *shape, .opt = *opt};
    mission_init(&b->top, shape, &top, block);
    lay_out(b, (char *)block + mission_block_bytes(shape, &top));
    b->lbfgs.pairs.max = opt->tau;
    b->lbfgs.pairs.max_entries = opt->tau * opt->entries;
    b->pending.max = opt->batch - 1; /* the last one makes it whole */
    b->pending.max_entries = opt->entries - 1;
    b->entrant = b->top.entrant;
}

void bear_borrow(struct bear *b, const struct bear *from)
{
    mission_borrow(&b->top, &from->top);
    b->opt.max_row = from->opt.max_row;
    b->scratch = from->scratch;
    b->entrant = from->entrant;
}

/* ---- copies ---- */

struct linear_parts bear_parts(const struct bear *b)
{
    struct linear_parts p = mission_parts(&b->top);
    p.pairs = b->lbfgs.pairs;
    p.pending = b->pending;
    return p;
}

static void take_pairs(struct linear_pairs *to, const struct linear_pairs *p)
{
    memcpy(to->length, p->length, p->n * sizeof *p->length);
    memcpy(to->id, p->id, p->entries * sizeof *p->id);
    memcpy(to->s, p->s, p->entries * sizeof *p->s);
    memcpy(to->r, p->r, p->entries * sizeof *p->r);
    to->n = p->n;
    to->entries = p->entries;
}

static void take_pending(struct linear_pending *to, const struct linear_pending *p)
{
    memcpy(to->length, p->length, p->n * sizeof *p->length);
    memcpy(to->pull, p->pull, p->n * sizeof *p->pull);
    memcpy(to->id, p->id, p->entries * sizeof *p->id);
    memcpy(to->x, p->x, p->entries * sizeof *p->x);
    to->n = p->n;
    to->entries = p->entries;
}

const char *bear_load(struct bear *b, const struct linear_parts *p)
{
    uint64_t sum = 0;
    assert(p->pairs.n <= b->lbfgs.pairs.max && p->pairs.entries <= b->lbfgs.pairs.max_entries);
    assert(p->pending.n <= b->pending.max && p->pending.entries <= b->pending.max_entries);
    for (uint32_t k = 0; k < p->pending.n; k++)
        sum += p->pending.length[k];
    if (sum != p->pending.entries)
        return "pending_lengths do not add up to the number of pending_ids";
    take_pending(&b->pending, &p->pending);
    take_pairs(&b->lbfgs.pairs, &p->pairs);
    const char *wrong = lbfgs_rebuild(&b->lbfgs);
    return wrong ? wrong : mission_load(&b->top, p);
}

/* ---- merging ---- */

void bear_merge(struct bear *m, const struct bear *a, const struct bear *b, double count,
                struct linear_origin *member)
{
    mission_merge(&m->top, &a->top, &b->top, count, member);
}
