/* growing.h -- tables of features that double: any table, one with names, and exact counts.
 *
 * A table reserves memory for its largest size at the start, but uses only a part of it. It doubles
 * in place when the next example might not fit. When max_features is reached, new features are
 * ignored and counted, and the log says so once. Other blocks of a model grow in the same way. The
 * plan states the largest sizes, and process() allocates nothing.
 *
 * struct growing is a feature_table with the names of its features. Each new feature puts its name
 * into a pool of names_budget bytes; when the pool is full, answers show the ids of later features.
 * struct growing_cfg is a member of a stage's configuration, with the parameters GROWING_PARAMS.
 */
#ifndef LEAT_COMMON_LEARNERS_GROWING_H
#define LEAT_COMMON_LEARNERS_GROWING_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/base/feature_table.h"
#include "examples.h"
#include "kernels/base/names.h"
#include "kernels/summaries/feature_counts.h"

/* ---- the pool of names ----
 *
 * Holds the names of a stage whose features are never removed: each new feature puts its name
 * there. When the pool is full, or if the features have no names, answers show their ids.
 *
 * The memory is the pool (pool->bytes, NULL if no names are kept) and `text`. `text` is a buffer
 * for one name, one byte longer than the longest name kept.
 */

enum { POOL_NAMES_DIGITS = 24 }; /* room for an id in decimal */

/* Returns the size in bytes of a pool for `features` names of at most name_bytes: at most
 * names_budget. Returns 0 if the ids have no names. */
size_t pool_names_bytes(int64_t names_budget, int64_t name_bytes, uint64_t features,
                        const struct leat_schema *in);

/* Opens a pool of `bytes` bytes. Returns false if there is no memory; the caller then calls
 * pool_names_close() for the part that was allocated. */
bool pool_names_open(struct leat_ctx *ctx, size_t bytes, int64_t name_bytes, struct name_pool *pool,
                     char **text);
void pool_names_close(struct leat_ctx *ctx, struct name_pool *pool, char *text);

/* Logs once (*told) that the pool is full, if names were dropped in this run or an earlier one. */
void pool_names_tell(struct leat_ctx *ctx, const struct name_pool *pool, bool *told);

/* Stores the name of entry i of the batch. Returns the name's tag; 0 if there is no room. */
uint32_t pool_names_take(struct name_pool *pool, char *text, const struct leat_batch *b,
                         uint32_t i);
/* Returns the name of a tag. If the tag is 0, writes the id in decimal to `digits` and returns
 * that. */
const char *pool_names_get(const struct name_pool *pool, uint32_t tag, uint64_t id,
                           char digits[POOL_NAMES_DIGITS], size_t *len);

/* ---- any table ---- */

/* Sizes of a table: n features in the table, room for `capacity`, growth up to max_capacity. Both
 * capacities are powers of two. */
struct growing_size {
    uint32_t n, capacity, max_capacity;
    uint64_t ignored; /* look-ups of features for which there was no room; includes earlier runs */
};

/* Returns max_features, rounded up to a power of two and limited to 2^30. */
uint32_t growing_max_capacity(int64_t max_features);

/* Returns the number of slots of a sketch that needs one for each feature touched between two
 * shrinks. With too few slots, the sketch shrinks early. The slots suffice for an example of `row`
 * entries and for 1/16 of all features, so early shrinks are rare. They are limited to four times
 * the entries of `rows` examples: examples that teach nothing touch features, too. They are also
 * limited to the number of features. The result is a power of two. */
uint32_t growing_max_slots(int64_t max_features, uint32_t rows, uint32_t row);

/* Writes the note of a plan: where the growth ends, and with how many bytes of state. */
void growing_note(struct leat_plan *p, uint32_t max_capacity);

/* Returns the capacity, doubled until `more` further features fit or max_capacity is reached. If
 * they do not fit, logs once (*told) that features are ignored. */
uint32_t growing_capacity(struct leat_ctx *ctx, struct growing_size size, uint32_t more,
                          bool *told);
/* Logs once (*told) that the table is full, if features were ignored in this run or an earlier one.
 * Also called at the end of the run, because the last example may have filled the table. */
void growing_tell(struct leat_ctx *ctx, struct growing_size size, bool *told);
/* Refuses a merge, because n features together exceed max_capacity. */
int growing_refuse_merge(struct leat_ctx *ctx, struct leat_reader *r, uint64_t n,
                         uint32_t max_capacity);

/* ---- a feature_table with names ---- */

enum { GROWING_FIRST = 1024 };

struct growing_cfg {
    int64_t max_features, names_budget, name_bytes, max_entries;
};

/* Row of a parameter table. OFFSET: offset of the struct growing_cfg in the stage's
 * configuration. */
