/* batch_check.h -- finds inconsistent batches, and forbidden changes of a batch by a stage.
 *
 * Used by --debug-plugins and by tests of plugins. */
#ifndef LEAT_HOST_FLOW_BATCH_CHECK_H
#define LEAT_HOST_FLOW_BATCH_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

enum { BATCH_CHECK_ARRAYS = 16 };

/* State of a batch before a stage's call: its sizes, and hashes of its arrays and columns. */
struct batch_seen {
    uint32_t n, n_bytes, n_sel, n_examples, n_entries, n_parts;
    uint64_t digest[BATCH_CHECK_ARRAYS], columns;
};

/* Fills `seen` from the batch before a stage's call. `in` is the schema of the stage's input. */
void batch_see(struct batch_seen *seen, const struct leat_batch *b, const struct leat_schema *in);

/* Compares the batch after a call with `seen`. Returns the name of a part that a stage with these
 * caps may not change but has changed; NULL if there is none. *owes is the end of a sentence that
 * names the capability that the stage must declare. */
const char *batch_changed(const struct batch_seen *seen, const struct leat_batch *b,
                          const struct leat_schema *in, uint32_t caps, const char **owes);

/* If the batch is inconsistent, writes the first fault, such as "left n at 9, beyond cap = 8", and
 * returns true. */
bool batch_is_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                    size_t cap);

/* Fills the columns from number `from` on, for n records, with a value that no stage writes. */
void batch_poison(const struct leat_schema *s, struct leat_batch *b, uint32_t from, uint32_t n);
/* Returns the name of the first column from number `from` on in which that value remains, and sets
 * *record; NULL if there is none. */
const char *batch_unfilled(const struct leat_schema *s, const struct leat_batch *b, uint32_t from,
                           uint32_t *record);

#endif
