/* aggregates.h -- what shape.window makes of the records of a group: counts, sums, quantiles.
 *
 *     "count"                          records
 *     "count(bytes)"                   those with a value of the column; blanks are none
 *     "sum(bytes)", "mean(…)",         of the numbers of a column
 *     "min(…)", "max(…)"
 *     "quantile(ms, 0.99)"             KLL (kernels/sketch/kll.h)
 *     "distinct(user)"                 HyperLogLog (kernels/sketch/column_profile.h)
 *     "top(path, 3)"                   Space-Saving (kernels/window/tallies.h)
 *     "megabytes = sum(size)"          under another name
 *
 * What a group holds of each lies in its cell, one after the other; of zeros it is empty, but for
 * sketches of quantiles, which aggregates_begin makes. The values of several panes are put together
 * when they are asked for.
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

/* A row of aggregate_kinds: one function of a column, with all that it does. `at` is its part of a
 * group's cell; functions are NULL where there is nothing to do. */
struct aggregate_kind {
    const char *name;
    bool needs_column;   /* else the column is optional */
    uint32_t takes;      /* types of columns */
    bool numbers;        /* it takes numbers; else texts */
    bool tallies;        /* its part is a struct tally */
    uint32_t text_bytes; /* it makes a text, of so many bytes times its argument; 0: a number */
    /* A number after the column's name: its range, and the message if it is not in there. */
    struct {
        double least, most;
        bool whole;
        const char *why; /* NULL: there is no argument */
    } argument;
    /* Sets a->name, if it is not the kind's and the column's. */
    void (*name_it)(struct aggregate *a);

    uint32_t cell_bytes;
    uint32_t (*sketch_bytes)(uint32_t kll_k); /* in place of cell_bytes */
    void (*begin)(const struct aggregates *s, void *at, uint64_t seed);
    /* Takes record r. x: its number; NAN if the kind takes texts. */
    void (*add)(struct aggregates *s, const struct aggregate *a, void *at,
                const struct leat_batch *b, uint32_t r, double x);
    void (*forget)(struct aggregates *s, void *at);
    /* Returns the value of n cells together; NAN if there is none. */
    double (*unite)(struct aggregates *s, const struct aggregate *a, void *const *cell, uint32_t n);
    /* The same as a text, written where `out` ends. */
    struct leat_str (*unite_text)(struct aggregates *s, const struct aggregate *a,
                                  void *const *cell, uint32_t n, struct leat_batch *out);
    void (*saved)(void *at);
    bool (*is_valid)(const struct aggregates *s, const void *at);
};

/* AGGREGATE_KINDS rows. */
enum { AGGREGATE_KINDS = 8 };
extern const struct aggregate_kind aggregate_kinds[];

struct aggregate {
    const struct aggregate_kind *kind;
    char name[AGGREGATE_NAME]; /* of the new column                          */
    char of[AGGREGATE_NAME];   /* of the column that it is of; "": all records */
    double argument;           /* the share of a quantile, the number of a top */
    uint32_t column, type;     /* in the schema, once open           */
    uint32_t at;               /* in the cell                                */
};

/* A text that several cells have kept. */
struct united_text {
    uint64_t hash, count, excess; /* count - excess <= times it came <= count */
    const char *text;
    uint32_t len; /* of all of it */
};

struct aggregates {
    struct aggregate *each;
    uint32_t n;
    uint32_t kll_k;
    uint32_t cell_bytes;
    uint64_t seed;
    struct tallies tallies; /* of the tops; the caller makes them, with work.count */
    uint64_t
        overflows; /* sums and means that were given as missing, as no number can be so large */
    uint64_t estimated; /* tops that were given, and in which a count or the order may be wrong */
    uint64_t farthest;  /* by which a count may be wrong, the most */
    bool pressed;       /* such a top was given when tops had less space each than they may have */
    struct {
        struct kll_item *item;
        const struct kll **sketch;
        struct united_text *text;
        uint64_t *hash; /* of the texts of a distinct */
        uint64_t *count;
    } work; /* for the cells of as many panes as a window has */
};

/* What its memory depends on. */
struct aggregate_sizes {
    uint32_t kll_k, panes;
    uint32_t values;  /* that a top counts exactly */
    uint32_t tallied; /* of all tops together; 0: there is none */
};

/* Reads one. false: `why` (AGGREGATE_WHY bytes) says what is wrong with it. */
bool aggregate_parse(struct aggregate *a, const char *text, char *why);

/* The most bytes of its text; 0: it makes a number. */
static inline uint32_t aggregate_text_bytes(const struct aggregate *a)
{
    return a->kind->text_bytes * (uint32_t)a->argument;
}
/* Of what it keeps in a cell: a multiple of 8. */
uint32_t aggregate_cell_bytes(const struct aggregate *a, uint32_t kll_k);

/* In open: reads all of `list`, finds their columns, and lays out the cell. LEAT_OK or a failure of
 * the run; aggregates_close in both cases. */
int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    const struct aggregate_sizes *sizes);
uint64_t aggregates_work_bytes(const struct aggregate_sizes *sizes);
void aggregates_close(struct leat_ctx *ctx, struct aggregates *s);

/* What it keeps in a cell. */
static inline void *aggregate_part(const struct aggregate *a, const void *cell)
{
    return (char *)(uintptr_t)cell + a->at;
}

/* The texts that it keeps; NULL: it is no top. */
static inline struct tally *aggregate_tally(const struct aggregate *a, const void *cell)
{
    return a->kind->tallies ? aggregate_part(a, cell) : NULL;
}

/* A new cell, of zeros. `group` tells it from all others. */
void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group);

/* The numbers of record r that it takes, into x[s->n]; NAN: no value. false: one is no number, and
 * the record is rejected. */
bool aggregates_read(struct leat_ctx *ctx, const struct aggregates *s, struct leat_batch *b,
                     uint32_t r, double *x);
/* Takes record r with these numbers. */
void aggregates_add(struct aggregates *s, void *cell, const struct leat_batch *b, uint32_t r,
                    const double *x);
/* Before the cell is gone. */
void aggregates_forget(struct aggregates *s, void *cell);

/* Writes the values of the cells together, one of each pane, into record r of `out`, columns from
 * `first` on; out has space for the texts. */
void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first);

/* A copy of a cell that is kept elsewhere: nothing in it says where texts are in this process. */
void aggregates_saved(const struct aggregates *s, void *copy);
/* Is what was read from outside a cell? */
bool aggregates_valid(const struct aggregates *s, const void *cell);

#endif
