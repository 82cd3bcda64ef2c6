/* panes.h -- counts of features by event time, for a question about any two past periods.
 *
 * Time is divided into base panes of `every`. Base pane i has the times from i * every on. A pane
 * counts the features of its records. Old panes are merged with their neighbours, as in an
 * exponential histogram, so that the length of a pane is in proportion to its age:
 *
 *   a pane of level l has the base panes first .. first + 2^l - 1, and 2^l divides `first`
 *   it becomes a part of its parent, of level l + 1, once
 *       newest + 1 - (end of the parent) >= PANES_SPAN * 2^l
 *
 * The partition depends only on the newest time, not on the order of the records. So a late record
 * finds its pane, and two states of the same parameters have panes that can be added up. Panes that
 * end before newest + 1 - keep are dropped.
 *
 *   example: newest = 39 and PANES_SPAN = 16. The base panes 0 to 7 are two panes of level 2, as
 *   40 - 8 >= 2 * 16. Those from 8 to 23 are eight panes of level 1, and the others are of level 0.
 *
 * A record with a wrong clock must not drop the panes before it. If it is more than a quarter of
 * `keep` later than the newest pane, and than PANES_SPAN panes, it is in no pane. Others that are
 * as far ahead confirm it by the rule of half_life.h. Then the newest pane moves to the earliest of
 * them. If one of the first ten records was so far ahead, all panes are dropped and begin anew.
 *
 * Counts in a pane. A table has at most `limit` features. If it is full, the half with the smallest
 * counts leaves, and `missing` becomes the largest bound of those that left. A feature that comes
 * (again) may have been missed so often; that is its excess. So always
 *
 *     count <= true count <= count + excess          of a feature in the table
 *         0 <= true count <= missing                 of any other
 *
 * When two panes merge, counts and excesses add up; `missing` of one is the excess of a feature
 * that only the other has. The sum of the bounds of several panes are bounds of the sum.
 *
 * A table is a hash table with linear probing whose entries are in the order of their hashes. So a
 * merge reads both tables from front to back, and the layout does not depend on the order of
 * insertion (O. Amble, D. Knuth, Ordered hash tables, 1974).
 *
 * Sources: panes that merge: M. Datar, A. Gionis, P. Indyk, R. Motwani, Maintaining Stream
 * Statistics over Sliding Windows, 2002; counts that lose their smallest half: D. Anderson et al.,
 * A High-Performance Algorithm for Identifying Frequent Items in Data Streams, 2017. The excess of
 * each entry is that of Space-Saving.
 *
 * Out of scope: names, labels, batches. */
#ifndef LEAT_KERNELS_COUNTING_PANES_PANES_H
#define LEAT_KERNELS_COUNTING_PANES_PANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/half_life.h"
#include "kernels/summaries/id_slots.h"

#define PANES_SPAN        16  /* panes of a level at least, before they become parents */
#define PANES_MOST        256 /* most panes */
#define PANES_FEWEST_ROOM 64  /* fewest entries of a table */

struct panes_options {
    int64_t every, keep; /* ns; 0 < every <= keep */
    uint32_t seed;
    uint32_t of; /* mark of the caller; not used here */
};

/* Entries in the order of their hashes. */
struct panes_entries {
    uint64_t *id;
    uint32_t *count, *excess;
};

struct pane {
    int64_t first; /* its first base pane */
    uint32_t level;
    uint32_t n;       /* entries in use */
    uint32_t missing; /* bound of the count of a feature that is not in the table */
    uint64_t records;
    struct panes_entries table; /* [room]; an entry with the count 0 is empty */
};

struct panes {
    struct panes_options opt;
    uint32_t most, room;     /* number of tables, and their size */
    uint32_t main, limit;    /* first places of hashes, and most entries of a table */
    uint32_t n;              /* panes in use: pane[0 .. n - 1], the newest first */
    int64_t newest;          /* newest base pane; -1: none */
    int64_t far;             /* a record this many base panes later than `newest` is far ahead */
    uint64_t late, timeless; /* records older than `keep`, and records without a time */
    uint64_t ahead;          /* records in no pane because they were far ahead */
    struct half_life_clock front; /* counts them; its times are base panes, `newest` is unused */
    struct pane pane[PANES_MOST];
    struct pane *open;         /* pane of the current record, or NULL */
    struct panes_entries work; /* [2 * room] */
    struct panes_ranked {
        uint32_t bound, place;
    } * ranked; /* [2 * room] */
};

/* Number of panes at most; more than PANES_MOST if the options do not fit. */
uint32_t panes_most(const struct panes_options *opt);
/* Entries of each table for a number of bytes; less than PANES_FEWEST_ROOM if the bytes are too
 * few. */
uint32_t panes_room(const struct panes_options *opt, uint64_t bytes);
size_t panes_block_bytes(const struct panes_options *opt, uint32_t room);
/* Makes empty panes. block: panes_block_bytes() zeroed bytes, aligned to 64. */
void panes_init(struct panes *p, const struct panes_options *opt, uint32_t room, void *block);

/* Begins a record with an event time in ns, or below 0 without one. Its features follow. Returns
 * false if no pane has the record. O(1), amortised over the records of a pane. */
bool panes_record(struct panes *p, int64_t time);
/* Counts a feature of the current record. O(1) expected; O(log limit), amortised, if features
 * leave. */
void panes_add(struct panes *p, uint64_t id);

/* ---- reading ---- */

/* Times of several panes: from <= t < to. */
struct panes_times {
    int64_t from, to;
};
struct panes_times panes_times_of(const struct panes *p, const struct pane *of);

/* Sums of the counts of several panes. */
struct panes_bounds {
    uint64_t low, high;
};
struct panes_sum {
    struct panes_times times; /* from the first to the last pane */
    uint32_t panes;
    uint64_t records, missing;
    uint64_t unnamed;            /* largest count of a feature in a pane that has no slot */
    struct panes_bounds *bounds; /* of the count of each slot, owned by the caller */
};
/* True if the pane's middle lies in the times. So periods beside each other share no pane. */
bool panes_in(const struct panes *p, const struct pane *of, struct panes_times times);
/* Sums the panes i for which in[i] is true. The caller has zeroed the bounds. */
void panes_sum(const struct panes *p, const bool *in, const struct id_slots *slots,
               struct panes_sum *sum);

/* Returns a message about a broken invariant, or NULL if all hold. */
const char *panes_check(const struct panes *p);

/* ---- copies and merges ---- */

/* Copies the entries of a pane to p->work, and returns them. */
struct panes_entries panes_entries(struct panes *p, const struct pane *of);
/* Makes each record of a copied pane count `times` times. Rounds counts such that bounds hold. */
void panes_scale(struct pane *of, struct panes_entries *e, double times);
/* Moves the newest base pane forward. */
void panes_advance(struct panes *p, int64_t newest);
/* Adds a pane of a state with the same options and the same room. e: its entries, in the order of
 * their hashes. Panes that are too old are left out. Returns NULL, or an error message. */
const char *panes_unite(struct panes *p, const struct pane *of, const struct panes_entries *e);

#endif
