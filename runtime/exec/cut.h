/* cut.h -- records of the bytes that a source has received: leat_host.cut and its companions.
 *
 *   |-- delivered --|-- window: a record without its end --|-- pushed now --|
 *                   ^ place
 *
 * Each input of a source has a cutter from its first byte until its end has been cut. Records that
 * are whole in what is pushed are copied once, into the batch; the window holds no more than one
 * that is not whole. A record that is longer than max_record is skipped as it comes: its first
 * bytes, which the dead letter shows, and its length are all that is kept. */
#ifndef LEAT_EXEC_CUT_H
#define LEAT_EXEC_CUT_H

#include <leat/plugin.h>

/* As leat_host has them. */
int cut_records(struct leat_ctx *, struct leat_batch *b, uint32_t input, const char *bytes,
                size_t n, int end, size_t *taken);
int cut_header(struct leat_ctx *, uint32_t input, const char *bytes, size_t n, int end,
               size_t *taken, const char **text, uint32_t *len);
void cut_place(struct leat_ctx *, uint32_t input, uint64_t *offset, uint64_t *line);
int cut_continue(struct leat_ctx *, uint32_t input, uint64_t offset, uint64_t line);

#endif
