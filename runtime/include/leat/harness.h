/* harness.h -- a strict host for tests of plugins: one stage, no pipeline, batches from text.
 *
 *     #include <assert.h>
 *     #include <leat/harness.h>
 *
 *     int main(void)
 *     {
 *         struct harness *h = harness_load("./clip.so", "feature.clip");
 *         harness_set(h, "max", "3");
 *         harness_has(h, LEAT_HAS_EXAMPLES);
 *         h->in.examples_per_record = 1;
 *         h->in.entries_per_record = 4;
 *         harness_open(h, 100);                      // room for 100 records a batch
 *         harness_example(h, harness_record(h, ""), 1, "7:1.5 9:8");
 *         assert(harness_process(h) == LEAT_OK);
 *         assert(h->b.value[1] == 3);                // then look at h->b, h->rejection
 *         harness_free(h);                           // stops and closes
 *     }
 *
 *     cc -o test test.c $(pkg-config --cflags --libs leat-harness)
 *
 * It is a library to link, not part of the ABI: its structs and functions may change with each
 * version of leat. Compile tests again then. Plugins do not include it.
 *
 * A mistake of the test ends the program: "test.c:12: harness: …", then abort(). A breach by the
 * stage does the same:
 *
 *     - it allocates in process() or expand(), or takes more memory than planned
 *     - it leaves a batch inconsistent, or a column of its own unfilled
 *     - it changes anything that it does not declare
 *     - it returns a status that the call cannot return, or refuses without a reason
 *
 * Each array ends at a page without access, so a stage that writes beyond an array crashes there.
 * h->allocs_left makes allocations fail.
 *
 * A stage with `expand` makes its batches from h->b; harness_expand passes them on as h->made. A
 * source fills h->b in harness_produce; host->cut cuts its bytes as in a run.
 *
 * Threads: one thread at a time uses a harness. Errors are the stage's statuses,
 * <leat/status.h>.
 */
#ifndef LEAT_HARNESS_H
#define LEAT_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HARNESS_COLUMNS = 64,
    HARNESS_FIELDS = 256,
    HARNESS_NOTES = 256, /* rows of an answer */
    HARNESS_REJECTIONS = 1024,
    HARNESS_TEXT = 256 /* bytes */
};

struct harness_rejection {
    uint32_t record;
    int reason;
    char text[HARNESS_TEXT];
};

struct harness_metric {
    const char *name;
    double value;
};

enum { HARNESS_FIGURES = 24 };
struct harness_answer { /* rows of a query */
    uint32_t n_columns, n_rows;
    const char *column[HARNESS_FIGURES];
    char name[HARNESS_NOTES][HARNESS_TEXT];
    double value[HARNESS_NOTES][HARNESS_FIGURES];
};

struct harness {
    const struct leat_stage *stage;
    struct leat_ctx ctx;
    struct leat_schema in, out; /* set bounds and flags of `in` before harness_negotiate */
    struct leat_batch b, made;  /* made: output of a stage with expand */
    uint32_t made_records;      /* capacity of `made` in records, set before open; 0: as b */
    void *cfg, *self;

    char said[4096]; /* errors and warnings of validate and negotiate, failures of calls; one a
                      * line */
    int errors, warnings;
    struct harness_rejection rejection[HARNESS_REJECTIONS];
    uint32_t n_rejections;
    struct harness_metric metric[LEAT_MAX_FIGURES];
    uint32_t n_metrics;
    int64_t allocs_left; /* -1: unlimited                                                       */
    size_t allocated;    /* bytes now                                                           */
    size_t peak;         /* most bytes so far                                                   */
    size_t allocations;  /* blocks now                                                          */
    int may_grow;        /* 1: process() may allocate, for a model that grows with its features */
    uint64_t seed;
    uint64_t lines;              /* records passed to expand before the records of b */
    uint32_t lane;               /* lane of this instance, set before open */
    int stopping;                /* result of host->stopping; harness_stop sets it */
    struct leat_framing framing; /* source: how to cut, set before open */
    uint64_t committed;          /* committing sink: last checkpoint, returned by fence */
    struct harness_impl *impl;
};

