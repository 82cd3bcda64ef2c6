/* growing.h -- tables of features that double: any one, the usual one with names, exact counts.
 *
 * A table has its largest size from the start, of which only what it fills is touched, and doubles
 * in place when the next example might not fit. When max_features is reached, new features are
 * ignored and counted, and the log says so once. So does a model's block besides the table; the
 * plan states the largest sizes, and process() allocates nothing.
 *
 * struct growing is a feature_table with the names of its features: each new feature leaves its
 * name in a pool of names_budget bytes; when that is full, later features are shown by their id.
 * struct growing_cfg is a member of a stage's configuration, GROWING_PARAMS its parameters.
 */
#ifndef LEAT_COMMON_LEARNERS_GROWING_H
#define LEAT_COMMON_LEARNERS_GROWING_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/base/feature_table.h"
#include "examples.h"
#include "kernels/base/names.h"
#include "kernels/sketch/feature_counts.h"

/* ---- the pool of names ----
 *
 * The names of a stage whose features stay: each new feature leaves its name there. When the pool
 * is full, or ids have no names, features are shown by their ids.
 *
 * The memory is that of the pool (pool->bytes, NULL: no names are kept) and `text`, scratch for a
 * name one byte longer than is kept.
 */

enum { POOL_NAMES_DIGITS = 24 }; /* room for an id in decimal */

/* Bytes of a pool for `features` names of at most name_bytes, no more than the budget: none where
 * all features are shown by their ids. */
size_t pool_names_bytes(int64_t names_budget, int64_t name_bytes, uint64_t features,
                        const struct leat_schema *in);

/* Of that many bytes. false: there is no memory, and what was taken is for pool_names_close(). */
bool pool_names_open(struct leat_ctx *ctx, size_t bytes, int64_t name_bytes, struct name_pool *pool,
                     char **text);
void pool_names_close(struct leat_ctx *ctx, struct name_pool *pool, char *text);

/* Logs once (*told) that the pool is full, if it is and names have found no room. The count is also
 * that of runs before, whose budget may have been smaller. */
void pool_names_tell(struct leat_ctx *ctx, const struct name_pool *pool, bool *told);

/* The tag for the name of entry i of the batch; 0: there is no room. */
uint32_t pool_names_take(struct name_pool *pool, char *text, const struct leat_batch *b,
                         uint32_t i);
/* The name of a tag, or the id in decimal, written to digits. */
const char *pool_names_get(const struct name_pool *pool, uint32_t tag, uint64_t id,
                           char digits[POOL_NAMES_DIGITS], size_t *len);

/* ---- any table ---- */

/* Features known, features that fit now, features that may ever fit: powers of two, but for n. */
struct growing_size {
    uint32_t n, capacity, max_capacity;
    uint64_t ignored; /* look-ups of features that did not fit, those of smaller limits, too */
};

/* max_features, rounded up to a power of two; at most 2^30. */
uint32_t growing_max_capacity(int64_t max_features);

/* Slots of a sketch that gives one to each feature touched between two shrinks: it shrinks early
 * rather than take more. Enough for an example of `row` entries and for a sixteenth of all
 * features, so that this is rare; but no more than four times what `rows` examples need, as
 * examples that teach nothing touch features, too; and no more than there are features. A power of
 * two. */
uint32_t growing_max_slots(int64_t max_features, uint32_t rows, uint32_t row);

/* The plan's note: where the growth ends, and at how many bytes of state. */
void growing_note(struct leat_plan *p, uint32_t max_capacity);

/* The capacity at which `more` features fit, doubled from what it is, or the largest; then the log
 * says once (*told) that features are ignored, if there are any. */
uint32_t growing_capacity(struct leat_ctx *ctx, struct growing_size size, uint32_t more,
                          bool *told);
/* Logs once that features are ignored, if the table is full and some were: for the last example.
 * The count is also that of runs before, whose limit may have been smaller. */
void growing_tell(struct leat_ctx *ctx, struct growing_size size, bool *told);
/* Refuses a merge that would have n features, more than there may be. */
int growing_refuse_merge(struct leat_ctx *ctx, struct leat_reader *r, uint64_t n,
                         uint32_t max_capacity);

/* ---- a feature_table with names ---- */

enum { GROWING_FIRST = 1024 };

struct growing_cfg {
    int64_t max_features, names_budget, name_bytes, max_entries;
};

