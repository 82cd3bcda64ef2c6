/* feature_table.h -- table of features, each with a number, a tag and a row of doubles.
 *
 * Features are numbered in the order of their arrival. The state of a feature is a row of `stride`
 * doubles, which start as zero. Several kernels may share a row, each at its own offset, so that
 * one cache miss fetches the state of all of them. The tag is for the caller, for example the
 * number of the feature's name.
 *
 * Memory: the table is one block for max_capacity features. The operating system provides memory
 * only for the part that is touched. Before an example that may not fit
 * (feature_table_free_slots()), the caller doubles the capacity with feature_table_grow(). Only the
 * index is rebuilt then; rows stay where they are. If the table is full, new features get no
 * number, and `ignored` counts them.
 *
 * Example. A table of capacity 2 gives the ids 70 and 90 the numbers 0 and 1. The id 50
 * gets no number, and `ignored` becomes 1. After feature_table_grow() to capacity 4, the
 * id 50 gets the number 2.
 *
 * Index: a hash table with linear probing, at most half full. Ids are never removed. The
 * hash has a secret key (core/secret.h), so the order of the index differs between
 * processes. No result depends on it.
 */
#ifndef LEAT_KERNELS_BASE_FEATURE_TABLE_H
#define LEAT_KERNELS_BASE_FEATURE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define FEATURE_TABLE_MAX  (1u << 30)
#define FEATURE_TABLE_NONE UINT32_MAX

struct feature_table {
    uint32_t n, capacity;  /* n: features in the table; capacity: how many fit, a power of two */
    uint32_t max_capacity; /* upper limit of `capacity`, a power of two */
    uint32_t stride;       /* doubles in the row of a feature */
    uint64_t secret;       /* key of the hash of the index */
    uint64_t ignored;      /* calls of feature_table_enroll() that found the table full */
    uint64_t *id;          /* id of each feature */
    uint32_t *tag;         /* tag of each feature, 0 at first */
    double *row;           /* max_capacity rows of `stride` doubles */
    uint32_t *index;       /* 2 * capacity entries: 1 + number of a feature; 0: empty */
};

size_t feature_table_bytes(uint32_t max_capacity, uint32_t stride);
/* Makes an empty table. Both capacities are powers of two. block: feature_table_bytes(max_capacity,
 * stride) zeroed bytes, aligned to 64. */
void feature_table_init(struct feature_table *t, uint32_t capacity, uint32_t max_capacity,
                        uint32_t stride, void *block);
/* Raises the capacity to a power of two, at most max_capacity. */
void feature_table_grow(struct feature_table *t, uint32_t capacity);

/* Number of new features that still fit. */
static inline uint32_t feature_table_free_slots(const struct feature_table *t)
{
    return t->capacity - t->n;
}

/* Returns the number of a feature, or FEATURE_TABLE_NONE if it is not in the table. */
uint32_t feature_table_find(const struct feature_table *t, uint64_t id);
/* Returns the number of a feature. Adds the feature if it is new; then its number is the old t->n.
 * Returns FEATURE_TABLE_NONE if the feature is new and the table is full. */
uint32_t feature_table_enroll(struct feature_table *t, uint64_t id);
/* Begins to fetch an id's place in the index, for an id that comes soon. */
void feature_table_fetch(const struct feature_table *t, uint64_t id);
/* Begins to fetch what that place names. Returns the feature's number, or another one if the place
 * is not the id's. Returns FEATURE_TABLE_NONE if it is empty. */
uint32_t feature_table_fetch_id(const struct feature_table *t, uint64_t id);
/* Number of different features in the two tables together. */
uint64_t feature_table_union(const struct feature_table *a, const struct feature_table *b);

static inline double *feature_table_row(const struct feature_table *t, uint32_t feature)
{
    return t->row + (size_t)feature * t->stride;
}

#endif
