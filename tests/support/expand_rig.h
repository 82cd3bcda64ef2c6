/* expand_rig.h -- the stages with `expand`, and what tests do with one: give it a stream in batches
 * of any sizes, keep what it makes of them and what it rejects, as text.
 *
 * A stage comes under the claims of test_expand.c by a line of `expanders` (expand_rig.c). Whatever
 * fails here aborts the test. */
#ifndef LEAT_TESTS_SUPPORT_EXPAND_RIG_H
#define LEAT_TESTS_SUPPORT_EXPAND_RIG_H

#include "harness.h"

/* What comes to it besides records with columns, keys and event times, or-ed. */
enum expander_use {
    EXPANDER_EXAMPLES = 1, /* a prediction of each record                                  */
    EXPANDER_ANSWERS = 2   /* an answer of a learner at the end and every EXPAND_ASKED records */
};

struct expander {
    const char *plugin, *stage; /* plugin NULL: the Lua stages                              */
    const char *with;           /* its parameters: "name=value name=value"                  */
    unsigned uses;              /* enum expander_use                                        */
};

extern const struct expander expanders[];
extern const uint32_t n_expanders;

#define EACH_EXPANDER(E)                                                                           \
    const struct expander *E = expanders;                                                          \
    E < expanders + n_expanders;                                                                   \
    E++

enum { EXPAND_RECORDS = 700, EXPAND_ASKED = 50 };

/* What came out. */
struct expanded {
    char *made, *rejected; /* a record a line */
    size_t n_made, n_rejected;
};

/* A stage that is open, for batches of so many records to come and to be made. */
struct harness *expander_new(const struct expander *e, uint32_t in, uint32_t made);
/* The same, and what open returned. */
struct harness *expander_try(const struct expander *e, uint32_t in, uint32_t made, int64_t allocs,
                             int *opened);
/* Records [from, to) of the stream go into it, in batches of `in`; those end where an answer comes,
 * too. At EXPAND_RECORDS the stream ends. What comes out is appended. */
void expander_run(const struct expander *e, struct harness *h, uint32_t in, uint32_t from,
                  uint32_t to, struct expanded *out);

/* The whole stream. */
struct expanded expanded_of(const struct expander *e, uint32_t in, uint32_t made);
bool expanded_same(const struct expanded *a, const struct expanded *b);
void expanded_free(struct expanded *x);

#endif
