/* stream.h -- the text of one input, decompressed on the way if it is compressed. */
#ifndef LEAT_SUPPORT_STREAM_H
#define LEAT_SUPPORT_STREAM_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "inputs.h"

struct archive;

enum stream_status {
    STREAM_TEXT,    /* some bytes are there                                   */
    STREAM_END,     /* and that was all                                       */
    STREAM_IDLE,    /* a pipe with nothing in it at the moment                */
    STREAM_STOPPED, /* the run is being stopped                               */
    STREAM_FAILED   /* `why` says what happened; what came before stays valid */
};

enum { STREAM_MAGIC_BYTES = 6, STREAM_RAW_BYTES = 64 << 10, STREAM_MARKS = 2048 };

/* So much text had come out of so many bytes. */
struct stream_mark {
    uint64_t text, raw;
    bool whole; /* all of it since the mark before came at once */
};

struct stream {
    struct leat_ctx *ctx; /* of the call being served                            */
    const struct input *input;
    int fd;
    bool waits;                    /* a pipe or terminal: reading may block                       */
    bool known;                    /* its first bytes have told what it is                        */
    bool raw_ended;                /* the input's own end was seen                                */
    int error;                     /* errno of the read that failed                               */
    enum stream_status raw_status; /* of the last read: why libarchive got nothing */
    unsigned char magic[STREAM_MAGIC_BYTES]; /* the first bytes, looked at, not yet handed on */
    size_t n_magic, magic_used;
    const char *coding;      /* "gzip"; NULL: plain text                       */
    struct archive *archive; /* NULL: plain text                               */
    char *raw;               /* STREAM_RAW_BYTES of compressed data            */
    const char *block;       /* decompressed, not yet handed out               */
    size_t n_block;
    size_t raw_piece;                      /* compressed bytes to read at a time             */
    uint64_t text;                         /* bytes of text handed out                       */
    uint64_t raw_read;                     /* bytes read                                     */
    struct stream_mark mark[STREAM_MARKS]; /* the last ones, number k at k % STREAM_MARKS */
    uint64_t n_marks;
    char why[512];
};

/* Begin to read `input`. `raw` is STREAM_RAW_BYTES of room. Reads nothing yet. On STREAM_FAILED
 * `why` is set and there is nothing to close. */
enum stream_status stream_open(struct stream *st, const struct input *input, char *raw);

/* Up to cap bytes of text. With `wait`, a pipe is waited for a while (STREAM_IDLE then means that
 * it took long); without, it is not waited for at all. Compressed pipes are always waited for. */
enum stream_status stream_read(struct leat_ctx *ctx, struct stream *st, char *text, size_t cap,
                               bool wait, size_t *n);

/* At which byte of the input its text is at `offset`, not long after it was read: the same whenever
 * and however often that is asked. Compressed: from the marks before it. */
uint64_t stream_at(const struct stream *st, uint64_t offset);

void stream_close(struct stream *st);

#endif
