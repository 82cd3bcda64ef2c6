/* aggregates.h -- aggregates of a group's records for shape.window: counts, sums, quantiles.
 *
 *     "count"                          number of records
 *     "count(bytes)"                   records with a value in the column; a blank text is no value
 *     "sum(bytes)", "mean(…)",         of the column's numbers
 *     "min(…)", "max(…)"
 *     "quantile(ms, 0.99)"             KLL (kernels/summaries/kll.h)
 *     "distinct(user)"                 HyperLogLog (kernels/summaries/distinct.h)
 *     "top(path, 3)"                   most frequent texts, Space-Saving (kernels/window/tallies.h)
 *     "megabytes = sum(size)"          sum(size) in a column "megabytes"
 *
 * A group has its values in a cell, which has a part for each aggregate. A part whose bytes are 0
 * means "no values yet". Only the sketch of a quantile must be initialised (aggregates_begin). A
 * window that consists of several panes has a cell in each pane. The cells are merged when the
 * window's values are written. */
#ifndef LEAT_SHAPE_AGGREGATES_H
#define LEAT_SHAPE_AGGREGATES_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/summaries/distinct.h"
#include "kernels/summaries/kll.h"
#include "kernels/window/tallies.h"
#include "core/report/text_out.h"

enum { AGGREGATE_NAME = 256, AGGREGATE_WHY = 320 };

struct aggregate;
struct aggregates;
struct aggregate_rows;

/* Row of the table aggregate_kinds: the functions of one aggregate. Their parameter `at` points to
 * the aggregate's part of a cell. A function that would do nothing is NULL. */
struct aggregate_kind {
    const char *name;
    bool needs_column;   /* true if the aggregate requires a column */
    uint32_t takes;      /* types of columns that the aggregate accepts, as bits */
    bool numbers;        /* true if the aggregate reads numbers, false if it reads texts */
    bool tallies;        /* true if its part of a cell is a struct tally */
    uint32_t text_bytes; /* the result has at most text_bytes * argument bytes; 0: a number */
    /* Range of the number in "quantile(ms, 0.99)", and the message for a number outside of it. */
    struct {
        double least, most;
        bool whole;
        const char *why; /* NULL: the aggregate has no such number */
    } argument;
    /* Sets a->name. If NULL, the name consists of the kind and the column, as in sum_bytes. */
    void (*name_it)(struct aggregate *a);

    uint32_t cell_bytes;
    uint32_t (*sketch_bytes)(uint32_t kll_k); /* returns the bytes of the part; NULL: cell_bytes */
    void (*begin)(const struct aggregates *s, void *at, uint64_t seed);
    /* Adds each of the records to the part of its cell. x has their numbers, if the aggregate reads
     * numbers. */
    void (*add)(struct aggregates *s, const struct aggregate *a, const struct aggregate_rows *rows,
                const double *x);
    void (*forget)(struct aggregates *s, void *at);
    /* Returns the value for the parts in n cells together; NAN if they have no value. */
    double (*unite)(struct aggregates *s, const struct aggregate *a, void *const *cell, uint32_t n);
    /* Appends the value for the parts in n cells together to `out`, as a text, and returns the
     * text. */
    struct leat_str (*unite_text)(struct aggregates *s, const struct aggregate *a,
                                  void *const *cell, uint32_t n, struct leat_batch *out);
    /* Converts the numbers of the part to little-endian for a snapshot (`save`), or back. */
    void (*turn)(const struct aggregates *s, void *at, bool save);
    bool (*is_valid)(const struct aggregates *s, const void *at);
};

/* Number of rows in aggregate_kinds. */
enum { AGGREGATE_KINDS = 8 };
extern const struct aggregate_kind aggregate_kinds[];

struct aggregate {
    const struct aggregate_kind *kind;
    char name[AGGREGATE_NAME]; /* name of the output column */
    char of[AGGREGATE_NAME];   /* input column; "": none, counts all records */
    double argument;           /* fraction of a quantile, or number of texts of a top() */
    uint32_t column, type;     /* index and type of the input column, set by aggregates_open() */
    uint32_t at;               /* offset of the aggregate's part in a cell */
};

/* Text found in one or more parts of a top() aggregate. */
struct united_text {
    uint64_t hash, count, excess; /* count - excess <= occurrences <= count */
    const char *text;
    uint32_t len; /* bytes of the whole text, of which a tally keeps the beginning */
};

/* AGGREGATES_MAX: most aggregates of a cell. AGGREGATE_ROWS: most records that are added
 * together. */
enum { AGGREGATES_MAX = 64, AGGREGATE_ROWS = 32 };

/* Records that are added together, each to its cell: aggregate by aggregate. */
struct aggregate_rows {
    const struct leat_batch *b;
    uint32_t n;
    uint32_t row[AGGREGATE_ROWS];
    void *cell[AGGREGATE_ROWS];
    double x[AGGREGATES_MAX][AGGREGATE_ROWS]; /* by aggregate and record: the number; NAN: none */
};

