/* server.c -- implementation of server.h. */
#include "server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "common/inputs/wake_fd.h"

enum {
    WAIT_MS = 100,
    EVENTS = 128,
    DATAGRAMS = 1024,
    DATAGRAM_BYTES = 65536,
    LEAST_BUFFER = 16384
};
static const uint64_t GATHER_NS = 5000000, LAST_NS = 100000000;
static const uint32_t LISTENER = UINT32_MAX, STOP = UINT32_MAX - 1, WAKE = UINT32_MAX - 2;

static bool is_udp(const struct server *s) { return s->o.address.kind == ADDRESS_UDP; }

/* ---- connections ---- */

static void enqueue(struct server *s, uint32_t place)
{
    assert(!s->connection[place].queued && s->n_queue < s->places);
    s->queue[(s->queue_first + s->n_queue++) % s->places] = place;
    s->connection[place].queued = true;
}

static void dequeue(struct server *s)
{
    s->connection[s->queue[s->queue_first]].queued = false;
    s->queue_first = (s->queue_first + 1) % s->places;
    s->n_queue--;
}

static void write_sender(const struct server *s, int fd, const struct sockaddr_storage *from,
                         char name[ADDRESS_TEXT])
{
    struct ucred who;
    socklen_t n = sizeof who;
    if (s->o.address.kind != ADDRESS_UNIX)
        address_of_sender(from, true, name);
    else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n))
        snprintf(name, ADDRESS_TEXT, "%s", s->o.address.path);
    else
        snprintf(name, ADDRESS_TEXT, "%s (process %ld)", s->o.address.path, (long)who.pid);
}

/* Detects peers that vanish without closing the connection, to free their entries. */
static void keep_alive(const struct server *s, int fd)
{
    int on = 1, idle = 60, every = 10, times = 6;
    if (s->o.address.kind != ADDRESS_TCP) return;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

static void socket_refuse(struct leat_ctx *ctx, struct server *s, int fd,
                          const struct sockaddr_storage *from)
{
    char name[ADDRESS_TEXT];
    write_sender(s, fd, from, name);
    close(fd);
    s->refused++;
    if (!s->told_refused)
        ctx->host->log(
            ctx, LEAT_WARN,
            "%u connections are open, and max_connections allows no more: the connection of %s and "
            "later ones are refused until others end. Raise max_connections",
            s->places, name);
    s->told_refused = true;
}

static int watch(const struct server *s, int fd, uint32_t place)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = place};
    return epoll_ctl(s->events, EPOLL_CTL_ADD, fd, &e);
}

static int welcome(struct leat_ctx *ctx, struct server *s, int fd,
                   const struct sockaddr_storage *from)
{
    char name[ADDRESS_TEXT];
    uint32_t place = s->n_free ? s->free[s->n_free - 1] : s->places;
    if (place == s->places || watch(s, fd, place)) {
        socket_refuse(ctx, s, fd, from);
        return LEAT_OK;
    }
    struct connection *c = &s->connection[place];
    s->n_free--;
    s->accepted++;
    c->fd = fd;
    keep_alive(s, fd);
    incoming_init(&c->in, s->o.frames, (size_t)s->o.max_record, &ctx->framing);
    write_sender(s, fd, from, name);
    int status = senders_take(ctx, &s->senders, name, &c->in.input);
    c->in.number = &s->senders.v[c->in.input].records;
    return status;
}

static void end_connection(struct server *s, struct connection *c)
{
    close(c->fd);
    c->fd = -1;
    senders_release(&s->senders, c->in.input);
    s->free[s->n_free++] = (uint32_t)(c - s->connection);
}

/* Accepts a connection and closes it, because the process may open no more files. Closing `spare`
 * frees a descriptor for this. */
