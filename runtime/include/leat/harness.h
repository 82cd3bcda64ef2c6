/* harness.h -- for tests of plugins: one stage, with no pipeline around it. A strict host, batches
 * from text; run, and look.
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
 * It is a library to link, and no part of the ABI: its structs and functions may change with each
 * version of leat, and a test is compiled again then. Plugins do not include it.
 *
 * What a test does wrong ends the program: "test.c:12: harness: …", then abort(). So does what a
 * stage may not do: it allocates in process() or expand(); takes more than it has planned; leaves
 * a batch that is not whole, or a column of its own unfilled; changes what it does not declare;
 * returns what the call cannot return; or refuses without a reason. Each array ends where a page
 * begins that nobody may touch: a stage that writes beyond it crashes there. h->allocs_left makes
 * allocations fail.
 *
 * A stage with `expand` makes its batches of h->b: harness_expand shows them, as h->made. A
 * source fills h->b: harness_produce; what it gives to host->cut is cut as in a run.
 *
 * Threads: one uses a harness at a time. Errors are as a stage returns them, <leat/status.h>.
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
    struct leat_batch b, made;  /* made: of a stage with expand */
    uint32_t made_records;      /* records that go into one, to be set before open; 0: as into b */
    void *cfg, *self;

    char said[4096]; /* errors and warnings of validate and negotiate, failure of a call; a line
                        each */
    int errors, warnings;
    struct harness_rejection rejection[HARNESS_REJECTIONS];
    uint32_t n_rejections;
    struct harness_metric metric[LEAT_MAX_FIGURES];
    uint32_t n_metrics;
    int64_t allocs_left; /* -1: any number     */
    size_t allocated;    /* bytes now          */
    size_t peak;         /* the most there were */
    size_t allocations;  /* blocks now         */
    int may_grow;        /* 1: process() may allocate, for a model that grows with its features */
    uint64_t seed;
    uint64_t lines;              /* records given to expand before those of b */
    uint32_t lane;               /* of this instance; to be set before open */
    int stopping;                /* what host->stopping says; harness_stop sets it */
    struct leat_framing framing; /* source: how it is to cut; to be set before open */
    uint64_t committed;          /* sink that commits: the last checkpoint, as fence has told */
    struct harness_impl *impl;
};

/* Loads a stage of the plugin in `file`; parameters have their defaults. */
struct harness *harness_load(const char *file, const char *stage);
/* The same of a plugin in this program. */
struct harness *harness_of(const struct leat_plugin *plugin, const char *stage);
/* Stops and closes the stage, and frees all. */
void harness_free(struct harness *h);

/* Set a parameter as a user would type it: "3", "32KB", "true", "a,b"; by its declared type. */
void harness_set(struct harness *h, const char *param, const char *text);
/* The same of a list, with commas in its elements. They must outlive the harness. */
void harness_set_list(struct harness *h, const char *param, const char *const *v, uint32_t n);
/* Is there such a parameter? */
bool harness_takes(const struct harness *h, const char *param);

/* Input schema: a column; flags such as LEAT_HAS_LABEL (columns and records say so themselves). */
void harness_column(struct harness *h, const char *name, enum leat_column_type type);
void harness_has(struct harness *h, uint32_t has);
/* Input schema: a field name, for parts that the test adds itself. Its index. */
uint32_t harness_field(struct harness *h, const char *name);

/* validate and negotiate; returns the number of errors. Again after changes: starts from nothing.
 */
int harness_negotiate(struct harness *h);
struct leat_plan harness_plan(struct harness *h);

/* An empty batch for `records` records in the room that the schema grants, then open, header where
 * `framing` has one, fence of a sink that commits, and start. Returns what the first of them to
 * fail returned. Negotiates first if that was not done. */
int harness_open(struct harness *h, uint32_t records);
/* The same, and restores a state before start, as a run does that continues. */
int harness_continue(struct harness *h, uint32_t records, const void *state, size_t n);

/* Add a record: raw text, its cells empty; or the cells, "AA|ORD|3", which are its raw text too
 * (a NUMBER cell is read by strtod, INT64 and TIME are decimal, a BOOLEAN is true or false; "\N" is
 * a missing value). Returns its index. */
uint32_t harness_record(struct harness *h, const char *raw);
uint32_t harness_bytes(struct harness *h, const void *raw, size_t n);
uint32_t harness_row(struct harness *h, const char *cells);
/* Add an example of record r with features "7:1.5 9:-2", unnamed. Returns its index. */
uint32_t harness_example(struct harness *h, uint32_t r, float label, const char *features);
/* Add a record with an example, without a label, of the tokens of a text between single blanks, as
 * feature.tokens makes it. Returns the example's index. */
uint32_t harness_tokens(struct harness *h, const char *text);

/* Call process and bring the selections up to date as the host does. Returns its status. */
int harness_process(struct harness *h);
/* Call produce with an empty batch; a source. Returns its status. */
int harness_produce(struct harness *h);
/* Tell the stage that the run is being stopped: host->stopping and stop_fd. */
void harness_stop(struct harness *h);
/* Call expand until it has taken the batch, as the last one if `end`; take gets each batch with
 * records that it makes, as h->made. Returns what the last call returned. Then empties the batch,
 * but rejections stay. */
int harness_expand(struct harness *h, bool end, void (*take)(struct harness *h, void *arg),
                   void *arg);
/* Which record of all that were given to expand is record r of h->made, from 1; 0: none. */
uint64_t harness_came_from(const struct harness *h, uint32_t r);
/* Empty the batch; rejections are forgotten too. */
void harness_clear(struct harness *h);

/* The columns of the answers that negotiation is told of. */
extern const char *const harness_answers[2];
/* Ask a learner. Lent until the next question. harness_ask: what the learner returned. */
int harness_ask(struct harness *h, uint32_t kind, uint32_t k, uint32_t min_count);
const struct harness_answer *harness_query(struct harness *h, uint32_t kind, uint32_t k,
                                           uint32_t min_count);
/* The stage's state as bytes, lent until its next snapshot; NULL when it failed (why: h->said). */
const void *harness_snapshot(struct harness *h, size_t *n);
/* Read such bytes. What the stage returned, or LEAT_EDATA where the host would not have asked it;
 * the reason is in h->said. harness_restore_as: as if the state were of another version. */
int harness_restore(struct harness *h, const void *bytes, size_t n);
int harness_restore_as(struct harness *h, const void *bytes, size_t n, uint32_t version);
int harness_merge(struct harness *h, const void *bytes, size_t n, double weight);
/* The last value of a metric; NaN: never given. */
double harness_metric(const struct harness *h, const char *name);
/* The name of entry i of the batch, as text. Lent until the call after next. */
const char *harness_name(const struct harness *h, uint32_t i);
/* The rejection of record r, or NULL. */
const struct harness_rejection *harness_rejected(const struct harness *h, uint32_t r);

/* Where the test has called, for messages. */
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
