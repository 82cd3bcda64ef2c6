/* stream.h -- text of one input, decompressed and converted to UTF-8 as needed. */
#ifndef LEAT_COMMON_INPUTS_STREAM_H
#define LEAT_COMMON_INPUTS_STREAM_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "decoder.h"
#include "inputs.h"
#include "kernels/text/encoding.h"

enum stream_status {
    STREAM_TEXT,    /* some bytes were read */
    STREAM_END,     /* there are no more */
    STREAM_IDLE,    /* a pipe has no data now */
    STREAM_STOPPED, /* the run is being stopped */
    STREAM_FAILED   /* see `why`; all text before stays valid */
};

enum { STREAM_RAW_BYTES = 64 << 10, STREAM_MARKS = 2048, STREAM_CODED_BYTES = 16 << 10 };

/* Place in an input: bytes of text that came out of so many raw bytes. */
struct stream_mark {
    uint64_t text, raw;
    bool whole; /* the text since the previous mark came in one block */
};

struct stream {
    struct leat_ctx *ctx; /* context of the current call */
    const struct input *input;
    int fd;
    int wake_fd;      /* the caller's, set after stream_open: ends a wait (wake_fd.h); or -1 */
    bool waits;       /* a pipe or terminal: reading may block */
    bool idle_warned; /* the log has said that no data come */
    uint64_t opened_ns;
    bool known;     /* the coding is known from the first bytes */
    bool raw_ended; /* the end of the raw input was seen */
    uint64_t bytes; /* size of a file when it was opened */
    bool may_pass;  /* failure of read(2) or missing end: a later attempt may succeed */
    unsigned char magic[DECODER_MAGIC]; /* n_magic first bytes, magic_used of them used */
    size_t n_magic, magic_used;
    struct decoder decoder;                /* no coding: plain text */
    enum stream_status after;              /* status after the block, if it is the last */
    char *raw;                             /* STREAM_RAW_BYTES of compressed data */
    size_t block_at, n_block;              /* rest of the block, not handed out yet */
    bool block_whole;                      /* filled; otherwise filling from 0 */
    size_t raw_piece;                      /* compressed bytes to read at a time */
    uint64_t text;                         /* bytes of text handed out */
    uint64_t raw_read;                     /* bytes read */
    struct stream_mark mark[STREAM_MARKS]; /* latest marks, number k at k % STREAM_MARKS */
    uint64_t n_marks;
    struct stream_coded *coded; /* NULL if the text is UTF-8 */
    char why[512];
};

/* State of the conversion of a stream's text from another encoding (recode.h). */
struct stream_coded {
    struct recode recode;
    char text[STREAM_CODED_BYTES]; /* text in the input's encoding */
    size_t at, n;                  /* part of `text` not converted yet */
    enum stream_status after;      /* status after `text`, if it is the last */
    uint64_t utf8, given; /* bytes of UTF-8 handed out; bytes of the input's text converted */
    struct stream_mark mark[STREAM_MARKS]; /* pairs of utf8 and given */
    uint64_t n_marks;
};

/* Opens `input`, and reads nothing yet. `raw` has STREAM_RAW_BYTES. On STREAM_FAILED `why` is set
 * and there is nothing to close. */
enum stream_status stream_open(struct stream *st, const struct input *input, char *raw);

/* Sets the encoding, right after stream_open. From now on the text is read and counted as UTF-8.
 * `coded` is lent until stream_close. */
void stream_is_coded(struct stream *st, struct stream_coded *coded, enum recode_from from);

/* Reads up to cap bytes of text, cap >= 8. With `wait` it waits some time for a pipe, or until it
 * is woken, and then returns STREAM_IDLE. For a compressed pipe it always waits. */
enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n);

/* Returns the byte of the input that corresponds to `offset` of the text. Ask soon after reading
 * it. The answer for an offset never changes. In compressed data it is estimated from the marks
 * before. */
uint64_t stream_at(const struct stream *st, uint64_t offset);

/* Returns, at the end, the coding that the name of an empty file promises, or NULL. */
const char *stream_lacks_header(const struct stream *st);

void stream_close(struct stream *st);

#endif
