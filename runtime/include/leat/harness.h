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
 *         harness_open(h, 100);                      // room for 100 records in a batch
 *         harness_example(h, harness_record(h, ""), 1, "7:1.5 9:8");
 *         assert(harness_process(h) == LEAT_OK);
 *         assert(h->b.value[1] == 3);                // then look at h->b, h->rejection
 *         harness_free(h);                           // stops and closes
 *     }
 *
 *     cc -o test test.c $(pkg-config --cflags --libs leat-harness)
 *
 * The harness is a library for tests; plugins do not include it. It is not part of the ABI: its
 * structs and functions may change with each version of leat, and tests must then be compiled
 * again.
 *
 * A mistake of the test ends the program with a message, "test.c:12: harness: …", and abort(). So
 * does a stage that breaks a rule:
 *
 *     - it allocates in process() or expand(), or takes more memory than its plan
 *     - it leaves a batch inconsistent, or does not fill a column that it has added
 *     - it changes a part of the batch that it has not declared to change
 *     - it returns a status that the function may not return, or fails without a reason
 *
 * Each array ends at a page without access, so a write beyond the array crashes at once. To make
 * allocations fail, set h->allocs_left.
 *
 * A stage with `expand` reads h->b and fills h->made, which harness_expand passes to the test. A
 * source fills h->b in harness_produce; host->cut works as in a run.
 *
 * Only one thread at a time may use a harness. Functions that return an int return the stage's
 * status (<leat/status.h>), unless their comment says otherwise.
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
    HARNESS_NOTES = 256, /* most rows of an answer */
    HARNESS_REJECTIONS = 1024,
    HARNESS_TEXT = 256
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

enum { HARNESS_FIGURES = 40 };
struct harness_answer { /* answer to a query */
    uint32_t n_columns, n_rows;
    const char *column[HARNESS_FIGURES];
    char name[HARNESS_NOTES][HARNESS_TEXT];
    double value[HARNESS_NOTES][HARNESS_FIGURES];
};

struct harness {
    const struct leat_stage *stage;
    struct leat_ctx ctx;
    struct leat_schema in, out; /* `in`: the test sets bounds and flags before harness_negotiate */
    struct leat_batch b, made;  /* b: the batch for the stage; made: output of `expand`          */
    uint32_t made_records;      /* capacity of `made`; set before harness_open; 0: that of `b`   */
    void *cfg, *self;

    /* Messages of the stage, one a line: errors and warnings from validate and negotiate, and
     * reasons of failed calls. */
    char said[4096];
    int errors, warnings;
    struct harness_rejection rejection[HARNESS_REJECTIONS];
    uint32_t n_rejections;
    struct harness_metric metric[LEAT_MAX_FIGURES];
    uint32_t n_metrics;
    int64_t allocs_left; /* number of allocations that still succeed; -1: no limit               */
    size_t allocated;    /* bytes in use                                                         */
    size_t peak;         /* most bytes in use so far                                             */
    size_t allocations;  /* blocks in use                                                        */
    int may_grow;        /* 1: process() may allocate, because the model grows with its features */
    uint64_t seed;
    uint64_t lines;              /* number of records in earlier batches passed to expand       */
    uint32_t lane;               /* lane of the instance; set before harness_open               */
    uint32_t split;              /* leat_ctx.split; set before harness_open                     */
    int stopping;                /* returned by host->stopping; harness_stop sets it            */
    struct leat_framing framing; /* for sources: how to cut records; set before harness_open    */
    uint64_t committed;          /* for a sink that commits: last checkpoint, returned by fence */
    struct harness_impl *impl;
};

/* Loads a stage of the plugin in `file`. All parameters have their defaults. */
struct harness *harness_load(const char *file, const char *stage);
/* Loads a stage of a plugin that is linked into this program. */
struct harness *harness_of(const struct leat_plugin *plugin, const char *stage);
/* Stops and closes the stage, and frees everything. */
void harness_free(struct harness *h);

/* Sets a parameter of any type from text in the form of a script: "3", "32KB", "true", "a,b". */
void harness_set(struct harness *h, const char *param, const char *text);
/* Sets a list parameter from n elements, which may contain commas. The elements must live as long
 * as the harness. */
void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n);
/* True if the stage has a parameter of this name. */
bool harness_takes(const struct harness *h, const char *param);

/* Adds a column, or flags such as LEAT_HAS_LABEL, to the input schema. LEAT_HAS_RECORDS and
 * LEAT_HAS_COLUMNS are set automatically. */