/* Loads a stage of the plugin in `file`; parameters have their defaults. */
struct harness *harness_load(const char *file, const char *stage);
/* Loads a stage of a plugin that is linked into this program. */
struct harness *harness_of(const struct leat_plugin *plugin, const char *stage);
/* Stops and closes the stage, and frees everything. */
void harness_free(struct harness *h);

/* Sets a parameter of any type from text, as a user would type it: "3", "32KB", "true", "a,b". */
void harness_set(struct harness *h, const char *param, const char *text);
/* Sets a list parameter whose elements may contain commas. The elements must outlive the
 * harness. */
void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n);
/* True if the stage has such a parameter. */
bool harness_takes(const struct harness *h, const char *param);

/* Adds to the input schema a column, or flags such as LEAT_HAS_LABEL. Flags of columns and records
 * are set automatically. */
void harness_column(struct harness *h, const char *name, enum leat_column_type type);
void harness_has(struct harness *h, uint32_t has);
/* Adds a field name to the input schema, for parts that the test adds itself. Returns its index. */
uint32_t harness_field(struct harness *h, const char *name);

/* Calls validate and negotiate; returns the number of errors. Call it again after changes: it
 * starts from nothing. */
int harness_negotiate(struct harness *h);
struct leat_plan harness_plan(struct harness *h);

/* Makes an empty batch for `records` records with the room that the schema grants. Then calls open,
 * header if `framing` has one, fence of a sink that commits, and start. Returns the status of the
 * first to fail. Negotiates first if necessary. */
int harness_open(struct harness *h, uint32_t records);
/* Opens like harness_open, but restores a state before start, as a continued run does. */
int harness_continue(struct harness *h, uint32_t records, const void *state, size_t n);

/* Adds a record: raw text with empty cells (record, bytes), or cells, "AA|ORD|3", which are also
 * its raw text (row). strtod reads a NUMBER cell, INT64 and TIME are decimal, a BOOLEAN is true or
 * false; "\N" is a missing value. Returns its index. */
uint32_t harness_record(struct harness *h, const char *raw);
uint32_t harness_bytes(struct harness *h, const void *raw, size_t n);
uint32_t harness_row(struct harness *h, const char *cells);
/* Adds an example of record r with unnamed features "7:1.5 9:-2". Returns its index. */
uint32_t harness_example(struct harness *h, uint32_t r, float label, const char *features);
/* Adds a record with an unlabelled example of the tokens of a text, as feature.tokens makes it.
 * Single blanks separate the tokens. Returns the example's index. */
uint32_t harness_tokens(struct harness *h, const char *text);

/* Calls process and updates the selections as the host does. Returns the stage's status. */
int harness_process(struct harness *h);
/* For sources: calls produce with an empty batch. Returns the stage's status. */
int harness_produce(struct harness *h);
/* Tells the stage that the run is being stopped, through host->stopping and stop_fd. */
void harness_stop(struct harness *h);
/* Calls expand until it has taken the batch, as the last one if `end`. Passes each non-empty batch
 * that it makes to `take` as h->made. Returns the status of the last call. Then empties the batch
 * but keeps the rejections. */
int harness_expand(struct harness *h, bool end, void (*take)(struct harness *h, void *arg),
                   void *arg);
/* Returns the source of record r of h->made: its number, from 1, among all records passed to
 * expand; 0: none. */
uint64_t harness_came_from(const struct harness *h, uint32_t r);
/* Empties the batch and forgets the rejections. */
void harness_clear(struct harness *h);

/* Names of the columns that negotiation expects in answers. */
extern const char *const harness_answers[2];
/* Ask a learner. harness_ask returns the learner's status; harness_query the answer, lent until the
 * next question. */
