/* cut.h -- records of the bytes that a source has received: leat_host.cut and its companions, for
 * the host of a run and for the harness.
 *
 *   |-- delivered --|-- window: a record without its end --|-- pushed now --|
 *                   ^ place
 *
 * Each input of a source has a cutter from its first byte until its end has been cut. Records that
 * are whole in what is pushed are copied once, into the batch; the window holds no more than one
 * that is not whole. A record that is longer than max_record is skipped as it comes: its first
 * bytes, which the dead letter shows, and its length are all that is kept.
 *
 * What is kept lies in memory that the source's host gives (leat_host.alloc): it ends with that. */
#ifndef LEAT_HOST_FLOW_CUT_H
#define LEAT_HOST_FLOW_CUT_H

#include <leat/plugin.h>

/* The unfinished work of a source's instance; zeroed, but for the last two. */
struct cutting {
    struct cutter *cutters; /* one for each input */
    struct cut_end {
        uint32_t input;
        uint64_t offset, line; /* line 0: none has ended */
    } end;                     /* of the input that ended last */
    char *header;              /* of the first input */
    uint32_t header_len;
    uint32_t max_record; /* bytes, where the schema has no max_record_bytes */
    const char *(*name)(struct leat_ctx *, uint32_t input); /* of an input, for people */
};

/* Services of the same names in leat_host. */
int cut_records(struct cutting *, struct leat_ctx *, struct leat_batch *b, uint32_t input,
                const char *bytes, size_t n, int end, size_t *taken);
int cut_header(struct cutting *, struct leat_ctx *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken, const char **text, uint32_t *len);
void cut_place(struct cutting *, uint32_t input, uint64_t *offset, uint64_t *line);
int cut_continue(struct cutting *, struct leat_ctx *, uint32_t input, uint64_t offset,
                 uint64_t line);

#endif