void harness_column(struct harness *h, const char *name, enum leat_column_type type);
void harness_has(struct harness *h, uint32_t has);
/* Adds a field name to the input schema, for name parts that the test adds to the batch. Returns
 * its index. */
uint32_t harness_field(struct harness *h, const char *name);

/* Calls validate and negotiate. Returns the number of errors. May be called again after changes; it
 * then starts afresh. */
int harness_negotiate(struct harness *h);
struct leat_plan harness_plan(struct harness *h);

/* Makes an empty batch for `records` records, with the room that the schema demands. Then calls
 * open, header if framing.header is 1, fence if the sink commits, and start. Returns LEAT_OK, or
 * the status of the first call that fails. Negotiates first if the test has not done so. */
int harness_open(struct harness *h, uint32_t records);
/* Opens like harness_open, but restores a state before start, as a continued run does. */
int harness_continue(struct harness *h, uint32_t records, const void *state, size_t n);

/* Add a record and return its index. harness_record and harness_bytes set the raw text; all cells
 * are empty. harness_row sets the cells from "AA|ORD|3", which is also the raw text. A NUMBER cell
 * is read by strtod, INT64 and TIME cells are decimal, a BOOLEAN cell is true or false. "\N" is a
 * missing value. */
uint32_t harness_record(struct harness *h, const char *raw);
uint32_t harness_bytes(struct harness *h, const void *raw, size_t n);
uint32_t harness_row(struct harness *h, const char *cells);
/* Adds an example of record r with features "7:1.5 9:-2" (id:value), which have no names. Returns
 * its index. */
uint32_t harness_example(struct harness *h, uint32_t r, float label, const char *features);
/* Adds a record, and an example of it without a label. The example's features are the words of
 * `text`, as in feature.tokens. Single blanks separate the words. Returns the example's index. */
uint32_t harness_tokens(struct harness *h, const char *text);

/* Calls process and updates the selections as the host does. Returns the stage's status. */
int harness_process(struct harness *h);
/* For sources: calls produce with an empty batch. Returns the stage's status. */
int harness_produce(struct harness *h);
/* Tells the stage through host->stopping and host->stop_fd that the run is being stopped. */
void harness_stop(struct harness *h);
/* Calls expand with h->b until expand no longer returns LEAT_AGAIN. With `end`, h->b is the last
 * batch of the stream. After each call that made records, calls `take` with the records in h->made.
 * Then empties h->b, but keeps h->rejection. Returns the status of the last call of expand. */
int harness_expand(struct harness *h, bool end, void (*take)(struct harness *h, void *arg),
                   void *arg);
/* Returns the record from which record r of h->made was made, as a number that counts all records
 * passed to expand, from 1; 0 if there is none. */
uint64_t harness_came_from(const struct harness *h, uint32_t r);
/* Empties h->b and h->rejection. */
void harness_clear(struct harness *h);

/* Names of the columns that leat_negotiation.answer reports. */
extern const char *const harness_answers[2];
/* Query a learner. harness_ask returns the status of `query`. harness_query returns the answer,
 * valid until the next query. */
int harness_ask(struct harness *h, uint32_t kind, uint32_t k, uint32_t min_count);
const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count);
/* Calls snapshot and returns the state as bytes, valid until the next harness_snapshot. Returns
 * NULL if snapshot failed; the reason is in h->said. */
const void *harness_snapshot(struct harness *h, size_t *n);
/* Call restore or merge with a state that harness_snapshot returned. harness_restore_as passes
 * `version` as the version of the state. Return the stage's status, or LEAT_EDATA if a run would
 * refuse the bytes before it calls the stage. The reason is in h->said. */
int harness_restore(struct harness *h, const void *bytes, size_t n);
int harness_restore_as(struct harness *h, const void *bytes, size_t n, uint32_t version);
int harness_merge(struct harness *h, const void *bytes, size_t n, double weight);
/* Returns the last value of a metric; NaN if it was never set. */
double harness_metric(const struct harness *h, const char *name);
/* Returns the name of entry i of h->b as text. The text is valid until the second call after this
 * one. */
const char *harness_name(const struct harness *h, uint32_t i);
/* Returns the rejection of record r; NULL if it was not rejected. */
const struct harness_rejection *harness_rejected(const struct harness *h, uint32_t r);

/* Sets the place in the test that messages name. The macros below call it before each function. */
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
