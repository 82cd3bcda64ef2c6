/* server.h -- a socket, its connections, and the queue of connections with data to read.
 *
 * The server uses one thread. It blocks only in the epoll_wait of server_fill(). A connection with
 * data to read, or with records that did not fit into the last batch, is in `queue` once:
 *
 *   epoll -> queue -> receive once, deliver its records -> leaves the queue until epoll reports it
 *                     the batch is full -> stays first, and the server reads no more from it
 *
 * So each connection is read in turn, one buffer at a time, however fast the others send. If leat
 * is slow, a TCP sender waits, because the buffers of the system are full. A UDP sender does not
 * wait: the system drops datagrams that exceed its buffer, and counts them.
 *
 * Memory: one buffer for each connection, allocated in open. */
#ifndef LEAT_SOURCES_SOCKET_SERVER_H
#define LEAT_SOURCES_SOCKET_SERVER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "common/inputs/address.h"
#include "incoming.h"

struct connection {
    int fd; /* -1 if the entry is free */
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
    /* spare: a reserve descriptor. If the process may open no more files, it is closed to accept
     * and refuse a connection. */
    int listener, events, spare;
    int wake_fd; /* ends a wait (wake_fd.h) */
    char name[ADDRESS_TEXT + 32];
    struct senders senders;
    struct connection *connection; /* `places` entries; one for UDP */
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

/* Begins to listen. Returns LEAT_OK, or a failure reported to the host. */
int server_open(struct leat_ctx *ctx, struct server *s, const struct server_options *o);
void server_close(struct leat_ctx *ctx, struct server *s);

/* Makes a waiting server_fill() return soon. Any thread may call this while the server is open. */
void server_wake(struct server *s);

/* Delivers the records that have arrived. Waits up to a tenth of a second for the first record.
 * With `last`, ends all connections and delivers unfinished records as well, as far as the batch
 * has space. */
int server_fill(struct leat_ctx *ctx, struct server *s, struct leat_batch *b, bool last);

/* Reports the number of datagrams that the system has dropped, if the system counts them. */
void server_count_dropped(struct leat_ctx *ctx, struct server *s);

#endif
