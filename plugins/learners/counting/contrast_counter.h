/* contrast_counter.h -- learn.contrast: counts the features of each record, and samples them.
 *
 * Most counts go to cells in front of the model (contrast_front.h), if it may have them. So
 * contrast_flush() comes before anything reads the model, and contrast_counter_leave() before a
 * model is replaced. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_COUNTER_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_COUNTER_H

#include "contrast.h"
#include "common/learners/learner.h"
#include "kernels/counting/contrast/contrast_front.h"

/* Name parts of a record that have a place in the sample. A conjunction of later ones has its own
 * id in the sample. */
enum { COUNTER_PARTS = 512 };

/* Most features that are no members and wait. If there are more, they are counted in parts. */
enum { COUNTER_OTHERS = 1 << 14 };

/* An entry of the current example that joins others: a feature, or a step of a ladder, which has
 * one side of each crossed edge. It stands for the pairs of its features with others. */
struct counter_item {
    uint64_t id;
    const struct counter_rung *rung;     /* the entry of a ladder; NULL: it is a feature */
    struct contrast_front_single *place; /* of a feature in the front; NULL: none */
    uint32_t name;                       /* its name part in the batch */
};

/* Members that the pairs of such an entry need most. */
struct counter_code {
    uint64_t *row;        /* contrast_front_row() */
    uint32_t code, joint; /* code in the front; 0: none */
    uint32_t first, n;    /* its features: c->feature[first .. first + n) */
};

/* A feature of an item. */
struct counter_feature {
    uint64_t part; /* feature_id_part() */
    uint32_t code;
    struct leat_part name;
};

/* A pair of features, by their indexes; or one feature (contrast_waiting.h). */
struct counter_pair {
    uint32_t a, b;
};

/* Features that wait to be looked up. */
struct counter_waiting {
    uint32_t n;
    uint64_t id[ID_SLOTS_FORESEEN];
    struct counter_pair what[ID_SLOTS_FORESEEN];
};

/* A feature that was no member when it was looked up, and 1 + the next one of its list. */
struct counter_other {
    uint64_t id;
    struct counter_pair what;
    uint32_t next;
};
struct counter_list {
    uint32_t first, last; /* 1 + index; first 0: the list is empty */
};

/* Sizes of a chunk (contrast_chunk.h): examples, their most entries, and their most items. After
 * more OTHERS that do not fit in a row, the shape changes. */
enum {
    COUNTER_CHUNK = 64,
    COUNTER_CHUNK_ENTRIES = 128,
    COUNTER_CHUNK_ITEMS = 32,
    COUNTER_CHUNK_OTHERS = 2,
};
#define COUNTER_NO_SHAPE UINT32_MAX /* n_entries that no example has */

/* An entry of all examples of a chunk. */
struct counter_entry {
    uint32_t first; /* field; if it is that of a ladder, first own cell of this */
    uint32_t item;
    bool is_item, is_ladder;
};

/* Two items, or twice the same ladder. */
struct counter_couple {
    uint32_t i, j;
    uint64_t missed; /* bits of the examples that its cells do not count */
};

struct counter_chunk {
    uint32_t n, others;            /* examples; those in a row that did not fit */
    uint32_t n_entries, n_couples; /* of the shape */
    uint32_t features, more, most; /* features and pairs; ranges; most pairs and ranges */
    struct counter_entry entry[COUNTER_CHUNK_ENTRIES];
    uint64_t *cell[COUNTER_CHUNK_ENTRIES]; /* of the entries of the current example */
    uint32_t code[COUNTER_CHUNK_ITEMS][COUNTER_CHUNK];
    uint32_t itself[COUNTER_CHUNK_ITEMS][COUNTER_CHUNK]; /* of a ladder; 0: it has no ranges */
    struct counter_couple couple[COUNTER_CHUNK_ITEMS * (COUNTER_CHUNK_ITEMS + 1) / 2];
    uint64_t signature[COUNTER_CHUNK];
    struct contrast_front_one one[COUNTER_CHUNK];
    uint32_t example[COUNTER_CHUNK];
    uint8_t kind[COUNTER_CHUNK];
};

struct counter_rung;

struct contrast_counter {
    struct contrast_front front;
    bool in_pane;                      /* a pane has the current record */
    uint32_t first;                    /* first name part of the current record; 0: none so far */
    uint64_t kept[COUNTER_PARTS / 64]; /* bits of its parts that are in the sample */
    const uint32_t *joint;             /* of n_joints fields; NULL: examples are whole */
    uint32_t n_joints;
    struct counter_item *item;       /* of the current example */
    struct counter_code *code;       /* of each */
    struct counter_feature *feature; /* of all items, once they are needed */
    uint32_t n_items, n_features;
    bool has_features; /* `feature` is set */
    struct counter_waiting waiting;
    struct counter_chunk *chunk; /* NULL: examples are whole */
    struct counter_other *other; /* [max_others] */
    struct counter_list *list;   /* lists of others */
    uint32_t n_others, max_others, n_lists;
    struct counter_rung *rung; /* fields whose joint is that of a ladder */
    uint32_t *rung_of;         /* of n_joints fields: 1 + its rung; 0: it is none */
    void *block;
};

/* Bytes of a counter of examples of this schema. */
size_t contrast_counter_bytes(const struct contrast_shape *s, const struct leat_schema *in);
/* Gives a new model a front. Returns LEAT_OK or LEAT_ENOMEM. */
int contrast_counter_make(struct leat_ctx *ctx, struct contrast_counter *c,
                          struct contrast_held *h);
void contrast_counter_free(struct leat_ctx *ctx, struct contrast_counter *c);

/* Begins a record of a kind, whose examples follow. e: its first example. */
void contrast_counter_record(struct contrast_counter *c, struct contrast_held *h,
                             const struct leat_batch *b, uint32_t e, int kind);
/* Counts the features of example e, and takes the names of new members. l has a text for names. */
void contrast_counter_example(struct contrast_counter *c, struct learner *l,
                              struct contrast_held *h, const struct leat_batch *b, uint32_t e,
                              int kind);

/* Completes the counts of h before `next` takes its place, and gives `next` the front. */
void contrast_counter_leave(const struct contrast_held *h, struct contrast_held *next);

#endif
