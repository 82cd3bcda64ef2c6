/* incoming.h -- senders, and the bytes received from each connection, which become records.
 *
 *   buffer   |------- delivered -------|--- [from, end): received ---|--- free ---|
 *
 * Whole records are copied from the buffer into the batch. A record longer than max_record is
 * skipped as it arrives; only its first bytes and its length are stored. Records of a sender are
 * numbered from 0.
 *
 * Invariants: from <= end <= capacity; max_record + INCOMING_HEAD <= capacity, so there is always
 * space to receive more of an incomplete record. */
#ifndef LEAT_SOURCES_SOCKET_INCOMING_H
#define LEAT_SOURCES_SOCKET_INCOMING_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "core/text/framing.h"
#include "kernels/text/counted.h"

enum { SENDERS_REST = 1024, SENDERS_SPARE = 4096, SENDERS_NAME = 160 };

struct sender {
    uint64_t address[2]; /* address of a UDP sender: IPv6, or IPv4 in IPv6 */
    uint64_t records;    /* records so far, and the number of the next record */
    uint64_t batch;      /* last batch with a record of the sender */
    bool used, open;
};

struct senders {
    struct sender *v;
    uint32_t n, used, last;
    uint64_t batches; /* number of batches with records so far */
};

/* Returns the bytes that `max` senders at a time need. */
uint64_t senders_bytes(int64_t max);
int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all);
void senders_fini(struct leat_ctx *ctx, struct senders *s);

/* Gives a connection with this name a number, which senders_release() frees. If no number is free,
 * sets *input to 0, the number for all other senders. Returns an error of the host. */
int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input);
void senders_release(struct senders *s, uint32_t input);

/* Finds the number of a UDP address that has sent before. Returns false if the address is
 * unknown. */
bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input);

enum { INCOMING_HEAD = 16, INCOMING_KEPT = 256 };

enum frames { FRAMES_LINES, FRAMES_LENGTH, FRAMES_OCTETS, FRAMES_DATAGRAM };

/* Where the next record is in the received bytes. */
struct piece {
    enum piece_is {
        PIECE_RECORD,
        PIECE_QUOTE, /* a record with a quote that is never closed */
        PIECE_LONG,  /* longer than max_record */
        PIECE_WRONG, /* begins without its length, so later records cannot be found */
        PIECE_CUT,   /* the connection ended inside the record */
        PIECE_MORE
    } is;
    size_t head, len, used; /* record is text[head .. head + len); next record begins at `used` */
    uint64_t whole;         /* LONG, CUT: declared length of the record; 0 if unknown */
};

/* A record that is too long. Its bytes are skipped until its end arrives. */
struct incoming_long {
    enum { LONG_NONE, LONG_SKIPPING, LONG_FOUND } state;
    bool counted;
    uint64_t left; /* if counted: bytes of the record that have not arrived */
    uint64_t len;
    uint32_t n; /* bytes in `kept` */
    char last, kept[INCOMING_KEPT];
};

struct incoming {
    char *buffer;
    size_t capacity, from, end;
    enum frames frames;
    size_t max_record;
    struct framing framing; /* for FRAMES_LINES */
    struct piece held;      /* piece that did not fit into the last batch, if is_held */
    bool is_held;
    bool whole_due; /* DATAGRAM: the datagram is not delivered yet, even if it is empty */
    bool ended;     /* no more bytes will come, so the rest of the buffer is a record */
    bool broken;    /* after PIECE_WRONG: no more records can be found */
    uint32_t input;
    uint64_t *number; /* number of the next record, in struct sender */
    uint64_t bytes;   /* bytes delivered or rejected */
    struct incoming_long too_long;
};

/* Begins a connection. `lines` is the framing that the next parser uses for lines. */
void incoming_init(struct incoming *in, enum frames frames, size_t max_record,
                   const struct leat_framing *lines);

/* Returns how many bytes can be received, and sets *to to the place for them. */
size_t incoming_space(struct incoming *in, char **to);

/* Delivers all whole records. Returns false if the batch is full and more records may follow. */
bool incoming_take(struct leat_ctx *ctx, struct incoming *in, struct leat_batch *b);

#endif
