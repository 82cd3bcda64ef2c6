/* intake.c -- implementation of intake.h: libmicrohttpd's callbacks, and the source's side. */
#include "intake.h"

#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/inputs/decoder.h"
#include "core/text/secret_text.h"

enum {
    INTAKE_CONNECTION = 32768, /* memory of a connection for headers, in bytes  */
    INTAKE_IDLE = 30,          /* seconds after which a silent client is closed */
    INTAKE_SPARE = 64,         /* connections beyond the places, to refuse them */
    INTAKE_WAIT_MS = 100,
    INTAKE_LAST_MS = 2000, /* time for the last answers to be sent */
    INTAKE_WHY = 200,
    INTAKE_NAME = ADDRESS_TEXT + 32
};
/* Most bytes of a window of compressed bodies. */
static const uint64_t INTAKE_WINDOW = 8 << 20;

enum posting_state {
    POSTING_FREE,
    POSTING_RECEIVING,
    POSTING_WAITING,
    POSTING_TAKEN,
    POSTING_SAVING,
    POSTING_ANSWERED
};

struct posting {
    enum posting_state state;
    struct MHD_Connection *from;
    char *body;
    uint64_t n, number, checkpoint;
    bool too_long;
    unsigned code;
    char sender[ADDRESS_TEXT];
};

struct intake {
    struct intake_options o;
    char name[ADDRESS_TEXT + 32];
    struct MHD_Daemon *daemon;
    char *bodies, *scratch; /* scratch: for decompression, of libmicrohttpd's thread */
    pthread_mutex_t mu;
    pthread_cond_t changed;
    struct posting *post;
    uint32_t *queue, first, n_queue; /* WAITING posts, the longest first */
    bool woken, ending;
    struct intake_counts count;
    bool told_full;
    /* Post that the source's thread takes, `places` if there is none, and its bytes that are in
     * batches. */
    uint32_t current;
    uint64_t at;
};

/* ---- answers ---- */

struct refusal {
    unsigned code; /* 0: the request is not refused */
    const char *why;
};

static enum MHD_Result intake_send(struct MHD_Connection *to, unsigned code, const char *why)
{
    char text[INTAKE_WHY + 32];
    size_t n = (size_t)snprintf(text, sizeof text, why ? "%s\n" : "{}\n", why);
    struct MHD_Response *r = MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_COPY);
    if (!r) return MHD_NO;
    MHD_add_response_header(r, "Content-Type", why ? "text/plain" : "application/json");
    if (code == MHD_HTTP_UNAUTHORIZED) MHD_add_response_header(r, "WWW-Authenticate", "Bearer");
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(r, "Allow", "POST, PUT");
    if (code == MHD_HTTP_TOO_MANY_REQUESTS || code == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(r, "Retry-After", "1");
    enum MHD_Result sent = MHD_queue_response(to, code, r);
    MHD_destroy_response(r);
    return sent;
}

static const char *intake_header(struct MHD_Connection *from, const char *name)
{
    return MHD_lookup_connection_value(from, MHD_HEADER_KIND, name);
}

/* ---- refusals before the body ---- */

static bool intake_is_coded(const char *coding) { return coding && strcasecmp(coding, "identity"); }

static enum MHD_Result intake_count_length(void *to, enum MHD_ValueKind kind, const char *name,
                                           const char *value)
{
    *(int *)to += !strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return MHD_YES;
}

/* True if the request has two lengths. A proxy in front may go by the other one. */
static bool intake_is_doubled(struct MHD_Connection *from)
{
    int lengths = 0;
    MHD_get_connection_values(from, MHD_HEADER_KIND, intake_count_length, &lengths);
    return lengths > 1;
}

