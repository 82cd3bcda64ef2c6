/* aggregates.h -- aggregates of a group's records for shape.window: counts, sums, quantiles.
 *
 *     "count"                          records
 *     "count(bytes)"                   records with a value of the column; a blank text is none
 *     "sum(bytes)", "mean(…)",         of the numbers of a column
 *     "min(…)", "max(…)"
 *     "quantile(ms, 0.99)"             KLL (kernels/sketch/kll.h)
 *     "distinct(user)"                 HyperLogLog (kernels/sketch/column_profile.h)
 *     "top(path, 3)"                   Space-Saving (kernels/window/tallies.h)
 *     "megabytes = sum(size)"          under another name
 *
 * A group has a cell, with a part for each aggregate. A zeroed part is empty, except a sketch of
 * quantiles, which aggregates_begin makes. The parts of several panes are united when their value
 * is needed.
 */
#ifndef LEAT_SHAPE_AGGREGATES_H
#define LEAT_SHAPE_AGGREGATES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/sketch/column_profile.h"
#include "kernels/sketch/kll.h"
#include "kernels/window/tallies.h"
#include "core/report/text_out.h"

enum { AGGREGATE_NAME = 256, AGGREGATE_WHY = 320 };

struct aggregate;
struct aggregates;

/* Row of aggregate_kinds: the functions of one aggregate. `at` is its part of a group's cell. A
 * function is NULL if there is nothing to do. */
struct aggregate_kind {
    const char *name;
    bool needs_column;   /* otherwise the column is optional */
    uint32_t takes;      /* types of columns */
    bool numbers;        /* takes numbers; otherwise texts */
    bool tallies;        /* its part is a struct tally */
    uint32_t text_bytes; /* bytes of its text, times the argument; 0: it makes a number */
    /* Number after the column's name: its range, and the message if it is outside. */
    struct {
        double least, most;
        bool whole;
        const char *why; /* NULL: there is no argument */
    } argument;
    /* Sets a->name, if it is not made of the kind and the column. */
    void (*name_it)(struct aggregate *a);

    uint32_t cell_bytes;
    uint32_t (*sketch_bytes)(uint32_t kll_k); /* replaces cell_bytes */
    void (*begin)(const struct aggregates *s, void *at, uint64_t seed);
    /* Takes record r. x: its number; NAN if the kind takes texts. */
    void (*add)(struct aggregates *s, const struct aggregate *a, void *at,
                const struct leat_batch *b, uint32_t r, double x);
    void (*forget)(struct aggregates *s, void *at);
    /* Returns the value of n cells together; NAN if there is none. */
    double (*unite)(struct aggregates *s, const struct aggregate *a, void *const *cell, uint32_t n);
    /* Returns that value as a text, which it writes at the end of `out`. */
    struct leat_str (*unite_text)(struct aggregates *s, const struct aggregate *a,
                                  void *const *cell, uint32_t n, struct leat_batch *out);
    void (*saved)(void *at);
    bool (*is_valid)(const struct aggregates *s, const void *at);
};

/* Number of rows in aggregate_kinds. */
enum { AGGREGATE_KINDS = 8 };
extern const struct aggregate_kind aggregate_kinds[];

struct aggregate {
    const struct aggregate_kind *kind;
    char name[AGGREGATE_NAME]; /* name of the new column */
    char of[AGGREGATE_NAME];   /* column it reads; "": all records */
    double argument;           /* share of a quantile, or number of texts of a top */
    uint32_t column, type;     /* column in the schema and its type, set by open */
    uint32_t at;               /* offset in the cell */
};

/* Text that several cells have kept. */
struct united_text {
    uint64_t hash, count, excess; /* count - excess <= occurrences <= count */
    const char *text;
    uint32_t len; /* of the whole text */
};

struct aggregates {
    struct aggregate *each;
    uint32_t n;
    uint32_t kll_k;
    uint32_t cell_bytes;
    uint64_t seed;
    struct tallies tallies; /* texts of the tops; the caller makes them, with work.count */
    uint64_t overflows;     /* sums and means beyond any number, given as missing */
    uint64_t estimated;     /* tops given in which a count or the order may be wrong */
    uint64_t farthest;      /* largest error of a count */
    bool rounded;           /* a number beyond 2^53 was reported */
    bool pressed; /* such a top was given when tops had less space each than they may have */
    struct {
        struct kll_item *item;
        const struct kll **sketch;
        struct united_text *text;
        uint64_t *hash; /* hashes of a distinct's texts */
        uint64_t *count;
    } work; /* work space for the cells of as many panes as a window has */
};

/* Sizes that determine the memory. */
struct aggregate_sizes {
    uint32_t kll_k, panes;
    uint32_t values;  /* texts that a top counts exactly */
    uint32_t tallied; /* texts of all tops together; 0: there is no top */
};

/* Reads one aggregate. Returns false if it is wrong, with the reason in `why` (AGGREGATE_WHY
 * bytes). */
bool aggregate_parse(struct aggregate *a, const char *text, char *why);

/* Returns the most bytes of its text; 0 if it makes a number. */
static inline uint32_t aggregate_text_bytes(const struct aggregate *a)
{
    return a->kind->text_bytes * (uint32_t)a->argument;
}
/* Returns the bytes of its part of a cell, a multiple of 8. */
uint32_t aggregate_cell_bytes(const struct aggregate *a, uint32_t kll_k);

/* Reads the aggregates of `list`, in open, finds their columns, and lays out the cell. Returns
 * LEAT_OK or a failure of the run. The caller calls aggregates_close in both cases. */
int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    const struct aggregate_sizes *sizes);
uint64_t aggregates_work_bytes(const struct aggregate_sizes *sizes);
void aggregates_close(struct leat_ctx *ctx, struct aggregates *s);

/* Returns the aggregate's part of a cell. */
static inline void *aggregate_part(const struct aggregate *a, const void *cell)
{
    return (char *)(uintptr_t)cell + a->at;
}

/* Returns the texts of a top, or NULL for another aggregate. */
static inline struct tally *aggregate_tally(const struct aggregate *a, const void *cell)
{
    return a->kind->tallies ? aggregate_part(a, cell) : NULL;
}

/* Begins a new, zeroed cell. `group` tells it from all others. */
void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group);

/* Reads the numbers of record r into x[s->n]; NAN: no value. Returns false after rejecting the
 * record for a wrong number. */
bool aggregates_read(struct leat_ctx *ctx, struct aggregates *s, struct leat_batch *b, uint32_t r,
                     double *x);
/* Adds record r, with these numbers, to a cell. */
void aggregates_add(struct aggregates *s, void *cell, const struct leat_batch *b, uint32_t r,
                    const double *x);
/* Forgets a cell; call it before the cell is dropped. */
void aggregates_forget(struct aggregates *s, void *cell);

/* Writes the united values of the cells, one cell per pane, into record r of `out`, from column
 * `first` on. `out` has space for the texts. */
void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first);

/* Clears, in a copy of a cell, all references to texts in this process. */
void aggregates_saved(const struct aggregates *s, void *copy);
/* True if `cell`, which was read from outside, is valid. */
bool aggregates_valid(const struct aggregates *s, const void *cell);

#endif
