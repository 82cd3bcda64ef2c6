/* socket.c -- source.socket: records that arrive by TCP, UDP or a Unix socket.
 *
 * This file has the parameters, the state and the functions of the stage. server.h has the
 * connections, incoming.h the records, address.h the addresses to listen on. */
#include <stdatomic.h>

#include "server.h"
#include "sources/socket/docs.h"
#include "common/state/state_fields.h"

struct socket_cfg {
    const char *listen;
    int32_t framing;
    int64_t max_record, max_connections;
};

struct socket_source {
    struct server server;
    uint64_t bytes;        /* bytes delivered, including earlier runs */
    uint64_t before;       /* bytes delivered in earlier runs */
    _Atomic uint64_t done; /* copy of `bytes`; written by the stage's thread, read by any thread */
};

static const char *const framings[] = {[FRAMES_LINES] = "lines",
                                       [FRAMES_LENGTH] = "length",
                                       [FRAMES_OCTETS] = "octets",
                                       [FRAMES_DATAGRAM] = "datagram",
                                       NULL};

static const struct leat_param socket_params[] = {
    LEAT_PARAM(
        struct socket_cfg, listen, LEAT_STRING,
        .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL,
        .doc =
            "address to listen on: tcp://HOST:PORT, udp://HOST:PORT or unix:///PATH; HOST 0.0.0.0 "
            "or [::] is every address of the machine; for PORT 0 the system chooses a port"),
    LEAT_PARAM(struct socket_cfg, framing, LEAT_CHOICE, .def = "lines", .choices = framings,
               .doc = "how records are separated: lines: by line ends; length: four bytes before "
                      "each record hold its length (big endian); octets: octet counting of syslog; "
                      "datagram: each datagram is a record"),
    LEAT_PARAM(struct socket_cfg, max_record, LEAT_SIZE, .def = "64KiB", .min = 1 << 10,
               .max = 64 << 20, .unit = "bytes", .doc = "longer records are rejected and skipped"),
    LEAT_PARAM(
        struct socket_cfg, max_connections, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .def = "1024", .min = 1, .max = 65536, .unit = "connections",
        .doc =
            "most connections open at a time; more are refused; each has a buffer of max_record"),
};

static int socket_validate(const void *config, struct leat_diag *d)
{
    const struct socket_cfg *cfg = config;
    struct address a;
    char why[ADDRESS_WHY];
    if (!address_read(cfg->listen, &a, why)) {
        d->error(d, "listen", "%s", why);
        return LEAT_OK;
    }
    bool counted = cfg->framing == FRAMES_LENGTH || cfg->framing == FRAMES_OCTETS;
    if (a.kind == ADDRESS_UDP && counted)
        d->error(d, "framing",
                 "'%s' works only for connections, because the system keeps the length of a "
                 "datagram: set it to lines or datagram",
                 framings[cfg->framing]);
    if (a.kind != ADDRESS_UDP && cfg->framing == FRAMES_DATAGRAM)
        d->error(d, "framing",
                 "'datagram' works only with udp://, because a connection does not separate "
                 "messages: set it to lines, length or octets");
    return LEAT_OK;
}

static int socket_negotiate(const void *config, struct leat_negotiation *n)
{
    const struct socket_cfg *cfg = config;
    n->out->max_record_bytes = (uint32_t)cfg->max_record;
    return LEAT_OK;
}

/* Returns the options of the server. Parses the address, which `validate` has checked. */
static struct server_options options_of(const struct socket_cfg *cfg)
{
    char why[ADDRESS_WHY];
    struct server_options o = {.frames = (enum frames)cfg->framing,
                               .max_record = cfg->max_record,
                               .max_connections = cfg->max_connections};
    (void)address_read(cfg->listen, &o.address, why);
    return o;
}

static int socket_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    struct server_options o = options_of(config);
    p->work_bytes = server_bytes(&o);
    p->names_bytes = server_names_bytes(&o);
    return LEAT_OK;
}

