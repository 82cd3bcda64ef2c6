/* incoming.h -- bytes of one connection, or one datagram, that are not yet records; and senders.
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

#include "core/text/framing.h"
#include "kernels/text/counted.h"

enum { SENDERS_REST = 1024, SENDERS_SPARE = 4096, SENDERS_NAME = 160 };

struct sender {
    uint64_t address[2]; /* of UDP: IPv6, or IPv4 in it   */
    uint64_t records;    /* of it; the number of the next */
    uint64_t batch;      /* the last that it was in       */
    bool used, open;
};

struct senders {
    struct sender *v;
    uint32_t n, used, last;
    uint64_t batches; /* that had records */
};

/* Returns the memory for so many at a time. */
uint64_t senders_bytes(int64_t max);
int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all);
void senders_fini(struct leat_ctx *ctx, struct senders *s);

/* Takes a number for a connection with this name, until it is released. Returns an error of the
 * host. */
int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input);
void senders_release(struct senders *s, uint32_t input);

/* Finds the number of an address that has sent before. Returns false if it is unknown. */
bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input);

enum { INCOMING_HEAD = 16, INCOMING_KEPT = 256 };

enum frames { FRAMES_LINES, FRAMES_LENGTH, FRAMES_OCTETS, FRAMES_DATAGRAM };

/* The next record, and where it lies. */
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

/* Returns the space for more bytes, at *to. */
size_t incoming_space(struct incoming *in, char **to);

/* Delivers all whole records. Returns false if the batch is full, and there may be more. */
bool incoming_take(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b);

#endif
