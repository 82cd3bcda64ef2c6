/* feature_table.h -- what a model knows of each feature: a number, a tag, some doubles.
 *
 * Features are numbered in the order of their arrival. A row of `stride` doubles, zero at first,
 * holds all that a model keeps of a feature. Several kernels may share the row, each at its own
 * offset, so that one cache miss fetches all. The caller uses the tag as it likes, for example for
 * the number of a name.
 *
 * Memory: one block for the most features that there may ever be, of which only what is filled is
 * touched, so that the system gives no more. The table doubles in place when
 * feature_table_free_slots() says that the next example may not fit: nothing moves but the index.
 * Without room for more, new features get no number and are counted.
 *
 * Index: open addressing with linear probing, at most half full; nothing is removed. Its order is a
 * secret of the process (base/secret.h), and nothing depends on it.
 */
#ifndef LEAT_KERNELS_BASE_FEATURE_TABLE_H
#define LEAT_KERNELS_BASE_FEATURE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define FEATURE_TABLE_MAX  (1u << 30)
#define FEATURE_TABLE_NONE UINT32_MAX

struct feature_table {
    uint32_t n, capacity;  /* features known; features that fit now, a power of two */
    uint32_t max_capacity; /* features that may ever fit, a power of two            */
    uint32_t stride;       /* doubles of a feature                                  */
    uint64_t secret;       /* of the index                                          */
    uint64_t ignored;      /* look-ups of new features in a full table              */
    uint64_t *id;          /* of a feature                                          */
    uint32_t *tag;         /* 0 for a new feature                                   */
    double *row;           /* max_capacity x stride                                 */
    uint32_t *index;       /* 2 capacity: hash -> feature + 1; 0 if empty           */
};

size_t feature_table_bytes(uint32_t max_capacity, uint32_t stride);
/* Capacities: powers of two; block: feature_table_bytes(max_capacity, stride) zeroed bytes, aligned
 * to 64. */
void feature_table_init(struct feature_table *t, uint32_t capacity, uint32_t max_capacity,
                        uint32_t stride, void *block);
/* To a larger capacity, at most max_capacity. */
void feature_table_grow(struct feature_table *t, uint32_t capacity);

/* New features that still fit. */
static inline uint32_t feature_table_free_slots(const struct feature_table *t)
{
    return t->capacity - t->n;
}

/* The number of a feature, or FEATURE_TABLE_NONE if it is not known. */
uint32_t feature_table_find(const struct feature_table *t, uint64_t id);
/* The same, but a new feature gets the number t->n. FEATURE_TABLE_NONE: it is new and the table
 * full. */
uint32_t feature_table_enroll(struct feature_table *t, uint64_t id);
/* The features that either of two tables knows. */
uint64_t feature_table_union(const struct feature_table *a, const struct feature_table *b);

static inline double *feature_table_row(const struct feature_table *t, uint32_t feature)
{
    return t->row + (size_t)feature * t->stride;
}

#endif