/* OFFSET: of the struct growing_cfg in the stage's configuration. */
#define GROWING_PARAM(OFFSET, FIELD, TYPE)                                                         \
    .name = #FIELD, .type = TYPE, .flags = LEAT_ADVANCED,                                          \
    .offset = (OFFSET) + offsetof(struct growing_cfg, FIELD)

/* clang-format off */
#define GROWING_DOC                                                                                \
    "the learner stops growing at so many features, rounded up to a power of two: it ignores "     \
    "later ones and counts them"
/* MAX: the default of max_features, as text: some 500 MB are the most that it may stand for. */
#define GROWING_PARAMS(OFFSET, MAX)                                                                \
    {GROWING_PARAM(OFFSET, max_features, LEAT_INT), .def = MAX, .min = 1,                          \
     .max = FEATURE_TABLE_MAX, .unit = "features", .doc = GROWING_DOC},                            \
    GROWING_OTHER_PARAMS(OFFSET)
/* For those that have a max_features of their own. */
#define GROWING_OTHER_PARAMS(OFFSET)                                                               \
    {GROWING_PARAM(OFFSET, names_budget, LEAT_SIZE), .def = "16MiB", .min = 0,                     \
     .max = 4294967295.0, .unit = "bytes",                                                         \
     .doc = "memory for names, taken at the start; features that come later are shown by their "   \
            "id"},                                                                                 \
    {GROWING_PARAM(OFFSET, name_bytes, LEAT_INT), .def = "120", .min = 8, .max = 65535,            \
     .unit = "bytes", .doc = "longest name kept; longer ones are cut and end with …"},             \
    {GROWING_PARAM(OFFSET, max_entries, LEAT_INT), .def = "65536", .min = 1, .max = 16777216,      \
     .unit = "entries", .doc = "longest example learned; longer ones are rejected"}
/* clang-format on */

struct growing {
    struct feature_table table;
    struct name_pool names;
    void *block;
    char *text;      /* scratch: a name, one byte longer than is kept */
    bool told;       /* the log has said that new ones are ignored    */
    bool told_names; /* pool_names_tell() */
};

/* Features that the table holds at the start. */
uint32_t growing_first(const struct growing_cfg *c);
/* Bytes of the pool of names. */
size_t growing_names_bytes(const struct growing_cfg *c, const struct leat_schema *in);
int growing_open(struct leat_ctx *ctx, const struct growing_cfg *c, uint32_t stride,
                 struct growing *g);
void growing_close(struct leat_ctx *ctx, struct growing *g);

/* Double the table until n more features fit or it may not grow. */
void growing_reserve(struct leat_ctx *ctx, struct growing *g, uint32_t n);
/* Give feature f, just enrolled, the name of entry i of the batch. */
void growing_take_name(struct growing *g, const struct leat_batch *b, uint32_t i, uint32_t f);

/* The feature of entry i of the batch, a new one with its name; FEATURE_TABLE_NONE: the table is
 * full. Inlined: it runs once an entry. */
static inline uint32_t growing_enroll(struct growing *g, const struct leat_batch *b, uint32_t i)
{
    uint32_t known = g->table.n, f = feature_table_enroll(&g->table, b->id[i]);
    if (g->table.n > known && g->names.bytes) growing_take_name(g, b, i, f);
    return f;
}

/* The name of a feature, or its id in decimal, written to digits. */
const char *growing_name(const struct growing *g, uint32_t feature, char digits[24], size_t *len);

void growing_report(struct leat_ctx *ctx, struct growing *g);

/* ---- exact counts ----
 *
 * Counts of features (feature_counts.h) in tables that double up to a bound. Used by
 * learn.frequent and by the sinks that evaluate it.
 */

struct counted {
    struct feature_counts counts;
    void *block, *extra; /* extra: extra_bytes for each feature, the caller's */
    uint32_t extra_bytes;
    bool told; /* growing_tell() */
};

/* Features that a table holds at the start. */
uint32_t counted_first(int64_t max_features);

/* parts: of each feature's name, which only answers that leave out conjunctions read.
 * Adds to a plan what a table takes at its largest; `finding` bytes a feature are taken when it is
 * asked. The note says where its growth ends. */
void counted_plan(struct leat_plan *p, int64_t max_features, bool parts, uint32_t extra_bytes,
                  uint32_t finding);
int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features, bool parts,
                 uint32_t extra_bytes);
void counted_close(struct leat_ctx *ctx, struct counted *c);
/* Double the tables until n more features fit or they may not grow. */
void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n);
/* Logs once that features are ignored, if there are any. */
void counted_tell(struct leat_ctx *ctx, struct counted *c);

#endif
