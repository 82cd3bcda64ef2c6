/* stream.h -- the text of one input, decompressed on the way if it is compressed. */
#ifndef LEAT_COMMON_INPUTS_STREAM_H
#define LEAT_COMMON_INPUTS_STREAM_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "decoder.h"
#include "inputs.h"
#include "kernels/text/encoding.h"

enum stream_status {
    STREAM_TEXT,    /* some bytes are there                                   */
    STREAM_END,     /* there are no more                                      */
    STREAM_IDLE,    /* a pipe that has nothing now                            */
    STREAM_STOPPED, /* the run is being stopped                               */
    STREAM_FAILED   /* `why` says what happened; what came before stays valid */
};

enum { STREAM_RAW_BYTES = 64 << 10, STREAM_MARKS = 2048, STREAM_CODED_BYTES = 16 << 10 };

/* A place: how much text had come out of how many bytes. */
struct stream_mark {
    uint64_t text, raw;
    bool whole; /* the text since the mark before came in one block */
};

struct stream {
    struct leat_ctx *ctx; /* of the call being served                            */
    const struct input *input;
    int fd;
    int wake_fd;      /* the caller's, after stream_open: ends a wait (wake_fd.h); -1: none   */
    bool waits;       /* a pipe or terminal: reading may block                       */
    bool idle_warned; /* that nothing comes                                       */
    uint64_t opened_ns;
    bool known;     /* its first bytes say what it is                              */
    bool raw_ended; /* the input's own end was seen                                */
    uint64_t bytes; /* of a file, when it was opened                               */
    bool may_pass;  /* it failed as its end is missing, or in read(2): later it may not     */
    unsigned char magic[DECODER_MAGIC]; /* the first bytes; magic_used of n_magic were used */
    size_t n_magic, magic_used;
    struct decoder decoder;                /* without a coding: plain text                */
    enum stream_status after;              /* of the block, when it is the last           */
    char *raw;                             /* STREAM_RAW_BYTES of compressed data         */
    size_t block_at, n_block;              /* what of its block was not handed out        */
    bool block_whole;                      /* false: it is being filled from 0            */
    size_t raw_piece;                      /* compressed bytes to read at a time             */
    uint64_t text;                         /* bytes of text handed out                       */
    uint64_t raw_read;                     /* bytes read                                     */
    struct stream_mark mark[STREAM_MARKS]; /* the last ones, number k at k % STREAM_MARKS */
    uint64_t n_marks;
    struct stream_coded *coded; /* NULL: the text is UTF-8                               */
    char why[512];
};

/* Text in another encoding than UTF-8 (recode.h), on its way out of a stream. */
struct stream_coded {
    struct recode recode;
    char text[STREAM_CODED_BYTES];         /* as the input has it                              */
    size_t at, n;                          /* what was not converted yet                       */
    enum stream_status after;              /* of `text`: when it is the last                   */
    uint64_t utf8, given;                  /* bytes handed out; and of the input's own text    */
    struct stream_mark mark[STREAM_MARKS]; /* utf8, and given at the same place                */
    uint64_t n_marks;
};

/* Opens `input`, and reads nothing yet. `raw` has STREAM_RAW_BYTES. On STREAM_FAILED `why` is set
 * and there is nothing to close. */
enum stream_status stream_open(struct stream *st, const struct input *input, char *raw);

/* Sets the encoding, right after stream_open. From now on the text is read and counted as UTF-8.
 * `coded` is lent until stream_close. */
void stream_is_coded(struct stream *st, struct stream_coded *coded, enum recode_from from);

/* Reads up to cap bytes of text, cap >= 8. With `wait` it waits some time for a pipe, or until it
 * is woken, then returns STREAM_IDLE; without, it does not wait. For a compressed pipe it always
 * waits. */
enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n);

/* Returns the byte of the input that corresponds to `offset` of the text. Ask soon after reading
 * it; the answer for an offset never changes. For compressed data it is estimated from the marks
 * before. */
uint64_t stream_at(const struct stream *st, uint64_t offset);

/* At the end: the coding that the name of a file without any byte says; NULL: none, or there were
 * bytes. */
const char *stream_lacks_header(const struct stream *st);

void stream_close(struct stream *st);

#endif
