/* server.c -- implementation of server.h: libmicrohttpd's callbacks. */
#include "server.h"

#include <leat/plugin.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "access.h"
#include "core/text/secret_text.h"
#include "core/time/clock.h"
#include "host/log/json_text.h"
#include "host/log/log.h"

/* ---- requests and replies ---- */

const char *request_argument(const struct request *q, const char *name)
{
    return MHD_lookup_connection_value(q->from, MHD_GET_ARGUMENT_KIND, name);
}

struct reply reply_end(struct reply *r, FILE *to, bool failed)
{
    if (to) failed |= fclose(to) == EOF;
    if (!failed) return *r;
    free(r->body);
    r->body = NULL;
    return *r;
}

struct reply reply_json(unsigned code, json_t *value)
{
    struct reply r = {.code = code, .type = "application/json"};
    FILE *to = open_memstream(&r.body, &r.n);
    if (!to) json_decref(value);
    return reply_end(&r, to, !to || json_print(value, JSON_COMPACT, to));
}

struct reply reply_error(unsigned code, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return reply_json(code, json_pack("{s:o}", "error", json_text(text)));
}

uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max)
{
    if (!text) return otherwise;
    const size_t n = strlen(text);
    if (!n || n > 9 || strspn(text, "0123456789") != n) return 0;
    const unsigned long value = strtoul(text, NULL, 10);
    return value <= max ? (uint32_t)value : 0;
}

/* ---- sending replies ---- */

static void server_add_headers(struct MHD_Response *to, const struct reply *r)
{
    static const char *const header[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src "
                                    "'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
                                    "form-action 'none'; frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"}};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        MHD_add_response_header(to, header[i][0], header[i][1]);
    MHD_add_response_header(to, "Content-Type", r->type);
    if (r->code == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(to, "WWW-Authenticate", "Basic realm=\"leat\", charset=\"UTF-8\"");
    if (r->closes) MHD_add_response_header(to, "Connection", "close");
    if (r->code == MHD_HTTP_SERVICE_UNAVAILABLE) MHD_add_response_header(to, "Retry-After", "1");
}

static enum MHD_Result send_reply(struct server *s, struct MHD_Connection *to, struct reply r,
                                  const char *allow)
{
    if (!r.body) return MHD_NO; /* libmicrohttpd closes the connection */
    atomic_fetch_add(&s->requests[r.code / 100], 1);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(r.n, r.body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(r.body);
        return MHD_NO;
    }
    server_add_headers(response, &r);
    if (allow) MHD_add_response_header(response, "Allow", allow);
    enum MHD_Result sent = MHD_queue_response(to, r.code, response);
    MHD_destroy_response(response);
    return sent;
}

/* ---- access ---- */

static const char *header_of(struct MHD_Connection *from, const char *name)
{
    return MHD_lookup_connection_value(from, MHD_HEADER_KIND, name);
}

static bool knows_token(const struct server *s, struct MHD_Connection *from)
{
    char *password = NULL;
    if (secret_is(s->token, secret_bearer(header_of(from, MHD_HTTP_HEADER_AUTHORIZATION))))
        return true;
    char *user = MHD_basic_auth_get_username_password(from, &password);
    bool knows = secret_is(s->token, password);
    MHD_free(user);
    MHD_free(password);
    return knows;
}

/* ---- a request ---- */

static const struct page *page_of(const struct server *s, const char *path, const char **stage)
{
    const struct page *p = s->pages;
    *stage = NULL;
    for (; p->path; p++) {
        size_t n = strlen(p->path);
        bool of_stage = n > 1 && p->path[n - 1] == '/';
        if (!of_stage && !strcmp(path, p->path)) return p;
        if (!of_stage || strncmp(path, p->path, n) || !path[n]) continue;
        *stage = path + n;
        return p;
    }
    return NULL;
}

