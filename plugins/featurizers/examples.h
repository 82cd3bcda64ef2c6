/* examples.h -- functions for stages that make examples. */
#ifndef LEAT_FEATURIZERS_EXAMPLES_H
#define LEAT_FEATURIZERS_EXAMPLES_H

#include <assert.h>
#include <leat/plugin.h>

/* Called by a stage's negotiate. Reports an error if an earlier stage makes examples. */
static inline void examples_negotiate(struct leat_negotiation *n)
{
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes examples: leave out that stage or this one");
}

/* Sizes of a batch before a record's examples are added, for undoing the addition. */
struct examples_mark {
    uint32_t examples, entries, parts, bytes;
};

static inline struct examples_mark examples_mark(const struct leat_batch *b)
{
    return (struct examples_mark){b->n_examples, b->n_entries, b->n_parts, b->n_bytes};
}

static inline void examples_undo(struct leat_batch *b, struct examples_mark m)
{
    assert(m.examples <= b->n_examples && m.entries <= b->n_entries);
    b->n_examples = m.examples;
    b->n_entries = m.entries;
    b->n_parts = m.parts;
    b->n_bytes = m.bytes;
    b->ex_start[m.examples] = m.entries;
}

#endif