struct aggregates {
    struct aggregate *each;
    uint32_t n;
    uint32_t kll_k;
    uint32_t cell_bytes;
    uint64_t seed;
    struct tallies tallies; /* texts of all top() parts; made by the caller, with work.count */
    uint64_t overflows; /* number of sums and means that no double can hold; written as missing */
    uint64_t estimated; /* number of top() results whose counts or order may be wrong */
    uint64_t farthest;  /* largest possible error of a count in a top() result */
    bool rounded;       /* true if the warning about numbers beyond 2^53 was given */
    bool pressed;       /* true if the budget limited a top(), and that affected a result */
    struct {
        struct kll_item *item;
        const struct kll **sketch;
        struct united_text *text;
        uint64_t *hash; /* hashes of the texts of a distinct */
        uint64_t *count;
    } work; /* Work space for merging the cells of all panes of a window */
};

/* Sizes from which the memory is computed. */
struct aggregate_sizes {
    uint32_t kll_k, panes;
    uint32_t values;  /* number of texts that a top() counts exactly */
    uint32_t tallied; /* most texts in all top() parts together; 0: there is no top() */
};

/* Parses an aggregate such as "sum(bytes)". If it is wrong, writes the reason to `why`
 * (AGGREGATE_WHY bytes) and returns false. */
bool aggregate_parse(struct aggregate *a, const char *text, char *why);

/* Returns the largest number of bytes of a text result; 0 if the result is a number. */
static inline uint32_t aggregate_text_bytes(const struct aggregate *a)
{
    return a->kind->text_bytes * (uint32_t)a->argument;
}
/* Returns the bytes of the aggregate's part of a cell, a multiple of 8. */
uint32_t aggregate_cell_bytes(const struct aggregate *a, uint32_t kll_k);

/* Parses the aggregates in `list`, finds their columns, and lays out the cell. Called by the
 * stage's open. Returns LEAT_OK or an error of the run. The caller calls aggregates_close() in both
 * cases. */
int aggregates_open(struct leat_ctx *ctx, struct aggregates *s, const struct leat_strings *list,
                    const struct aggregate_sizes *sizes);
uint64_t aggregates_work_bytes(const struct aggregate_sizes *sizes);
void aggregates_close(struct leat_ctx *ctx, struct aggregates *s);

static inline void *aggregate_part(const struct aggregate *a, const void *cell)
{
    return (char *)(uintptr_t)cell + a->at;
}

/* Returns the tally of a top() in a cell; NULL for other aggregates. */
static inline struct tally *aggregate_tally(const struct aggregate *a, const void *cell)
{
    return a->kind->tallies ? aggregate_part(a, cell) : NULL;
}

/* Initialises a new, zeroed cell. `group` differs from that of all other cells. */
void aggregates_begin(const struct aggregates *s, void *cell, uint64_t group);

/* Reads the numbers of the records. Returns a mask of the records with a number that
 * aggregates_check() must see. */
uint32_t aggregates_read(struct leat_ctx *ctx, const struct aggregates *s,
                         struct aggregate_rows *rows);
/* Reads the numbers of record k once more, and warns if a number loses digits. If a number is
 * wrong, rejects the record and returns false. */
bool aggregates_check(struct leat_ctx *ctx, struct aggregates *s, struct leat_batch *b,
                      struct aggregate_rows *rows, uint32_t k);
void aggregates_move(const struct aggregates *s, struct aggregate_rows *rows, uint32_t k,
                     uint32_t to);
/* Makes record k, with its cell, record `to`; to <= k. */
static inline void aggregates_keep(const struct aggregates *s, struct aggregate_rows *rows,
                                   uint32_t k, uint32_t to, void *cell)
{
    rows->cell[to] = cell;
    if (to != k) aggregates_move(s, rows, k, to);
}
/* Adds the records to their cells. If two aggregates are top(), the results may depend on how
 * many records are added together, because they share memory (aggregates_are_apart()). */
void aggregates_add(struct aggregates *s, const struct aggregate_rows *rows);
/* True if the results do not depend on it. */
bool aggregates_are_apart(const struct aggregates *s);
/* Releases the texts of a cell. Call it before the cell is dropped. */
void aggregates_forget(struct aggregates *s, void *cell);

/* Merges n cells with the same key, one for each pane of a window. Writes the values to record r of
 * `out`, from column `first` on. `out` must have room for the texts. */
void aggregates_write(struct aggregates *s, void *const *cell, uint32_t n, struct leat_batch *out,
                      uint32_t r, uint32_t first);

/* aggregates_saved: changes `copy`, a copy of a cell, to its form in a snapshot. Numbers become
 * little-endian, and pointers to texts are cleared. aggregates_restored: changes it back, except
 * for the pointers. */
void aggregates_saved(const struct aggregates *s, void *copy);
void aggregates_restored(const struct aggregates *s, void *cell);
/* True if `cell`, which was read from a snapshot, is valid. */
bool aggregates_valid(const struct aggregates *s, const void *cell);

#endif