static struct refusal intake_refuse(const struct intake *in, struct MHD_Connection *from,
                                    const char *method)
{
    const char *length = intake_header(from, MHD_HTTP_HEADER_CONTENT_LENGTH),
               *coding = intake_header(from, MHD_HTTP_HEADER_CONTENT_ENCODING);
    const char *authorization = intake_header(from, MHD_HTTP_HEADER_AUTHORIZATION);
    if (in->o.token && !secret_is(in->o.token, secret_bearer(authorization)))
        return (struct refusal){MHD_HTTP_UNAUTHORIZED,
                                "the token is missing or wrong: send Authorization: Bearer TOKEN"};
    if (!in->o.token && intake_header(from, MHD_HTTP_HEADER_ORIGIN))
        return (struct refusal){MHD_HTTP_FORBIDDEN,
                                "requests of web pages are refused: the source has no token"};
    if (strcmp(method, MHD_HTTP_METHOD_POST) && strcmp(method, MHD_HTTP_METHOD_PUT))
        return (struct refusal){MHD_HTTP_METHOD_NOT_ALLOWED, "send records by POST"};
    if (intake_is_doubled(from))
        return (struct refusal){MHD_HTTP_BAD_REQUEST, "Content-Length comes twice"};
    if (length && strtoull(length, NULL, 10) > in->o.max_body)
        return (struct refusal){MHD_HTTP_CONTENT_TOO_LARGE, "the body is longer than max_body"};
    if (intake_is_coded(coding) && strcasecmp(coding, "gzip") && strcasecmp(coding, "zstd"))
        return (struct refusal){MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                                "send the body as gzip, as zstd or uncompressed"};
    return (struct refusal){0, NULL};
}

/* ---- receiving ---- */

static void intake_name_sender(struct MHD_Connection *from, struct posting *p)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(from, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct sockaddr_storage at = {0};
    if (info && info->client_addr && info->client_addr->sa_family == AF_INET)
        memcpy(&at, info->client_addr, sizeof(struct sockaddr_in));
    if (info && info->client_addr && info->client_addr->sa_family == AF_INET6)
        memcpy(&at, info->client_addr, sizeof(struct sockaddr_in6));
    if (at.ss_family)
        address_of_sender(&at, false, p->sender);
    else
        snprintf(p->sender, sizeof p->sender, "a local process");
}

/* Takes a place for a request. Returns NULL if none is free, or the run ends. */
static struct posting *intake_enter(struct intake *in, struct MHD_Connection *from)
{
    struct posting *p = NULL;
    pthread_mutex_lock(&in->mu);
    for (uint32_t i = 0; i < in->o.places && !p && !in->ending; i++)
        if (in->post[i].state == POSTING_FREE) p = &in->post[i];
    if (p) {
        *p = (struct posting){.state = POSTING_RECEIVING, .from = from, .body = p->body};
    } else {
        in->count.refused++;
    }
    pthread_mutex_unlock(&in->mu);
    if (p) intake_name_sender(from, p);
    return p;
}

static enum MHD_Result intake_begin(struct intake *in, struct MHD_Connection *from,
                                    const char *method, void **state)
{
    struct refusal no = intake_refuse(in, from, method);
    if (no.code) return intake_send(from, no.code, no.why);
    *state = intake_enter(in, from);
    return *state ? MHD_YES
                  : intake_send(from, MHD_HTTP_TOO_MANY_REQUESTS,
                                "as many requests wait as the source takes: send it again later");
}

static void intake_receive(const struct intake *in, struct posting *p, const char *bytes, size_t n)
{
    p->too_long |= n > in->o.max_body - p->n;
    if (p->too_long) return;
    memcpy(p->body + p->n, bytes, n);
    p->n += n;
}

/* Replaces the body by its decompressed text. */
static struct refusal intake_decode(struct intake *in, struct posting *p, const char *coding)
{
    bool maybe;
    struct decoder d = {0};
    const struct coding *c = decoder_coding((const unsigned char *)p->body, p->n, &maybe);
    if (!c || strcasecmp(decoder_name(c), coding))
        return (struct refusal){MHD_HTTP_BAD_REQUEST,
                                "the body is not what its Content-Encoding says"};
    if (!decoder_begin(&d, c, NULL, INTAKE_WINDOW))
        return (struct refusal){MHD_HTTP_SERVICE_UNAVAILABLE, "there is not enough memory"};
    size_t n = 0;
    d.in = (const unsigned char *)p->body;
    d.n_in = p->n;
    d.last = true;
    enum decoder_status status = decoder_read(&d, in->scratch, in->o.max_body + 1, &n);
    decoder_end(&d);
    if (n > in->o.max_body || status == DECODER_LARGE)
        return (struct refusal){MHD_HTTP_CONTENT_TOO_LARGE,
                                "the decompressed body is longer than max_body"};
    if (status != DECODER_END)
        return (struct refusal){MHD_HTTP_BAD_REQUEST, "the compressed body is damaged"};
    memcpy(p->body, in->scratch, n);
    p->n = n;
    return (struct refusal){0, NULL};
}

