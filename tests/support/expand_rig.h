/* expand_rig.h -- the stages with `expand`, and a rig that runs one.
 *
 * The rig feeds a stream in batches of any sizes. It collects made and rejected records as text. A
 * line of `expanders` (expand_rig.c) puts a stage under the claims of test_expand.c. A failure here
 * aborts the test. */
#ifndef LEAT_TESTS_SUPPORT_EXPAND_RIG_H
#define LEAT_TESTS_SUPPORT_EXPAND_RIG_H

#include "harness.h"

/* Inputs of a stage in addition to records with columns, keys and event times; combined by |. */
enum expander_use {
    EXPANDER_EXAMPLES = 1, /* a prediction for each record */
    EXPANDER_ANSWERS = 2,  /* an answer of a learner at the end and every EXPAND_ASKED records */
    EXPANDER_LINES = 4,    /* the records are lines of a container log */
    EXPANDER_OBJECTS = 8   /* the records are JSON objects with arrays */
};

struct expander {
    const char *plugin, *stage; /* plugin: NULL for the Lua stages */
    const char *with;           /* parameters of the stage: "name=value name=value" */
    unsigned uses;              /* enum expander_use */
};

extern const struct expander expanders[];
extern const uint32_t n_expanders;

#define EACH_EXPANDER(E)                                                                           \
    const struct expander *E = expanders;                                                          \
    E < expanders + n_expanders;                                                                   \
    E++

enum { EXPAND_RECORDS = 700, EXPAND_ASKED = 50 };

/* Output of the stage, as text. */
struct expanded {
    char *made, *rejected; /* one record a line */
    size_t n_made, n_rejected;
};

/* Opens the stage for batches of `in` input and `made` output records. */
struct harness *expander_new(const struct expander *e, uint32_t in, uint32_t made);
/* Does the same, and sets *opened to the status of open. `allocs` limits allocations. */
struct harness *expander_try(const struct expander *e, uint32_t in, uint32_t made, int64_t allocs,
                             int *opened);
/* Feeds records [from, to) of the stream in batches of `in`; a batch also ends where an answer
 * comes. The stream ends at EXPAND_RECORDS. Appends the output to `out`. */
void expander_run(const struct expander *e, struct harness *h, uint32_t in, uint32_t from,
                  uint32_t to, struct expanded *out);

/* Runs the whole stream. */
struct expanded expanded_of(const struct expander *e, uint32_t in, uint32_t made);
bool expanded_same(const struct expanded *a, const struct expanded *b);
void expanded_free(struct expanded *x);

#endif
