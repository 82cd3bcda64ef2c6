/* tracked_shape.c -- what a table of tracked features costs, and the table for a budget; see
 * tracked.h.
 *
 * The cost model is that of the paper (section 7): four bytes for each id, weight, other value of a
 * slot, and cell. Index, padding and scratch are in tracked_block_bytes.
 */
#include "tracked.h"

uint32_t tracked_extra(const struct tracked_options *opt)
{
    uint32_t key = opt->rule == TRACKED_HEAVIEST ? 0 : 1,
             accumulator = opt->sgd.rates != SGD_SHARED, l1_seen = opt->sgd.l1 > 0;
    return key + accumulator + l1_seen + (opt->counts ? 2 : 0);
}

bool tracked_shape_from_budget(uint64_t bytes, enum tracked_rule rule, struct tracked_shape *s)
{
    if (rule == TRACKED_COUNT_MIN) {
        if (!s->depth) s->depth = 1;
        uint64_t max = bytes / 8 < TRACKED_MAX_CELLS ? bytes / 8 : TRACKED_MAX_CELLS;
        if (!s->width) s->width = (uint32_t)linear_widest(max, s->depth);
    } else {
        s->width = s->depth = 0;
    }
    uint64_t cells = (uint64_t)s->width * s->depth, slots = s->slots;
    if (!slots && bytes > 4 * cells) slots = (bytes - 4 * cells) / (8 + 4 * (uint64_t)s->extra);
    if (slots > TRACKED_MAX_SLOTS) slots = TRACKED_MAX_SLOTS;
    s->slots = (uint32_t)slots;
    return slots > 0 && s->depth <= TRACKED_MAX_DEPTH && cells <= TRACKED_MAX_CELLS;
}

uint64_t tracked_charged_bytes(const struct tracked_shape *s)
{
    return (uint64_t)s->slots * (8 + 4 * (uint64_t)s->extra) + 4 * (uint64_t)s->width * s->depth;
}
