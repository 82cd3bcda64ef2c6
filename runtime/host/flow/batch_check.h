/* batch_check.h -- is a batch whole, and what did a stage do to it? For --debug-plugins, and for
 * the tests of plugins. */
#ifndef LEAT_HOST_FLOW_BATCH_CHECK_H
#define LEAT_HOST_FLOW_BATCH_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

enum { BATCH_CHECK_ARRAYS = 16 };

/* A batch before a call: how much it held, and digests of it. */
struct batch_seen {
    uint32_t n, n_bytes, n_sel, n_examples, n_entries, n_parts;
    uint64_t digest[BATCH_CHECK_ARRAYS], columns;
};

/* `in`: what has come, of which the stage adds more. */
void batch_see(struct batch_seen *seen, const struct leat_batch *b, const struct leat_schema *in);

/* Returns a change that a stage with these caps may not make; NULL if there is none. `owes`: the
 * capability that it would have to declare, as the end of a sentence. */
const char *batch_changed(const struct batch_seen *seen, const struct leat_batch *b,
                          const struct leat_schema *in, uint32_t caps, const char **owes);

/* Writes the first thing that is not whole, "left n at 9, beyond cap = 8"; false: all is. */
bool batch_is_wrong(const struct leat_batch *b, const struct leat_schema *s, char *text,
                    size_t cap);

/* Columns `from` and after it that a stage has to fill for n records get values that no stage
 * writes. */
void batch_poison(const struct leat_schema *s, struct leat_batch *b, uint32_t from, uint32_t n);
/* The first of these columns, and the record, where one is left; NULL: none is. */
const char *batch_unfilled(const struct leat_schema *s, const struct leat_batch *b, uint32_t from,
                           uint32_t *record);

#endif