/* Queues a whole body for the source. Its connection sleeps until there is an answer. */
static enum MHD_Result intake_queue(struct intake *in, struct posting *p)
{
    pthread_mutex_lock(&in->mu);
    if (in->ending) {
        pthread_mutex_unlock(&in->mu);
        return intake_send(p->from, MHD_HTTP_SERVICE_UNAVAILABLE, "the run has ended");
    }
    p->state = POSTING_WAITING;
    p->number = in->count.requests++;
    in->count.bytes += p->n;
    in->queue[(in->first + in->n_queue++) % in->o.places] = (uint32_t)(p - in->post);
    MHD_suspend_connection(p->from);
    pthread_cond_signal(&in->changed);
    pthread_mutex_unlock(&in->mu);
    return MHD_YES;
}

static enum MHD_Result intake_end_body(struct intake *in, struct posting *p)
{
    const char *coding = intake_header(p->from, MHD_HTTP_HEADER_CONTENT_ENCODING);
    struct refusal no = {0, NULL};
    if (p->too_long)
        no = (struct refusal){MHD_HTTP_CONTENT_TOO_LARGE, "the body is longer than max_body"};
    else if (intake_is_coded(coding))
        no = intake_decode(in, p, coding);
    return no.code ? intake_send(p->from, no.code, no.why) : intake_queue(in, p);
}

/* Returns the answer of a post; 0 if it has none yet. */
static unsigned intake_code(struct intake *in, const struct posting *p)
{
    pthread_mutex_lock(&in->mu);
    unsigned code = p->code;
    pthread_mutex_unlock(&in->mu);
    return code;
}

static enum MHD_Result intake_answer(const struct posting *p, unsigned code)
{
    return intake_send(p->from, code,
                       code == MHD_HTTP_OK ? NULL
                                           : "the run ended before it saved these records: send "
                                             "them again");
}

static enum MHD_Result intake_request(void *to, struct MHD_Connection *from, const char *path,
                                      const char *method, const char *version, const char *bytes,
                                      size_t *n, void **state)
{
    struct intake *in = to;
    struct posting *p = *state;
    if (!p) return intake_begin(in, from, method, state);
    if (*n) {
        intake_receive(in, p, bytes, *n);
        *n = 0;
        return MHD_YES;
    }
    unsigned code = intake_code(in, p);
    return code ? intake_answer(p, code) : intake_end_body(in, p);
}

static void intake_completed(void *to, struct MHD_Connection *from, void **state,
                             enum MHD_RequestTerminationCode how)
{
    struct intake *in = to;
    struct posting *p = *state;
    if (!p) return;
    pthread_mutex_lock(&in->mu);
    p->state = POSTING_FREE;
    pthread_cond_signal(&in->changed);
    pthread_mutex_unlock(&in->mu);
    *state = NULL;
}

/* ---- the source's side ---- */

/* Answers a post whose connection sleeps. Call it with mu held. */
static void intake_wake_post(struct posting *p, unsigned code)
{
    p->code = code;
    p->state = POSTING_ANSWERED;
    MHD_resume_connection(p->from);
}

/* Waits until something changes, or ms have passed. Call it with mu held. */
static void intake_wait(struct intake *in, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + ms * 1000000;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&in->changed, &in->mu, &until);
}

/* Makes the first post of the queue the current one. Returns false if there is none. */
static bool intake_dequeue(struct intake *in, bool wait)
{
    pthread_mutex_lock(&in->mu);
    if (!in->n_queue && wait && !in->woken) intake_wait(in, INTAKE_WAIT_MS);
    in->woken = false;
    bool found = in->n_queue;
    if (found) {
        in->current = in->queue[in->first];
        in->first = (in->first + 1) % in->o.places;
        in->n_queue--;
    }
    pthread_mutex_unlock(&in->mu);
    in->at = 0;
    return found;
}

static int intake_add_whole(struct leat_batch *b, const struct intake *in, const struct posting *p)
{
    uint32_t off = b->n_bytes, len = (uint32_t)p->n;
    if (!leat_has_space(b, len) || (b->n && off + len > b->fill_bytes)) return LEAT_EFULL;
    int r = leat_add_record_at(b, off, len, in->current, 0, 0);
    if (r < 0) return r;
    if (len) memcpy(b->bytes + off, p->body, len);
    b->n_bytes += len;
    return LEAT_OK;
}

