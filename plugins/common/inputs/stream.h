/* stream.h -- reads the text of an input: decompresses it, and converts it to UTF-8. */
#ifndef LEAT_COMMON_INPUTS_STREAM_H
#define LEAT_COMMON_INPUTS_STREAM_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "binary.h"
#include "decoder.h"
#include "inputs.h"
#include "kernels/text/encoding.h"

enum stream_status {
    STREAM_TEXT,    /* text was read */
    STREAM_END,     /* the input has ended */
    STREAM_IDLE,    /* a pipe has no data now */
    STREAM_STOPPED, /* the run is being stopped */
    STREAM_FAILED   /* failed, see `why`; the text read before is valid */
};

enum { STREAM_RAW_BYTES = 64 << 10, STREAM_MARKS = 2048, STREAM_CODED_BYTES = 16 << 10 };

/* Pair of positions: `text` bytes of text were decoded from `raw` bytes of the input. */
struct stream_mark {
    uint64_t text, raw;
    bool whole; /* the text since the previous mark is one block */
};

struct stream {
    struct leat_ctx *ctx; /* context of the present call */
    const struct input *input;
    int fd;
    int wake_fd;      /* the caller's, to end a wait (wake_fd.h); -1 if unused */
    bool waits;       /* pipe or terminal: reading may block */
    bool idle_warned; /* the log has said that no data arrive */
    uint64_t opened_ns;
    bool known;     /* the first bytes have shown the coding */
    bool raw_ended; /* the raw input has ended */
    uint64_t bytes; /* size of the file when it was opened */
    bool may_pass;  /* the failure may be temporary: an error of read(2), or an early end */
    unsigned char magic[DECODER_MAGIC]; /* the first n_magic bytes; magic_used of them are used */
    size_t n_magic, magic_used;
    bool skipped;             /* the data begin with a skippable frame */
    uint64_t skip;            /* bytes of a skippable frame that come next */
    struct decoder decoder;   /* its coding is NULL for plain text */
    enum stream_status after; /* status after the block if it is the last one */
    char *raw;                /* buffer of STREAM_RAW_BYTES for compressed data */
    size_t block_at, n_block; /* rest of the block, not returned yet */
    bool block_whole;         /* the block is complete; false while it is being filled */
    size_t raw_piece;         /* compressed bytes to read with one call of read(2) */
    uint64_t text;            /* bytes of text returned */
    uint64_t raw_read;        /* bytes of the input read */
    struct stream_mark mark[STREAM_MARKS]; /* latest marks: mark k is at k % STREAM_MARKS */
    uint64_t n_marks;
    struct stream_coded *coded;        /* NULL if the text is UTF-8 */
    unsigned char first[BINARY_BYTES]; /* the first n_first bytes of the text, not converted */
    size_t n_first;
    bool may_be_binary; /* data that are known as no text (binary.h) are read, not refused */
    char why[512 + BINARY_MESSAGE];
};

/* State of the conversion from another encoding to UTF-8 (recode.h). */
struct stream_coded {
    struct recode recode;
    char text[STREAM_CODED_BYTES]; /* text in the encoding of the input */
    size_t at, n;                  /* part of `text` that is not converted yet */
    enum stream_status after;      /* status after `text` if it is the last one */
    uint64_t utf8, given;          /* bytes of UTF-8 returned; bytes of original text converted */
    struct stream_mark mark[STREAM_MARKS]; /* pairs (utf8, given), in `text` and `raw` */
    uint64_t n_marks;
};

/* Opens `input` without reading. `raw` is a buffer of STREAM_RAW_BYTES. Returns STREAM_FAILED with
 * the reason in `why`; then there is nothing to close. */
enum stream_status stream_open(struct stream *st, const struct input *input, char *raw);

/* Sets the encoding, right after stream_open(). Text is then returned and counted as UTF-8. The
 * caller keeps `coded` until stream_close(). */
void stream_is_coded(struct stream *st, struct stream_coded *coded, enum recode_from from);

/* Reads up to cap bytes of text, cap >= 8. If a pipe has no data, waits for some time if `wait`,
 * and then returns STREAM_IDLE. A wake (wake_fd) ends the wait. A read of a compressed pipe always
 * waits. */
enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n);

/* Returns the byte of the input that corresponds to byte `offset` of the text. Call this soon after
 * that text is read. The result for an offset is always the same. In compressed data it is
 * estimated from earlier marks. */
uint64_t stream_at(const struct stream *st, uint64_t offset);

/* Returns the coding that the name of a file promises (".gz") although the file is empty; else
 * NULL. Call this at the end. */
const char *stream_lacks_header(const struct stream *st);

void stream_close(struct stream *st);

#endif
