/* batch_check.h -- checks batches, and changes of stages to them.
 *
 * For --debug-plugins, and for the tests of plugins. */
#ifndef LEAT_HOST_FLOW_BATCH_CHECK_H
#define LEAT_HOST_FLOW_BATCH_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

enum { BATCH_CHECK_ARRAYS = 16 };

/* A batch before a call: its sizes, and digests of its contents. */
struct batch_seen {
    uint32_t n, n_bytes, n_sel, n_examples, n_entries, n_parts;
    uint64_t digest[BATCH_CHECK_ARRAYS], columns;
};

/* Records the state of a batch; `in` is the schema before the stage. */
void batch_see(struct batch_seen *seen, const struct leat_batch *b, const struct leat_schema *in);

/* Returns a change that a stage with these caps may not make; NULL if there is none. `owes`: the
 * capability that the stage would have to declare, as the end of a sentence. */
const char *batch_changed(const struct batch_seen *seen, const struct leat_batch *b,
                          const struct leat_schema *in, uint32_t caps, const char **owes);

/* Writes the first fault, such as "left n at 9, beyond cap = 8"; returns false if there is none. */
bool batch_is_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                    size_t cap);

/* Fills the columns from `from` on, of n records, with values that no stage writes. */
void batch_poison(const struct leat_schema *s, struct leat_batch *b, uint32_t from, uint32_t n);
/* Returns the first column where such a value is left, and its record; NULL if there is none. */
const char *batch_unfilled(const struct leat_schema *s, const struct leat_batch *b, uint32_t from,
                           uint32_t *record);

#endif
