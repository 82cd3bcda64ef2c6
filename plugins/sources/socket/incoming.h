/* incoming.h -- senders, and received bytes of a connection or datagram that are not yet records.
 *
 *   buffer   |------- delivered -------|--- [from, end): received ---|--- free ---|
 *
 * Records are copied from the buffer into the batch. A record longer than max_record is skipped as
 * it arrives; only its first bytes and its length are stored. Records are numbered from 0.
 *
 * Invariants: from <= end <= capacity; max_record + INCOMING_HEAD <= capacity, so an incomplete
 * record always leaves space to receive more of it. */
#ifndef LEAT_SOURCES_SOCKET_INCOMING_H
#define LEAT_SOURCES_SOCKET_INCOMING_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "core/text/framing.h"
#include "kernels/text/counted.h"

enum { SENDERS_REST = 1024, SENDERS_SPARE = 4096, SENDERS_NAME = 160 };

struct sender {
    uint64_t address[2]; /* UDP address: IPv6, or IPv4 in IPv6 */
    uint64_t records;    /* its records; number of the next one */
    uint64_t batch;      /* last batch with a record of it */
    bool used, open;
};

struct senders {
    struct sender *v;
    uint32_t n, used, last;
    uint64_t batches; /* batches with records */
};

/* Returns the memory for `max` senders at a time. */
uint64_t senders_bytes(int64_t max);
int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all);
void senders_fini(struct leat_ctx *ctx, struct senders *s);

/* Takes a number for a connection of this name; the caller releases it. Returns an error of the
 * host. */
int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input);
void senders_release(struct senders *s, uint32_t input);

/* Finds the number of an address that has sent before. Returns false if it is unknown. */
bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input);

enum { INCOMING_HEAD = 16, INCOMING_KEPT = 256 };

enum frames { FRAMES_LINES, FRAMES_LENGTH, FRAMES_OCTETS, FRAMES_DATAGRAM };

/* Place of the next record. */
struct piece {
    enum piece_is {
        PIECE_RECORD,
        PIECE_QUOTE, /* opens a quote that is never closed */
        PIECE_LONG,  /* longer than max_record */
        PIECE_WRONG, /* begins without its length, so no later record can be found */
        PIECE_CUT,   /* the connection ended inside it */
        PIECE_MORE
    } is;
    size_t head, len, used; /* text[head .. head + len); the next record is at `used` */
    uint64_t whole;         /* LONG, CUT: the length that the record declares; 0 if unknown */
};

/* A record that is too long, until its end arrives. */
struct incoming_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    bool counted;
    uint64_t left; /* bytes of the record still to come, if it is counted */
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
    struct piece held;      /* found, but did not fit into the batch */
    bool is_held;
    bool whole_due; /* DATAGRAM: not yet delivered, even if empty */
    bool ended;     /* no more bytes will come: the rest is a record */
    bool broken;    /* PIECE_WRONG: the bytes cannot be cut into records */
    uint32_t input;
    uint64_t *number; /* number of the next record */
    uint64_t bytes;   /* bytes delivered or rejected */
    struct incoming_long too_long;
};

/* Begins a connection. `lines` is the next parser's framing of lines. */
void incoming_init(struct incoming *in, enum frames frames, size_t max_record,
                   const struct leat_framing *lines);

/* Returns the space for more bytes; *to points to it. */
size_t incoming_space(struct incoming *in, char **to);

/* Delivers all whole records. Returns false if the batch is full and more may follow. */
bool incoming_take(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b);

#endif