static bool has_method(const struct page *p, const char *method)
{
    if (p->posts) return !strcmp(method, MHD_HTTP_METHOD_POST);
    return !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

static bool is_too_long(struct MHD_Connection *from)
{
    const char *text = header_of(from, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return text && strtoull(text, NULL, 10) > SERVER_BODY;
}

struct header_count {
    const char *name;
    int n;
};

static enum MHD_Result count_header(void *to, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct header_count *c = to;
    c->n += !strcasecmp(name, c->name);
    return MHD_YES;
}

/* True if the request has a header twice that another server in between may read in another way. */
static bool is_doubled(struct MHD_Connection *from, const char *name)
{
    struct header_count c = {name, 0};
    MHD_get_connection_values(from, MHD_HEADER_KIND, count_header, &c);
    return c.n > 1;
}

/* Returns a refusal of a request that does not depend on the request's body. Its code is 0 if the
 * request is allowed. */
static struct reply server_refuse(const struct server *s, struct MHD_Connection *from,
                                  const struct page *p, const char *path, const char *method)
{
    const char *site = header_of(from, "Sec-Fetch-Site"),
               *host = header_of(from, MHD_HTTP_HEADER_HOST);
    if (is_doubled(from, MHD_HTTP_HEADER_HOST) ||
        is_doubled(from, MHD_HTTP_HEADER_CONTENT_LENGTH)) {
        struct reply no = reply_error(MHD_HTTP_BAD_REQUEST, "Host or Content-Length comes twice");
        no.closes = true;
        return no;
    }
    if (!s->token && s->loopback && !http_access_host(host))
        return reply_error(MHD_HTTP_FORBIDDEN, "ask by an IP address or localhost: other names "
                                               "need --http-token");
    if (site ? !http_access_site(site, header_of(from, "Sec-Fetch-Mode"))
             : !http_access_origin(header_of(from, MHD_HTTP_HEADER_ORIGIN), host))
        return reply_error(MHD_HTTP_FORBIDDEN, "requests from pages of other sites are refused");
    if (s->token && !(p && p->open) && !knows_token(s, from))
        return reply_error(MHD_HTTP_UNAUTHORIZED, "the token of --http-token is missing or wrong: "
                                                  "send it as Authorization: Bearer TOKEN, or as "
                                                  "the password of any user");
    if (!p) return reply_error(MHD_HTTP_NOT_FOUND, "there is no page '%s': / lists them", path);
    if (!has_method(p, method))
        return reply_error(MHD_HTTP_METHOD_NOT_ALLOWED, "%s takes %s only", p->path,
                           p->posts ? "POST" : "GET");
    if (is_too_long(from))
        return reply_error(MHD_HTTP_CONTENT_TOO_LARGE,
                           "the request is too long: the limit is %d bytes", SERVER_BODY);
    return (struct reply){.code = 0};
}

static enum MHD_Result server_begin(struct server *s, struct MHD_Connection *from, const char *path,
                                    const char *method, void **state)
{
    const char *stage;
    const struct page *p = page_of(s, path, &stage);
    struct reply no = server_refuse(s, from, p, path, method);
    if (no.code)
        return send_reply(s, from, no,
                          no.code != MHD_HTTP_METHOD_NOT_ALLOWED ? NULL
                          : p->posts                             ? "POST"
                                                                 : "GET, HEAD");
    struct request *q = calloc(1, sizeof *q);
    if (!q) return MHD_NO;
    q->page = p;
    q->from = from;
    *state = q;
    return MHD_YES;
}

/* Appends a part of the body. Returns false if the body is too long or memory is lacking; the
 * connection is then closed. */
static bool server_take_body(struct server *s, struct request *q, const char *bytes, size_t n)
{
    if (n > SERVER_BODY - q->n) return false;
    if (q->n + n > q->cap) {
        size_t cap = q->cap ? 2 * q->cap : 4096;
        while (cap < q->n + n)
            cap *= 2;
        if (cap > SERVER_BODIES - s->bodies) return false;
        char *larger = realloc(q->body, cap);
        if (!larger) return false;
        s->bodies += cap - q->cap;
        q->body = larger;
        q->cap = cap;
    }
    memcpy(q->body + q->n, bytes, n);
    q->n += n;
    return true;
}

/* Returns the processor time of this thread. */
static uint64_t server_cpu_ns(void)
{
    struct timespec busy;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &busy);
    return (uint64_t)busy.tv_sec * 1000000000 + (uint64_t)busy.tv_nsec;
}

static enum MHD_Result server_answer(void *to, struct MHD_Connection *from, const char *path,
                                     const char *method, const char *version, const char *bytes,
                                     size_t *n, void **state)
{
    struct server *s = to;
    struct request *q = *state;
    if (!q) return server_begin(s, from, path, method, state);
    if (*n) {
        bool taken = server_take_body(s, q, bytes, *n);
        *n = 0;
        return taken ? MHD_YES : MHD_NO;
    }
    if (!q->page->open && !waiting_turn(&s->waiting, from, &q->waits)) return MHD_YES;
    page_of(s, path, &q->stage);
    uint64_t before = server_cpu_ns();
    struct reply r = q->page->make(s->http, q);
    q->made = true;
    if (!q->page->open) waiting_spent(&s->waiting, server_cpu_ns() - before, q->waits);
    return send_reply(s, from, r, NULL);
}

/* ---- connections ---- */

static struct connection *server_connection_of(struct MHD_Connection *from)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(from, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Rests after an answer, so that many clients do not slow the run. All connections wait meanwhile,
 * so the time for pages does not count here (waiting.h). */
static void rest(struct server *s)
{
    uint64_t ns = pace_rest(&s->pace, clock_ns(), server_cpu_ns() - s->waiting.busy);
    if (ns) nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

static void completed(void *to, struct MHD_Connection *from, void **state,
                      enum MHD_RequestTerminationCode how)
{
    struct server *s = to;
    struct request *q = *state;
    struct connection *one = server_connection_of(from);
    if (one) connections_answered(one, clock_ns());
    rest(s);
    if (!q) return;
    if (q->waits && !q->made) waiting_spent(&s->waiting, 0, true);
    s->bodies -= q->cap;
    free(q->body);
    free(q);
    *state = NULL;
}

static void server_note_connection(void *to, struct MHD_Connection *from, void **context,
                                   enum MHD_ConnectionNotificationCode what)
{
    struct server *s = to;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(from, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_STARTED && info)
        *context = connections_add(&s->connections, info->connect_fd, clock_ns());
    if (what == MHD_CONNECTION_NOTIFY_CLOSED && *context)
        connections_remove(&s->connections, *context);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) rest(s);
}

/* ---- begin and end ---- */

/* Logs a message of libmicrohttpd. Most are about mistakes of clients. */
static void server_note(void *to, const char *format, va_list args)
{
    char text[300];
    vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\r\n")] = 0;
    log_message(LEAT_DEBUG, "--http: %s", text);
}

/* Decodes %XX in a path, except %00. A NUL would end the path early, so the server would serve
 * another page. */
static size_t server_unescape(void *to, struct MHD_Connection *from, char *text)
{
    static const char nul[] = "%00";
    char *out = text, *in = text, *end;
    for (; (end = strstr(in, nul)); in = end + sizeof nul - 1) {
        *end = 0;
        size_t n = MHD_http_unescape(in);
        memmove(out, in, n);
        memcpy(out + n, nul, sizeof nul - 1);
        out += n + sizeof nul - 1;
    }
    size_t n = MHD_http_unescape(in);
    memmove(out, in, n);
    out[n] = 0;
    out += n;
    return (size_t)(out - text);
}

bool server_start(struct server *s, int socket)
{
    const unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    sigset_t all, before;
    connections_init(&s->connections);
    s->pace = (struct pace){0};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool paced = waiting_start(&s->waiting);
    s->daemon = !paced
                    ? NULL
                    : MHD_start_daemon(
                          flags, 0, NULL, NULL, server_answer, s, MHD_OPTION_EXTERNAL_LOGGER,
                          server_note, s, MHD_OPTION_UNESCAPE_CALLBACK, server_unescape, NULL,
                          MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
                          (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                          (unsigned)SERVER_IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                          (size_t)SERVER_CONNECTION, MHD_OPTION_NOTIFY_COMPLETED, completed, s,
                          MHD_OPTION_NOTIFY_CONNECTION, server_note_connection, s, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!s->daemon) close(socket);
    if (!s->daemon && paced) waiting_stop(&s->waiting);
    return s->daemon;
}

void server_stop(struct server *s)
{
    waiting_stop(&s->waiting);
    MHD_stop_daemon(s->daemon);
}
