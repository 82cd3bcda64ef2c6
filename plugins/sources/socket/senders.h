/* senders.h -- the numbers and names of those who send.
 *
 * Names are for messages, and a message about a record may come long after it. So a number gets
 * another name only once SENDERS_REST batches came after its last record: more than are ever under
 * way. When none is free, number 0 is taken, whose name is that of the socket itself. */
#ifndef LEAT_SOURCES_SOCKET_SENDERS_H
#define LEAT_SOURCES_SOCKET_SENDERS_H

#include <stdbool.h>

#include <leat/plugin.h>

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

/* For so many at a time. */
uint64_t senders_bytes(int64_t max);
int senders_init(struct leat_ctx *ctx, struct senders *s, int64_t max, const char *all);
void senders_fini(struct leat_ctx *ctx, struct senders *s);

/* A number for a connection with this name, until it is released; or an error of the host. */
int senders_take(struct leat_ctx *ctx, struct senders *s, const char *name, uint32_t *input);
void senders_release(struct senders *s, uint32_t input);

/* The number of an address that has been heard of before. false: it is unknown. */
bool senders_find(struct senders *s, const uint64_t address[2], uint32_t *input);

#endif