#define GROWING_PARAM(OFFSET, FIELD, TYPE)                                                         \
    .name = #FIELD, .type = TYPE, .flags = LEAT_ADVANCED,                                          \
    .offset = (OFFSET) + offsetof(struct growing_cfg, FIELD)

/* clang-format off */
#define GROWING_DOC                                                                                \
    "most features that the learner keeps, rounded up to a power of two; it ignores later "        \
    "ones and counts them"
/* MAX: default of max_features, as text. With it a model should take at most some 500 MB. */
#define GROWING_PARAMS(OFFSET, MAX)                                                                \
    {GROWING_PARAM(OFFSET, max_features, LEAT_INT), .def = MAX, .min = 1,                          \
     .max = FEATURE_TABLE_MAX, .unit = "features", .doc = GROWING_DOC},                            \
    GROWING_OTHER_PARAMS(OFFSET)
/* Parameters without max_features, for a stage that defines its own max_features. */
#define GROWING_OTHER_PARAMS(OFFSET)                                                               \
    {GROWING_PARAM(OFFSET, names_budget, LEAT_SIZE), .def = "16MiB", .min = 0,                     \
     .max = 4294967295.0, .unit = "bytes",                                                         \
     .doc = "memory for names, taken at the start; when it is full, new features are shown by "    \
            "their ids"},                                                                          \
    {GROWING_PARAM(OFFSET, name_bytes, LEAT_INT), .def = "120", .min = 8, .max = 65535,            \
     .unit = "bytes", .doc = "longest name kept; longer ones are cut and end with …"},             \
    {GROWING_PARAM(OFFSET, max_entries, LEAT_INT), .def = "65536", .min = 1, .max = 16777216,      \
     .unit = "entries", .doc = "longest example learned; longer ones are rejected"}
/* clang-format on */

struct growing {
    struct feature_table table;
    struct name_pool names;
    void *block;
    char *text;      /* buffer for a name, one byte longer than the longest name kept */
    bool told;       /* the log has said that features are ignored */
    bool told_names; /* the log has said that the pool is full */
};

/* Returns the number of features that the table has room for at the start. */
uint32_t growing_first(const struct growing_cfg *c);
/* Returns the size in bytes of the pool of names. */
size_t growing_names_bytes(const struct growing_cfg *c, const struct leat_schema *in);
int growing_open(struct leat_ctx *ctx, const struct growing_cfg *c, uint32_t stride,
                 struct growing *g);
void growing_close(struct leat_ctx *ctx, struct growing *g);

/* Doubles the table until n more features fit or max_features is reached. */
void growing_reserve(struct leat_ctx *ctx, struct growing *g, uint32_t n);
/* Stores the name of entry i of the batch for feature f, which was just added to the table. */
void growing_take_name(struct growing *g, const struct leat_batch *b, uint32_t i, uint32_t f);

/* Returns the feature of entry i of the batch. Adds a new feature with its name. Returns
 * FEATURE_TABLE_NONE if the table is full. Inlined, as it runs once per entry. */
static inline uint32_t growing_enroll(struct growing *g, const struct leat_batch *b, uint32_t i)
{
    uint32_t known = g->table.n, f = feature_table_enroll(&g->table, b->id[i]);
    if (g->table.n > known && g->names.bytes) growing_take_name(g, b, i, f);
    return f;
}

/* Returns the name of a feature. If it has none, writes its id in decimal to `digits` and returns
 * that. */
const char *growing_name(const struct growing *g, uint32_t feature, char digits[24], size_t *len);

void growing_report(struct leat_ctx *ctx, struct growing *g);

/* ---- exact counts ----
 *
 * Counts of features (feature_counts.h) in tables that double up to a bound. Used by learn.frequent
 * and by the sinks that evaluate it.
 */

struct counted {
    struct feature_counts counts;
    void *block, *extra; /* extra: the caller's extra_bytes for each feature */
    uint32_t extra_bytes;
    bool told; /* the log has said that features are ignored */
};

/* Returns the number of features that the tables have room for at the start. */
uint32_t counted_first(int64_t max_features);

/* Adds the largest size of the tables to a plan, and `finding` bytes of work memory per feature for
 * answers. The plan's note says where the growth ends. parts: keep the parts of each feature's name
 * as well, so that answers can leave out conjunctions. */
void counted_plan(struct leat_plan *p, int64_t max_features, bool parts, uint32_t extra_bytes,
                  uint32_t finding);
int counted_open(struct leat_ctx *ctx, struct counted *c, int64_t max_features, bool parts,
                 uint32_t extra_bytes);
void counted_close(struct leat_ctx *ctx, struct counted *c);
/* Doubles the tables until n more features fit or max_features is reached. */
void counted_reserve(struct leat_ctx *ctx, struct counted *c, uint32_t n);
/* Logs once that the table is full, if features were ignored. */
void counted_tell(struct leat_ctx *ctx, struct counted *c);

#endif
