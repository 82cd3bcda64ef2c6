/* feature_table.h -- table of features, each with a number, a tag and a row of doubles.
 *
 * Features are numbered in the order of their arrival. A row of `stride` doubles, zero at first,
 * holds the state of a feature. Several kernels may share the row, each at its own offset, so one
 * cache miss fetches everything. The tag is the caller's, for example for the number of a name.
 *
 * Memory: one block for the largest number of features. Only its filled part is touched, so the
 * system backs no more with memory. When feature_table_free_slots() shows that the next example may
 * not fit, the caller doubles the table in place, which moves only the index. If there is no room
 * for more, new features get no number and are counted.
 *
 * Example. A table of capacity 2 gives the ids 70 and 90 the numbers 0 and 1. The id 50 gets no
 * number, and `ignored` becomes 1. After growing to capacity 4 it gets the number 2.
 *
 * Index: open addressing with linear probing, at most half full. Ids are never removed. The order
 * of the index is a secret of the process (core/secret.h), and no result depends on it.
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
    uint64_t secret;       /* key of the index's hash                               */
    uint64_t ignored;      /* look-ups of new features in a full table              */
    uint64_t *id;          /* ids, by number                                        */
    uint32_t *tag;         /* tags, by number; 0 for a new feature                  */
    double *row;           /* max_capacity x stride                                 */
    uint32_t *index;       /* 2 capacity: hash -> feature + 1; 0: empty             */
};

size_t feature_table_bytes(uint32_t max_capacity, uint32_t stride);
/* Capacities: powers of two; block: feature_table_bytes(max_capacity, stride) zeroed bytes, aligned
 * to 64. */
void feature_table_init(struct feature_table *t, uint32_t capacity, uint32_t max_capacity,
                        uint32_t stride, void *block);
/* Raises the capacity, at most to max_capacity. */
void feature_table_grow(struct feature_table *t, uint32_t capacity);

/* Number of new features that still fit. */
static inline uint32_t feature_table_free_slots(const struct feature_table *t)
{
    return t->capacity - t->n;
}

/* Number of a feature, or FEATURE_TABLE_NONE if it is not known. */
uint32_t feature_table_find(const struct feature_table *t, uint64_t id);
/* Number of a feature; a new one gets the number t->n. Returns FEATURE_TABLE_NONE if it is new and
 * the table is full. */
uint32_t feature_table_enroll(struct feature_table *t, uint64_t id);
/* Number of features that at least one of two tables knows. */
uint64_t feature_table_union(const struct feature_table *a, const struct feature_table *b);

static inline double *feature_table_row(const struct feature_table *t, uint32_t feature)
{
    return t->row + (size_t)feature * t->stride;
}

#endif