static void refuse_for_files(struct leat_ctx *ctx, struct server *s)
{
    if (!s->told_files)
        ctx->host->log(ctx, LEAT_WARN,
                       "new connections are refused, because this process may open no more files: "
                       "raise the limit (ulimit -n), or lower max_connections");
    s->told_files = true;
    if (s->spare >= 0) close(s->spare);
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) close(fd), s->refused++;
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int accept_all(struct leat_ctx *ctx, struct server *s)
{
    for (int i = 0, status = LEAT_OK; i < EVENTS && status == LEAT_OK; i++) {
        struct sockaddr_storage from = {0};
        socklen_t n = sizeof from;
        int fd = accept4(s->listener, (struct sockaddr *)&from, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE)) refuse_for_files(ctx, s);
        if (fd < 0 && errno != ECONNABORTED) return LEAT_OK;
        if (fd >= 0) status = welcome(ctx, s, fd, &from);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

/* ---- text ---- */

static bool take_pieces(struct leat_ctx *ctx, struct server *s, struct incoming *in,
                        struct leat_batch *b)
{
    uint64_t before = in->bytes;
    bool all = incoming_take(ctx, in, b);
    s->bytes += in->bytes - before;
    return all;
}

static void receive(struct connection *c)
{
    char *to;
    size_t space = incoming_space(&c->in, &to);
    ssize_t n = recv(c->fd, to, space, MSG_DONTWAIT);
    if (n > 0)
        c->in.end += (size_t)n;
    else if (!n || (errno != EAGAIN && errno != EINTR))
        c->in.ended = true; /* closed or reset: deliver the bytes received before */
}

/* Delivers the records of a connection, and receives once. Returns false if the batch is full. */
static bool serve(struct leat_ctx *ctx, struct server *s, struct connection *c,
                  struct leat_batch *b)
{
    if (!take_pieces(ctx, s, &c->in, b)) return false;
    if (!c->in.ended && !c->in.broken) receive(c);
    if (!take_pieces(ctx, s, &c->in, b)) return false;
    if (c->in.ended || c->in.broken) end_connection(s, c);
    return true;
}

/* ---- datagrams ---- */

static int name_sender(struct leat_ctx *ctx, struct server *s, struct incoming *in,
                       const struct sockaddr_storage *from)
{
    char name[ADDRESS_TEXT];
    uint64_t address[2] = {0};
    int status = LEAT_OK;
    if (from->ss_family == AF_INET6)
        memcpy(address, &((const struct sockaddr_in6 *)from)->sin6_addr, sizeof address);
    else
        memcpy(address, &((const struct sockaddr_in *)from)->sin_addr, sizeof(struct in_addr));
    bool same = s->last_input && address[0] == s->last_sender[0] && address[1] == s->last_sender[1];
    if (!same && !senders_find(&s->senders, address, &s->last_input)) {
        address_of_sender(from, false, name);
        status = senders_take(ctx, &s->senders, name, &s->last_input);
        if (s->last_input) memcpy(s->senders.v[s->last_input].address, address, sizeof address);
    }
    senders_release(&s->senders, s->last_input); /* frees the number after a long silence */
    memcpy(s->last_sender, address, sizeof address);
    in->input = s->last_input;
    in->number = &s->senders.v[in->input].records;
    return status;
}

/* Receives a datagram. Returns LEAT_AGAIN if there is none. */
static int receive_datagram(struct leat_ctx *ctx, struct server *s, struct connection *c)
{
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof from;
    struct incoming *in = &c->in;
    ssize_t n =
        recvfrom(c->fd, in->buffer, in->capacity, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    if (n < 0) return LEAT_AGAIN;
    in->from = 0;
    in->end = (size_t)n;
    in->ended = in->whole_due = true;
    framing_reset(&in->framing);
    s->accepted++;
    return name_sender(ctx, s, in, &from);
}

/* Delivers datagrams. Returns LEAT_OK; LEAT_EFULL if the batch is full; or a failure reported to
 * the host. */
static int serve_datagrams(struct leat_ctx *ctx, struct server *s, struct leat_batch *b)
{
    struct connection *c = &s->connection[0];
    int status = LEAT_OK;
    for (int i = 0; i < DATAGRAMS && status == LEAT_OK; i++) {
        if (!take_pieces(ctx, s, &c->in, b)) return LEAT_EFULL;
        status = receive_datagram(ctx, s, c);
    }
    if (status == LEAT_OK && !take_pieces(ctx, s, &c->in, b)) return LEAT_EFULL;
    return status == LEAT_AGAIN ? LEAT_OK : status;
}

void server_count_dropped(struct leat_ctx *ctx, struct server *s)
{
    uint32_t now[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof now;
    if (!is_udp(s) || getsockopt(s->listener, SOL_SOCKET, SO_MEMINFO, now, &n)) return;
    s->dropped += (uint32_t)(now[SK_MEMINFO_DROPS] - (uint32_t)s->dropped);
    ctx->host->metric(ctx, "dropped", (double)s->dropped);
    if (s->dropped && !s->told_dropped)
        ctx->host->log(
            ctx, LEAT_WARN,
            "the system has dropped %llu datagrams, which came faster than leat reads them: raise "
            "net.core.rmem_max (leat asks for a buffer of 4 MiB), or send by TCP",
            (unsigned long long)s->dropped);
    s->told_dropped = s->dropped > 0;
}

/* ---- batches ---- */

void server_wake(struct server *s) { wake_fd_ring(s->wake_fd); }

/* Asks epoll which connections have data to read, and queues them. Sets *any if there are some. */
static int server_look(struct leat_ctx *ctx, struct server *s, int wait_ms, bool *any)
{
    struct epoll_event e[EVENTS];
    int n = epoll_wait(s->events, e, EVENTS, wait_ms), status = LEAT_OK;
    *any = false;
    for (int i = 0; i < n && status == LEAT_OK; i++) {
        uint32_t place = e[i].data.u32;
        *any |= place != STOP && place != WAKE;
        if (place == LISTENER)
            status = accept_all(ctx, s);
        else if (place == WAKE)
            wake_fd_clear(s->wake_fd);
        else if (place != STOP && !s->connection[place].queued)
            enqueue(s, place);
    }
    return status;
}

/* Serves each connection in the queue once. Returns LEAT_EFULL if the batch is full. */
static int serve_queue(struct leat_ctx *ctx, struct server *s, struct leat_batch *b)
{
    for (uint32_t n = s->n_queue; n; n--) {
        struct connection *c = &s->connection[s->queue[s->queue_first]];
        int status = is_udp(s)             ? serve_datagrams(ctx, s, b)
                     : serve(ctx, s, c, b) ? LEAT_OK
                                           : LEAT_EFULL;
        if (status != LEAT_OK) return status;
        dequeue(s);
    }
    return LEAT_OK;
}

/* Bytes of a connection that are not delivered: in its buffer, and in the system's buffer. */
static uint64_t rest_of(const struct connection *c)
{
    int unread = 0;
    if (c->fd < 0) return 0;
    (void)ioctl(c->fd, FIONREAD, &unread);
    return (uint64_t)(c->in.end - c->in.from) + (uint64_t)unread;
}

/* Ends all connections at the end of the run, and delivers their unfinished records. */
static void finish_connection(struct leat_ctx *ctx, struct server *s, struct leat_batch *b)
{
    bool full = false;
    for (uint32_t i = 0; i < s->places; i++) {
        struct connection *c = &s->connection[i];
        if (c->fd < 0) continue;
        c->in.ended = true;
        full = full || !take_pieces(ctx, s, &c->in, b);
        s->undelivered += rest_of(c);
    }
    if (s->undelivered)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu bytes are lost: they had come when the run ended, and were more than "
                       "one batch holds",
                       (unsigned long long)s->undelivered);
}

int server_fill(struct leat_ctx *ctx, struct server *s, struct leat_batch *b, bool last)
{
    uint64_t begin = clock_ns(), gather = last ? LAST_NS : GATHER_NS;
    bool any;
    int status;
    do {
        status = server_look(ctx, s, b->n || s->n_queue || last ? 0 : WAIT_MS, &any);
        if (status == LEAT_OK) status = serve_queue(ctx, s, b);
    } while (status == LEAT_OK && any && (!b->n || clock_ns() - begin < gather));
    if (last) finish_connection(ctx, s, b);
    s->senders.batches += b->n > 0;
    return status == LEAT_EFULL ? LEAT_OK : status;
}

/* ---- beginning and end ---- */

static size_t buffer_bytes(const struct server_options *o)
{
    size_t n = (size_t)o->max_record + INCOMING_HEAD;
    size_t least = o->address.kind == ADDRESS_UDP ? DATAGRAM_BYTES : LEAST_BUFFER;
    return n < least ? least : n;
}

static uint64_t places_of(const struct server_options *o)
{
    return o->address.kind == ADDRESS_UDP ? 1 : (uint64_t)o->max_connections;
}

uint64_t server_bytes(const struct server_options *o)
{
    return places_of(o) * (buffer_bytes(o) + sizeof(struct connection) + 2 * sizeof(uint32_t));
}

uint64_t server_names_bytes(const struct server_options *o)
{
    return senders_bytes(o->max_connections);
}

static int take_memory(struct leat_ctx *ctx, struct server *s)
{
    size_t each = buffer_bytes(&s->o);
    s->places = (uint32_t)places_of(&s->o);
    s->connection = ctx->host->alloc(ctx, s->places * sizeof *s->connection);
    s->buffers = ctx->host->alloc(ctx, s->places * each);
    s->free = ctx->host->alloc(ctx, s->places * sizeof *s->free);
    s->queue = ctx->host->alloc(ctx, s->places * sizeof *s->queue);
    if (!s->connection || !s->buffers || !s->free || !s->queue) return LEAT_ENOMEM;
    for (uint32_t i = 0; i < s->places; i++) {
        s->connection[i].fd = -1;
        s->connection[i].in.buffer = s->buffers + i * each;
        s->connection[i].in.capacity = each;
        s->free[i] = s->places - 1 - i;
    }
    s->n_free = s->places;
    return LEAT_OK;
}

static int listen_there(struct leat_ctx *ctx, struct server *s)
{
    char why[ADDRESS_WHY];
    s->listener = address_listen(&s->o.address, why);
    if (s->listener < 0) return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
    address_show(&s->o.address, s->listener, s->name);
    s->events = epoll_create1(EPOLL_CLOEXEC);
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    s->wake_fd = wake_fd_open();
    if (s->events < 0 || watch(s, ctx->host->stop_fd(ctx), STOP) ||
        (s->wake_fd >= 0 && watch(s, s->wake_fd, WAKE)) ||
        watch(s, s->listener, is_udp(s) ? 0 : LISTENER))
        return ctx->host->fail(ctx, LEAT_EIO, "cannot wait for data on %s: %s", s->name,
                               strerror(errno));
    return LEAT_OK;
}

int server_open(struct leat_ctx *ctx, struct server *s, const struct server_options *o)
{
    *s = (struct server){.o = *o, .listener = -1, .events = -1, .spare = -1, .wake_fd = -1};
    int status = take_memory(ctx, s);
    if (status == LEAT_OK) status = listen_there(ctx, s);
    if (status == LEAT_OK) status = senders_init(ctx, &s->senders, o->max_connections, s->name);
    if (status != LEAT_OK) {
        server_close(ctx, s);
        return status;
    }
    if (!is_udp(s)) return LEAT_OK;
    struct connection *c = &s->connection[0];
    c->fd = s->listener;
    incoming_init(&c->in, o->frames, (size_t)o->max_record, &ctx->framing);
    c->in.number = &s->senders.v[0].records;
    return LEAT_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

void server_close(struct leat_ctx *ctx, struct server *s)
{
    for (uint32_t i = 0; s->connection && !is_udp(s) && i < s->places; i++)
        close_fd(&s->connection[i].fd);
    if (s->listener >= 0 && s->o.address.kind == ADDRESS_UNIX) unlink(s->o.address.path);
    close_fd(&s->listener);
    close_fd(&s->events);
    close_fd(&s->spare);
    close_fd(&s->wake_fd);
    senders_fini(ctx, &s->senders);
    ctx->host->free(ctx, s->connection);
    ctx->host->free(ctx, s->buffers);
    ctx->host->free(ctx, s->free);
    ctx->host->free(ctx, s->queue);
    s->connection = NULL;
    s->buffers = NULL;
    s->free = s->queue = NULL;
}
