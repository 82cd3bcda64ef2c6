/* slotted.h -- stages of linear learners that know some features by name, each in a slot of the
 * model: all but what tells their kernels apart.
 *
 * A stage describes its kernel by a struct slotted_kind, shapes a model from its configuration, and
 * calls the rest from here. A feature that enters a slot gives its name to it; the feature that was
 * there before is gone, and so is its name. With several classes (linear.h) there is a copy of all
 * that for each; in a snapshot the fields of copy c have "c." before their names.
 */
#ifndef LEAT_LEARNERS_LINEAR_SLOTTED_H
#define LEAT_LEARNERS_LINEAR_SLOTTED_H

#include "kernels/base/names.h"
#include "kernels/linear/linear.h"
#include "linear.h"
#include "linear_state.h"
#include "shown.h"

/* The first member of each stage's configuration. */
struct slotted_cfg {
    struct linear_cfg linear;
    int64_t budget;
};

/* clang-format off */
#define SLOTTED_PARAMS(MIN)                                                                        \
    {.name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct slotted_cfg, budget),          \
     .def = "32KB", .min = MIN, .max = 4294967296.0, .unit = "bytes",                              \
     .doc = "model size at 4 bytes an id, weight, other value and cell; names are counted apart"}, \
    LINEAR_PARAMS
/* clang-format on */

/* A model in general terms. */
struct slotted_facts {
    const struct sgd *sgd;
    uint32_t slots, used; /* slots 0 .. used - 1 hold features */
    uint32_t max_row;
    bool counts;
    const uint32_t *count; /* slots x { negative, positive }, or NULL        */
    uint64_t charged;      /* bytes, by the paper's cost model               */
    size_t block, scratch; /* bytes of memory, without scratch, and of that  */
};

/* The kernel. A model is its struct there, made to the pattern of another by `init`: the pattern
 * needs only shape and options. lender: a model whose scratch it uses, or NULL: its block has some.
 */
struct slotted_kind {
    size_t model_bytes;
    struct slotted_facts (*facts)(const void *model);
    void (*init)(void *model, const void *pattern, const void *lender, void *block);
    void (*hash)(const void *model, const struct linear_row *row, uint64_t *hash);
    /* How many features of the example entered a slot, with *entrant those; -1: a value is not
     * finite, and nothing has changed. hash: NULL, or what `hash` made. */
    int64_t (*learn)(void *model, const struct linear_row *row, const uint64_t *hash,
                     double *margin, const struct linear_entrant **entrant);
    double (*margin)(const void *model, const struct linear_row *row); /* predicts only */
    /* As in shown.h. */
    uint32_t (*rank)(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top);
    double (*weigh)(const void *model, uint32_t slot);
    double (*sure)(const void *model, uint32_t slot);
    void (*report)(struct leat_ctx *ctx, const void *model);
    int (*write)(const void *model, struct leat_writer *w);
    int (*read)(void *fresh, struct leat_reader *r);
    /* Make `fresh` the mean of a and b. origin: 2 slots elements; those of the slots in use are
     * then set. */
    void (*merge)(void *fresh, const void *a, const void *b, double weight,
                  struct linear_origin *origin);
};

/* A model with the names of its features, and the memory of all of it. */
struct slotted {
    void *model, *block;
    struct names names;
    void *names_block;
    struct redundancy_parts *parts; /* of each slot's name; NULL: entries have no names */
};

/* A copy and how to ask it. */
struct slotted_asked {
    const struct slotted_kind *kind;
    const struct slotted *of;
};

struct slotted_stage {
    const struct slotted_kind *kind;
    struct slotted *copy; /* one, or one of each class */
    uint32_t classes;     /* 0: two, by one model */
    uint64_t *hash;       /* scratch of a row, with classes */
    struct slotted_asked asked;
    char *text; /* scratch: a name, one byte longer than is kept */
};

/* ---- a stage's configuration ---- */

/* A model's share of the budget. in: NULL, not known yet. */
uint64_t slotted_budget(const struct slotted_cfg *c, const struct leat_schema *in);
/* "a budget of 1024 bytes", or "a budget of 1024 bytes, 10 for each of 100 classes". */
const char *slotted_budget_text(const struct slotted_cfg *c, const struct leat_schema *in,
                                char text[96]);

/* Memory of a stage with models like `pattern`. cfg begins with struct slotted_cfg. */
void slotted_plan(const struct slotted_kind *kind, const void *pattern, const void *cfg,
                  const struct leat_schema *in, struct leat_plan *p);
/* Adds to the note about one model's shape for how many classes there is one. */
void slotted_note_classes(const void *cfg, const struct leat_schema *in, struct leat_plan *p);

/* ---- functions of struct leat_stage; open also needs the kind and a pattern ---- */

int slotted_open(struct leat_ctx *ctx, void *self, const struct slotted_kind *kind,
                 const void *pattern);
void slotted_close(struct leat_ctx *ctx, void *self);
int slotted_stop(struct leat_ctx *ctx, void *self);
int slotted_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int slotted_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                  struct leat_result *out);
/* slotted_state.c */
int slotted_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int slotted_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);
int slotted_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* The members of struct leat_stage that all of them share. */
#define SLOTTED_STAGE                                                                              \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    .instance_size = sizeof(struct slotted_stage), .negotiate = linear_negotiate,                  \
    .close = slotted_close, .stop = slotted_stop, .process = slotted_process,                      \
    .query = slotted_query, .state_version = LINEAR_STATE_VERSION, .snapshot = slotted_snapshot,   \
    .restore = slotted_restore, .merge = slotted_merge

/* ---- memory, for slotted_state.c ---- */

/* Fresh copies like the live ones, or LEAT_ENOMEM. */
int slotted_make_like(struct leat_ctx *ctx, const struct slotted_stage *st, struct slotted **out);
/* Copies that a stage has made; NULL is none. */
void slotted_release(struct leat_ctx *ctx, struct slotted *s, uint32_t n);
/* They become the live ones. */
void slotted_replace(struct leat_ctx *ctx, struct slotted_stage *st, struct slotted *s);

#endif
