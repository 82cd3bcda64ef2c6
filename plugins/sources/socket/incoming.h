/* incoming.h -- what has come from one connection, or one datagram, and is no record yet.
 *
 *   buffer   |------- delivered -------|--- [from, end): received ---|--- free ---|
 *
 * A record is copied from here into the batch. One that is longer than max_record is skipped as it
 * comes: its first bytes and its length are all that is kept. Records are numbered from 0.
 *
 * Invariants: from <= end <= capacity; max_record + INCOMING_HEAD <= capacity, so that a record
 * that is not whole always leaves space to receive more of it. */
#ifndef LEAT_SOURCES_SOCKET_INCOMING_H
#define LEAT_SOURCES_SOCKET_INCOMING_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "kernels/text/counted.h"
#include "core/text/framing.h"

enum { INCOMING_HEAD = 16, INCOMING_KEPT = 256 };

enum frames { FRAMES_LINES, FRAMES_LENGTH, FRAMES_OCTETS, FRAMES_DATAGRAM };

/* Where the next record lies, and what it is. */
struct piece {
    enum piece_is {
        PIECE_RECORD,
        PIECE_QUOTE, /* opens a quote that is never closed                   */
        PIECE_LONG,  /* longer than max_record                               */
        PIECE_WRONG, /* begins without its length: nothing can be found more */
        PIECE_CUT,   /* the connection ended inside it                       */
        PIECE_MORE
    } is;
    size_t head, len, used; /* text[head .. head + len); the next one is at `used` */
    uint64_t whole;         /* LONG, CUT: the length that it says it has; 0: unknown */
};

/* A record that is too long, until its end has come. */
struct incoming_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    bool counted;
    uint64_t left; /* bytes that belong to it, if it is counted */
    uint64_t len;
    uint32_t n; /* bytes in kept */
    char last, kept[INCOMING_KEPT];
};

struct incoming {
    char *buffer;
    size_t capacity, from, end;
    enum frames frames;
    size_t max_record;
    struct framing framing; /* LINES */
    struct piece held;      /* found, but the batch was full */
    bool is_held;
    bool whole_due; /* DATAGRAM: it was not delivered yet, though it may be empty    */
    bool ended;     /* no more will come: the rest is a record                       */
    bool broken;    /* PIECE_WRONG: what comes cannot be cut                         */
    uint32_t input;
    uint64_t *number; /* of the next record                                            */
    uint64_t bytes;   /* delivered, with what was rejected                             */
    struct incoming_long too_long;
};

/* Begins a connection. `lines`: how the next parser wants lines cut. */
void incoming_init(struct incoming *in, enum frames frames, size_t max_record,
                   const struct leat_framing *lines);

/* Space for more, at the end of what is there. */
size_t incoming_space(struct incoming *in, char **to);

/* Delivers all whole records. false: the batch is full, and there may be more. */
bool incoming_take(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b);

#endif
