/* cut.h -- cuts the bytes that a source has received into records (leat_host.cut and others).
 *
 * Used by the host of a run and by the harness.
 *
 *   |-- delivered --|-- window: a record without its end --|-- pushed now --|
 *                   ^ place
 *
 * Each input of a source has a cutter from its first byte until its end has been cut. Records that
 * are whole within a push are copied once, into the batch. The window holds at most one incomplete
 * record. A record longer than max_record is skipped as it comes. Only its length and its first
 * bytes, which the dead letter shows, are kept.
 *
 * All of this lies in memory from leat_host.alloc, so it lives as long as the source. */
#ifndef LEAT_HOST_FLOW_CUT_H
#define LEAT_HOST_FLOW_CUT_H

#include <leat/plugin.h>

/* The unfinished work of a source's instance. Zeroed, except the last two members. */
struct cutting {
    struct cutter *cutters; /* one for each input */
    struct cut_end {
        uint32_t input;
        uint64_t offset, line; /* line 0: no input has ended */
    } end;                     /* of the input that ended last */
    char *header;              /* of the first input */
    uint32_t header_len;
    uint32_t max_record; /* bytes, if the schema has no max_record_bytes */
    const char *(*name)(struct leat_ctx *, uint32_t input); /* returns an input's readable name */
};

/* The services of the same names in leat_host. */
int cut_records(struct cutting *, struct leat_ctx *, struct leat_batch *b, uint32_t input,
                const char *bytes, size_t n, int end, size_t *taken);
int cut_header(struct cutting *, struct leat_ctx *, uint32_t input, const char *bytes, size_t n,
               int end, size_t *taken, const char **text, uint32_t *len);
void cut_place(struct cutting *, uint32_t input, uint64_t *offset, uint64_t *line);
int cut_continue(struct cutting *, struct leat_ctx *, uint32_t input, uint64_t offset,
                 uint64_t line);

#endif