static int socket_open(struct leat_ctx *ctx, void *self)
{
    struct socket_source *st = self;
    struct server_options o = options_of(ctx->cfg);
    int status = server_open(ctx, &st->server, &o);
    if (status == LEAT_OK) ctx->host->log(ctx, LEAT_INFO, "listens on %s", st->server.name);
    return status;
}

static void socket_close(struct leat_ctx *ctx, void *self)
{
    struct socket_source *st = self;
    server_close(ctx, &st->server);
}

static int socket_start(struct leat_ctx *ctx, void *self)
{
    if (ctx->continued)
        ctx->host->log(ctx, LEAT_WARN,
                       "a socket cannot be read again: if this process is killed, models continue "
                       "from the last snapshot, and records that came later are lost. A signal "
                       "(SIGTERM) loses no record that has come");
    return LEAT_OK;
}

static int socket_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct socket_source *st = self;
    bool last = ctx->host->stopping(ctx);
    int status = server_fill(ctx, &st->server, b, last);
    st->bytes = st->before + st->server.bytes;
    atomic_store_explicit(&st->done, st->bytes, memory_order_relaxed);
    if (status != LEAT_OK || last) return status == LEAT_OK ? LEAT_EOS : status;
    return b->n ? LEAT_OK : LEAT_AGAIN;
}

static void socket_wake(void *self) { server_wake(&((struct socket_source *)self)->server); }

static int socket_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct server *s = &((struct socket_source *)self)->server;
    bool udp = s->o.address.kind == ADDRESS_UDP;
    ctx->host->metric(ctx, udp ? "datagrams" : "connections", (double)s->accepted);
    if (!udp) ctx->host->metric(ctx, "refused", (double)s->refused);
    ctx->host->metric(ctx, "undelivered_bytes", (double)s->undelivered);
    server_count_dropped(ctx, s);
    return LEAT_OK;
}

static int socket_stop(struct leat_ctx *ctx, void *self) { return socket_tick(ctx, self, 0); }

static void socket_progress(void *self, uint64_t *done, uint64_t *total)
{
    struct socket_source *st = self;
    *done = atomic_load_explicit(&st->done, memory_order_relaxed);
    *total = 0;
}

/* ---- state: only the number of bytes, because nothing can be read again ---- */

static const struct state_field socket_fields[] = {
    {"bytes", STATE_VALUE, .at = STATE_MEMBER(struct socket_source, bytes)},
};

static int socket_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(socket_fields), self);
}

static int socket_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct socket_source *st = self;
    int status = state_read(r, STATE_TABLE(socket_fields), st);
    if (status != LEAT_OK) return status;
    st->before = st->bytes - st->server.bytes;
    atomic_store_explicit(&st->done, st->bytes, memory_order_relaxed);
    return LEAT_OK;
}

static const struct leat_figure socket_figures[] = {
    {"connections", "connections", "connections that were accepted", LEAT_COUNTER},
    {"datagrams", "datagrams", "datagrams that were received", LEAT_COUNTER},
    {"refused", "connections", "connections that max_connections refused", LEAT_COUNTER},
    {"undelivered_bytes", "bytes", "bytes that had come and were lost when the run ended",
     LEAT_GAUGE},
    {"dropped", "datagrams", "datagrams that the system has dropped", LEAT_COUNTER},
};

const struct leat_stage source_socket = {
    .name = "source.socket",
    .summary = "records that others send, by TCP, UDP or a Unix socket",
    .doc = socket_doc,
    .example = "leat.source.socket { listen = \"tcp://0.0.0.0:5140\", framing = \"octets\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(socket_params, struct socket_cfg),
    LEAT_FIGURES(socket_figures),
    LEAT_INSTANCE(struct socket_source, socket_open, socket_close),
    .validate = socket_validate,
    .negotiate = socket_negotiate,
    .plan = socket_plan,
    .start = socket_start,
    .stop = socket_stop,
    .tick = socket_tick,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .produce = socket_produce,
                        .progress = socket_progress, .wake = socket_wake),
    .state =
        LEAT_ROLE(leat_state, .version = 1, .snapshot = socket_snapshot, .restore = socket_restore),
};
