/* reader.h -- records of many inputs, one after the other, into batches. */
#ifndef LEAT_SOURCES_FILE_READER_H
#define LEAT_SOURCES_FILE_READER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "follow.h"
#include "core/text/framing.h"
#include "common/inputs/inputs.h"
#include "common/inputs/stream.h"

enum { READER_HEAD = 1024 };

struct reader {
    struct inputs inputs;
    uint32_t input, pass, passes; /* which is read, and how often all were       */
    int64_t max_record;           /* the parameter; that of framing may be less  */

    struct stream stream;
    int wake_fd;    /* wake_fd.h; before it is opened no other thread knows of it */
    bool streaming; /* `stream` is open                                          */
    bool ended;     /* the window holds the last of it                           */
    bool bom_due, header_due;

    char *raw; /* for `stream`                                                */
    enum recode_from encoding;
    struct stream_coded *coded; /* for `stream`; NULL: the text is UTF-8         */
    char *window;               /* [from, end) is text read and not yet delivered              */
    size_t cap, from, end;
    uint64_t offset, line; /* of window[from] in the input's text                */

    struct framing framing;
    struct framing_cut cut; /* a record found, not delivered because the batch was full */
    enum framing_result cut_is;
    bool held;           /* there is a `cut`                                       */
    struct start *start; /* where records of several lines begin; NULL: they have one  */
    bool flush;          /* no more is expected soon: the lines that are there are a record     */
    bool gap;            /* the next record begins a new extent                    */
    bool header_wanted;
    bool ahead;        /* the beginnings of the inputs to come were looked at                */
    bool told_start;   /* of a line on which record_start was given up                       */
    bool looked;       /* text that is not UTF-8 has come, and was warned of                 */
    bool beyond_ascii; /* so has UTF-8 beyond ASCII                                          */
    struct reader_long too_long;
    uint8_t head[READER_HEAD]; /* the input's first bytes, n_head of them               */
    uint32_t n_head;

    uint64_t after_header; /* `offset` right after the input's header; UINT64_MAX: none came */
    char *header;          /* of the first input that has one; NULL: not read yet         */
    uint32_t header_len, header_input;

    bool follows;
    bool rest_due;  /* what may still grow is to be delivered now */
    bool finishing; /* the run stops: lines without an end are delivered now        */
    struct follow follow;
    struct followed *followed; /* whose text is in the window; NULL: none             */
    uint64_t burst;            /* bytes read of it since others had their turn        */

    int failure; /* the status to end with, once all records before are delivered */
    char why[1024];
    _Atomic uint64_t done; /* bytes delivered; written by the stage's thread, read by any */
};

struct reader_options {
    const struct leat_strings *paths;
    int64_t window, max_record;
    uint32_t passes;
    enum recode_from encoding;
    const char *record_start; /* NULL: records are as the framing says */
    uint64_t idle_ns;
    int64_t follow; /* 0; or the most files that are followed at a time */
};
int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o);
void reader_fini(struct leat_ctx *ctx, struct reader *r);

/* The first header record, len 0 when no input has a record. LEAT_EOS: stopped before it came. */
int reader_header(struct leat_ctx *ctx, struct reader *r, const char **text, uint32_t *len);

/* A reader that waits for text returns soon. Any thread, between init and fini. */
void reader_wake(struct reader *r);

/* Where the first record is that was not delivered; and the first bytes of its input, but only
 * those before the record. */
struct reader_location {
    uint64_t inputs; /* how many there were */
    uint64_t input, pass, offset, line;
    const uint8_t *head;
    uint64_t n_head;
};
struct reader_location reader_tell(const struct reader *r);
/* Before the first fill: continues from there. LEAT_OK; LEAT_EOS: the run was stopped meanwhile; or
 * a failure reported to the host: the input is shorter, or another one. */
int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to);

/* As leat_stage.produce; LEAT_AGAIN also each 16 MB of a record that is too long. */
int reader_fill(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

/* Nothing more is read: a record that is too long, and whose end was not found, is rejected as far
 * as it was seen. LEAT_OK: that is in the batch; else LEAT_EOS. */
int reader_end(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

/* Followed files, between two fills. Bytes that are there and were not delivered: */
uint64_t reader_behind(struct reader *r);
/* Their places, and those of a snapshot: as leat_stage.snapshot and restore. A reader that does not
 * follow reads those of the snapshot, and those that came since, to their ends. */
int reader_write_followed(struct reader *r, struct leat_writer *w);
int reader_read_followed(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         struct leat_reader *from);
/* From the place of a reader that did not follow. */
int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from);

#endif