/* Adds records of the current post. Returns LEAT_EFULL if the batch is full before all are in. */
static int intake_add(struct leat_ctx *ctx, struct intake *in, struct leat_batch *b)
{
    const struct posting *p = &in->post[in->current];
    size_t taken = 0;
    if (in->o.whole) return intake_add_whole(b, in, p);
    int status = ctx->host->cut(ctx, b, in->current, p->body + in->at, p->n - in->at, 1, &taken);
    in->at += taken;
    return status;
}

static int intake_name(struct leat_ctx *ctx, const struct intake *in)
{
    char name[INTAKE_NAME];
    const struct posting *p = &in->post[in->current];
    snprintf(name, sizeof name, "request %llu of %s", (unsigned long long)p->number, p->sender);
    return ctx->host->name_input(ctx, in->current, name);
}

static void intake_taken(struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    in->post[in->current].state = POSTING_TAKEN;
    pthread_mutex_unlock(&in->mu);
    in->current = in->o.places;
}

/* Refuses what is left in the queue when the run ends. */
static void intake_refuse_rest(struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    in->ending = true;
    for (; in->n_queue; in->n_queue--, in->first = (in->first + 1) % in->o.places)
        intake_wake_post(&in->post[in->queue[in->first]], MHD_HTTP_SERVICE_UNAVAILABLE);
    pthread_mutex_unlock(&in->mu);
}

static void intake_tell_full(struct leat_ctx *ctx, struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    bool tell = in->count.refused && !in->told_full && !in->ending;
    in->told_full |= tell;
    pthread_mutex_unlock(&in->mu);
    if (tell)
        ctx->host->log(ctx, LEAT_WARN,
                       "%u requests wait, and max_requests allows no more: others get 429 and may "
                       "be sent again. Raise max_requests if senders do not do that",
                       in->o.places);
}

int intake_fill(struct leat_ctx *ctx, struct intake *in, struct leat_batch *b, bool last,
                bool *taken)
{
    int status = LEAT_OK;
    *taken = false;
    intake_tell_full(ctx, in);
    while (status == LEAT_OK) {
        if (in->current == in->o.places) {
            if (!intake_dequeue(in, !b->n && !last)) break;
            status = intake_name(ctx, in);
        }
        if (status == LEAT_OK) status = intake_add(ctx, in, b);
        if (status != LEAT_OK) break;
        intake_taken(in);
        *taken = true;
    }
    if (last) intake_refuse_rest(in);
    return status == LEAT_EFULL ? LEAT_OK : status;
}

void intake_barrier(struct intake *in, uint64_t checkpoint)
{
    pthread_mutex_lock(&in->mu);
    for (uint32_t i = 0; i < in->o.places; i++) {
        if (in->post[i].state != POSTING_TAKEN) continue;
        in->post[i].state = POSTING_SAVING;
        in->post[i].checkpoint = checkpoint;
    }
    pthread_mutex_unlock(&in->mu);
}

void intake_durable(struct intake *in, uint64_t checkpoint)
{
    pthread_mutex_lock(&in->mu);
    for (uint32_t i = 0; i < in->o.places; i++)
        if (in->post[i].state == POSTING_SAVING && in->post[i].checkpoint <= checkpoint)
            intake_wake_post(&in->post[i], MHD_HTTP_OK);
    pthread_mutex_unlock(&in->mu);
}

void intake_wake(struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    in->woken = true;
    pthread_cond_signal(&in->changed);
    pthread_mutex_unlock(&in->mu);
}

struct intake_counts intake_counts(struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    struct intake_counts count = in->count;
    pthread_mutex_unlock(&in->mu);
    return count;
}

void intake_continue(struct intake *in, uint64_t requests)
{
    pthread_mutex_lock(&in->mu);
    in->count.requests += requests;
    pthread_mutex_unlock(&in->mu);
}

const char *intake_address(const struct intake *in) { return in->name; }

/* ---- begin and end ---- */

uint64_t intake_bytes(const struct intake_options *o)
{
    return sizeof(struct intake) + o->places * (sizeof(struct posting) + sizeof(uint32_t)) +
           (o->places + 1ull) * (o->max_body + 1) + decoder_bytes(NULL, INTAKE_WINDOW);
}

