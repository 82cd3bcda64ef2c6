/* cut.h -- cuts the bytes that a source has received into records (leat_host.cut and others).
 *
 * Used by the host and by the harness.
 *
 *   |-- delivered --|-- window: a record without its end --|-- pushed now --|
 *                   ^ place
 *
 * Each open input of a source has a struct cutter. The bytes that one call of leat_host.cut brings
 * are "pushed". A record that lies within the pushed bytes is copied once, into the batch. An
 * incomplete record at the end is copied to the window, which waits for more bytes. A record longer
 * than max_record is skipped while it arrives. Only its length is kept, and its first bytes for the
 * dead letter.
 *
 * Cutters are memory of leat_host.alloc, so they live at most as long as the source. */
#ifndef LEAT_HOST_FLOW_CUT_H
#define LEAT_HOST_FLOW_CUT_H

#include <leat/plugin.h>

/* The cutters of a source's instance. The caller sets the last two members; all others begin as
 * zero. */
struct cutting {
    struct cutter *cutters; /* list, one for each open input */
    struct cut_end {
        uint32_t input;
        uint64_t offset, line; /* place after the last record; line 0: no input has ended */
    } end;                     /* the input that ended last                               */
    char *header;              /* header of the first input                               */
    uint32_t header_len;
    uint32_t max_record; /* most bytes of a record, if the schema has no max_record_bytes */
    const char *(*name)(struct leat_ctx *, uint32_t input); /* returns the name of an input for
                                                             * messages */
};

/* Implement cut, cut_header, cut_place and cut_continue of leat_host. */
int cut_records(struct cutting *, struct leat_ctx *, struct leat_batch *b, uint32_t input,
                const char *bytes, size_t n, int end, size_t *taken);
int cut_header(struct cutting *, struct leat_ctx *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken, const char **text, uint32_t *len);
void cut_place(struct cutting *, uint32_t input, uint64_t *offset, uint64_t *line);
int cut_continue(struct cutting *, struct leat_ctx *, uint32_t input, uint64_t offset,
                 uint64_t line);

#endif
