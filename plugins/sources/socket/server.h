/* server.h -- a socket, its connections, and the queue of those with something to read.
 *
 * The server has one thread. It blocks only in server_fill's epoll_wait. A connection with
 * something to read, or with records that did not fit the last batch, is in `queue` once:
 *
 *   epoll -> queue -> receive once, take its records -> out of it, until epoll names it again
 *                     the batch is full -> it stays first, and the server reads no more of it
 *
 * So each connection gets one buffer a turn, however fast the others are. A TCP sender waits when
 * leat waits: its text fills the system's buffers. A UDP sender does not wait: the system drops
 * datagrams that exceed its buffer, and counts them.
 *
 * Memory: one buffer a connection, allocated in open. */
#ifndef LEAT_SOURCES_SOCKET_SERVER_H
#define LEAT_SOURCES_SOCKET_SERVER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "address.h"
#include "incoming.h"

struct connection {
    int fd; /* -1 if free */
    bool queued;
    struct incoming in;
};

struct server_options {
    struct address address;
    enum frames frames;
    int64_t max_record, max_connections;
};

struct server {
    struct server_options o;
    /* spare: reserve descriptor, closed to refuse a connection when no more files may be open. */
    int listener, events, spare;
    int wake_fd; /* wake_fd.h */
    char name[ADDRESS_TEXT + 32];
    struct senders senders;
    struct connection *connection; /* `places` of them; one for UDP */
    char *buffers;
    uint32_t *free, n_free, places;
    uint32_t *queue, queue_first, n_queue;
    uint64_t bytes, accepted, refused, dropped, undelivered;
    bool told_refused, told_dropped, told_files;
    uint64_t last_sender[2];
    uint32_t last_input;
};

uint64_t server_bytes(const struct server_options *o);
uint64_t server_names_bytes(const struct server_options *o);

/* Listens. Returns LEAT_OK, or a failure reported to the host. */
int server_open(struct leat_ctx *ctx, struct server *s, const struct server_options *o);
void server_close(struct leat_ctx *ctx, struct server *s);

/* Makes a waiting server_fill return soon. Any thread may call it between open and close. */
void server_wake(struct server *s);

/* Delivers the records that have arrived. Waits up to a tenth of a second for the first. With
 * `last` it also delivers unfinished records, as far as the batch has space. */
int server_fill(struct leat_ctx *ctx, struct server *s, struct leat_batch *b, bool last);

/* Reports the number of datagrams that the system has dropped, if the system counts them. */
void server_count_dropped(struct leat_ctx *ctx, struct server *s);

#endif