int harness_ask(struct harness *h, uint32_t kind, uint32_t k, uint32_t min_count);
const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count);
/* Returns the stage's state as bytes, lent until its next snapshot; NULL if it failed, with the
 * reason in h->said. */
const void *harness_snapshot(struct harness *h, size_t *n);
/* Read the bytes of a state; harness_restore_as reads them as another version's. Return the stage's
 * status, or LEAT_EDATA if the host would not have called the stage. The reason is in h->said. */
int harness_restore(struct harness *h, const void *bytes, size_t n);
int harness_restore_as(struct harness *h, const void *bytes, size_t n, uint32_t version);
int harness_merge(struct harness *h, const void *bytes, size_t n, double weight);
/* Returns the last value of a metric; NaN: never set. */
double harness_metric(const struct harness *h, const char *name);
/* Returns the name of entry i of the batch as text, lent until the call after the next. */
const char *harness_name(const struct harness *h, uint32_t i);
/* Returns the rejection of record r, or NULL. */
const struct harness_rejection *harness_rejected(const struct harness *h, uint32_t r);

/* Notes the place of the test's call, for messages. */
void harness_at(const char *file, int line);
#ifndef HARNESS_INSIDE
#define HARNESS_HERE            harness_at(__FILE__, __LINE__)
#define harness_set(...)        (HARNESS_HERE, harness_set(__VA_ARGS__))
#define harness_set_list(...)   (HARNESS_HERE, harness_set_list(__VA_ARGS__))
#define harness_column(...)     (HARNESS_HERE, harness_column(__VA_ARGS__))
#define harness_has(...)        (HARNESS_HERE, harness_has(__VA_ARGS__))
#define harness_field(...)      (HARNESS_HERE, harness_field(__VA_ARGS__))
#define harness_negotiate(...)  (HARNESS_HERE, harness_negotiate(__VA_ARGS__))
#define harness_plan(...)       (HARNESS_HERE, harness_plan(__VA_ARGS__))
#define harness_open(...)       (HARNESS_HERE, harness_open(__VA_ARGS__))
#define harness_continue(...)   (HARNESS_HERE, harness_continue(__VA_ARGS__))
#define harness_record(...)     (HARNESS_HERE, harness_record(__VA_ARGS__))
#define harness_bytes(...)      (HARNESS_HERE, harness_bytes(__VA_ARGS__))
#define harness_row(...)        (HARNESS_HERE, harness_row(__VA_ARGS__))
#define harness_example(...)    (HARNESS_HERE, harness_example(__VA_ARGS__))
#define harness_tokens(...)     (HARNESS_HERE, harness_tokens(__VA_ARGS__))
#define harness_process(...)    (HARNESS_HERE, harness_process(__VA_ARGS__))
#define harness_produce(...)    (HARNESS_HERE, harness_produce(__VA_ARGS__))
#define harness_stop(...)       (HARNESS_HERE, harness_stop(__VA_ARGS__))
#define harness_expand(...)     (HARNESS_HERE, harness_expand(__VA_ARGS__))
#define harness_clear(...)      (HARNESS_HERE, harness_clear(__VA_ARGS__))
#define harness_ask(...)        (HARNESS_HERE, harness_ask(__VA_ARGS__))
#define harness_query(...)      (HARNESS_HERE, harness_query(__VA_ARGS__))
#define harness_snapshot(...)   (HARNESS_HERE, harness_snapshot(__VA_ARGS__))
#define harness_restore(...)    (HARNESS_HERE, harness_restore(__VA_ARGS__))
#define harness_restore_as(...) (HARNESS_HERE, harness_restore_as(__VA_ARGS__))
#define harness_merge(...)      (HARNESS_HERE, harness_merge(__VA_ARGS__))
#define harness_load(...)       (HARNESS_HERE, harness_load(__VA_ARGS__))
#define harness_of(...)         (HARNESS_HERE, harness_of(__VA_ARGS__))
#define harness_free(...)       (HARNESS_HERE, harness_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
