/* http_get.c -- see http_get.h. */
#include "http_get.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/time/clock.h"

static void hang_up(struct http_get *g)
{
    if (g->fd >= 0) close(g->fd);
    g->fd = -1;
}

static bool fail(struct http_get *g, const char *fault)
{
    snprintf(g->fault, sizeof g->fault, "%s", fault);
    hang_up(g);
    return true;
}

static void write_request(struct http_get *g)
{
    char host[SERVER_URL];
    server_address_host(g->server, g->at, host);
    int n = snprintf(g->request, sizeof g->request,
                     "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n"
                     "Connection: close\r\n%s%s%s\r\n",
                     g->path, host, g->token ? "Authorization: Bearer " : "",
                     g->token ? g->token : "", g->token ? "\r\n" : "");
    g->n = n > 0 && (size_t)n < sizeof g->request ? (size_t)n : 0;
    g->sent = 0;
}

/* A connection to g->at, or the first address after it that takes one. */
static bool connect_next(struct http_get *g, int error)
{
    for (; g->at; g->at = g->at->ai_next) {
        hang_up(g);
        g->fd = socket(g->at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (g->fd >= 0 && (!connect(g->fd, g->at->ai_addr, g->at->ai_addrlen) ||
                           errno == EINPROGRESS || errno == EINTR)) {
            g->events = POLLOUT;
            write_request(g);
            return g->n ? false : fail(g, "cannot be asked: the token or a name is too long");
        }
        error = errno;
    }
    char text[GET_FAULT];
    snprintf(text, sizeof text, "does not answer: %s", strerror(error));
    return fail(g, text);
}

void http_get_begin(struct http_get *g, const struct server_address *server, const char *path,
                    const char *token)
{
    *g = (struct http_get){.fd = -1,
                           .server = server,
                           .at = server->list,
                           .path = path,
                           .token = token,
                           .until = clock_ns() + GET_SECONDS * UINT64_C(1000000000)};
    connect_next(g, EHOSTUNREACH);
}

/* Is the connection there? false: it is under way, or the next address is tried. */
static bool is_connected(struct http_get *g)
{
    struct pollfd p = {.fd = g->fd, .events = POLLOUT};
    int error = 0;
    socklen_t n = sizeof error;
    if (poll(&p, 1, 0) <= 0) return false;
    getsockopt(g->fd, SOL_SOCKET, SO_ERROR, &error, &n);
    if (error) {
        g->at = g->at->ai_next;
        connect_next(g, error);
    }
    return g->connected = !error;
}

static bool would_wait(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static bool send_rest(struct http_get *g)
{
    ssize_t n = send(g->fd, g->request + g->sent, g->n - g->sent, MSG_NOSIGNAL);
    if (n < 0 && !would_wait()) return fail(g, "ended the connection without an answer");
    if (n > 0) g->sent += (size_t)n;
    if (g->sent == g->n) g->events = POLLIN;
    return false;
}

static bool receive(struct http_get *g)
{
    char bytes[1 << 14];
    for (;;) {
        ssize_t n = recv(g->fd, bytes, sizeof bytes, 0);
        if (n < 0 && would_wait()) return false;
        if (n > 0)
            answer_reader_take(&g->answer, bytes, (size_t)n);
        else
            answer_reader_end(&g->answer);
        if (g->answer.progress == ANSWER_WRONG) return fail(g, g->answer.fault);
        if (g->answer.progress == ANSWER_MORE) continue;
        hang_up(g);
        return true;
    }
}

bool http_get_step(struct http_get *g)
{
    if (g->fd < 0) return true;
    if (!http_get_left(g)) return fail(g, "does not answer: nothing whole came within 3 s");
    if (!g->connected && !is_connected(g)) return g->fd < 0;
    if (g->sent < g->n) return send_rest(g);
    return receive(g);
}

int http_get_left(const struct http_get *g)
{
    uint64_t now = clock_ns();
    return now < g->until ? (int)((g->until - now) / 1000000 + 1) : 0;
}

void http_get_end(struct http_get *g)
{
    hang_up(g);
    answer_reader_free(&g->answer);
}