uint64_t intake_name_bytes(const struct intake_options *o)
{
    return o->places * 2ull * INTAKE_NAME;
}

/* Drops messages of libmicrohttpd, which are about mistakes of clients. */
static void intake_ignore(void *to, const char *format, va_list args) {}

/* Starts the daemon on a socket, in a thread that gets no signals. */
static struct MHD_Daemon *intake_start(struct intake *in, int socket)
{
    const unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *d = MHD_start_daemon(
        flags, 0, NULL, NULL, intake_request, in, MHD_OPTION_EXTERNAL_LOGGER, intake_ignore, NULL,
        MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, in->o.places + INTAKE_SPARE,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)INTAKE_IDLE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)INTAKE_CONNECTION, MHD_OPTION_NOTIFY_COMPLETED, intake_completed, in,
        MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return d;
}

static int intake_listen(struct leat_ctx *ctx, struct intake *in)
{
    char why[ADDRESS_WHY];
    int socket = address_listen(&in->o.address, why);
    if (socket < 0) return ctx->host->fail(ctx, LEAT_EIO, "%s", why);
    address_show(&in->o.address, socket, in->name);
    in->daemon = intake_start(in, socket);
    if (in->daemon) return LEAT_OK;
    close(socket);
    return ctx->host->fail(ctx, LEAT_EIO, "cannot serve %s", in->name);
}

static bool intake_make_room(struct leat_ctx *ctx, struct intake *in)
{
    const struct leat_host *h = ctx->host;
    in->post = h->alloc(ctx, in->o.places * sizeof *in->post);
    in->queue = h->alloc(ctx, in->o.places * sizeof *in->queue);
    in->bodies = h->alloc(ctx, in->o.places * in->o.max_body);
    in->scratch = h->alloc(ctx, in->o.max_body + 1);
    for (uint32_t i = 0; in->post && in->bodies && i < in->o.places; i++)
        in->post[i].body = in->bodies + i * in->o.max_body;
    return in->post && in->queue && in->bodies && in->scratch;
}

int intake_open(struct leat_ctx *ctx, const struct intake_options *o, struct intake **out)
{
    pthread_condattr_t by_clock;
    struct intake *in = ctx->host->alloc(ctx, sizeof *in);
    if (!in) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for requests");
    *in = (struct intake){.o = *o, .current = o->places};
    pthread_mutex_init(&in->mu, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&in->changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
    *out = in;
    return intake_make_room(ctx, in)
               ? intake_listen(ctx, in)
               : ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u requests",
                                 o->places);
}

/* True if an answer is being sent. Call it with mu held. */
static bool intake_is_sending(const struct intake *in)
{
    bool sending = false;
    for (uint32_t i = 0; i < in->o.places; i++)
        sending |= in->post[i].state == POSTING_ANSWERED;
    return sending;
}

/* Answers those that wait, and gives the answers time to be sent. */
static void intake_dismiss(struct intake *in)
{
    pthread_mutex_lock(&in->mu);
    in->ending = true;
    for (uint32_t i = 0; i < in->o.places; i++) {
        struct posting *p = &in->post[i];
        bool sleeps =
            p->state == POSTING_WAITING || p->state == POSTING_TAKEN || p->state == POSTING_SAVING;
        if (sleeps) intake_wake_post(p, MHD_HTTP_SERVICE_UNAVAILABLE);
    }
    for (int ms = 0; intake_is_sending(in) && ms < INTAKE_LAST_MS; ms += INTAKE_WAIT_MS)
        intake_wait(in, INTAKE_WAIT_MS);
    pthread_mutex_unlock(&in->mu);
}

void intake_close(struct leat_ctx *ctx, struct intake *in)
{
    if (!in) return;
    if (in->daemon) {
        int socket = MHD_quiesce_daemon(in->daemon);
        intake_dismiss(in);
        MHD_stop_daemon(in->daemon);
        if (socket >= 0) close(socket);
    }
    if (in->daemon && in->o.address.kind == ADDRESS_UNIX) unlink(in->o.address.path);
    pthread_cond_destroy(&in->changed);
    pthread_mutex_destroy(&in->mu);
    ctx->host->free(ctx, in->scratch);
    ctx->host->free(ctx, in->bodies);
    ctx->host->free(ctx, in->queue);
    ctx->host->free(ctx, in->post);
    ctx->host->free(ctx, in);
}
