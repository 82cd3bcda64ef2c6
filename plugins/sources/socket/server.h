/* server.h -- a socket, its connections, and who has sent something.
 *
 * One thread; nothing blocks but server_fill, in epoll_wait. A connection with something to read,
 * or with records that did not fit the last batch, is in `queue`, once:
 *
 *   epoll -> queue -> receive once, take its records -> out of it, until epoll names it again
 *                     the batch is full -> it remains first, and nothing more is read
 *
 * So each gets one buffer's worth in its turn, however fast others are, and a sender of TCP has to
 * wait when leat does: its text stays in the system's buffers, which are full then. Datagrams have
 * nobody who waits: the system drops those that its buffer has no space for, and counts them.
 *
 * Memory: a buffer for each connection, from open on. */
#ifndef LEAT_SOURCES_SOCKET_SERVER_H
#define LEAT_SOURCES_SOCKET_SERVER_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "address.h"
#include "incoming.h"

struct connection {
    int fd; /* -1: free */
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
    int listener, events, spare; /* spare: to refuse with when no more files may be open */
    int wake_fd;                 /* wake_fd.h */
    char name[ADDRESS_TEXT + 32];
    struct senders senders;
    struct connection *connection; /* `places` of them; of UDP one */
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

/* Makes a waiting server_fill return soon. Any thread, between open and close. */
void server_wake(struct server *s);

/* Records of all that has come; waits up to a tenth of a second for the first. `last`: delivers
 * what is there as it is, whole or not, as far as the batch has space. */
int server_fill(struct leat_ctx *ctx, struct server *s, struct leat_batch *b, bool last);

/* Datagrams that the system has dropped until now, as far as it says. */
void server_count_dropped(struct leat_ctx *ctx, struct server *s);

#endif
