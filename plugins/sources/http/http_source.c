/* http_source.c -- source.http: records that others post by HTTP.
 *
 * This file has the parameters and the functions of the stage. intake.h has the requests. */
#include <stdatomic.h>
#include <stdlib.h>

#include "intake.h"
#include "sources/http/docs.h"
#include "common/state/state_fields.h"
#include "core/text/secret_text.h"

struct http_source_cfg {
    const char *listen, *token;
    int32_t framing;
    int64_t max_record, max_body, max_requests;
};

enum { HTTP_FRAMES_LINES, HTTP_FRAMES_BODY };
static const char *const http_framings[] = {
    [HTTP_FRAMES_LINES] = "lines", [HTTP_FRAMES_BODY] = "body", NULL};

struct http_source {
    struct intake *intake;
    char *token;           /* with its secrets; NULL if none is needed */
    uint64_t requests;     /* requests that were received, including earlier runs */
    _Atomic uint64_t done; /* bytes received; written by the stage's thread, read by any */
};

static const struct leat_param http_source_params[] = {
    LEAT_PARAM(struct http_source_cfg, listen, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL,
               .doc = "address to listen on: tcp://HOST:PORT or unix:///PATH; HOST 0.0.0.0 or [::] "
                      "is every address of the machine; for PORT 0 the system chooses a port"),
    LEAT_PARAM(struct http_source_cfg, token, LEAT_STRING,
               .flags = LEAT_SECRET | LEAT_OPERATIONAL | LEAT_REFERENCES,
               .doc = "senders must know it: Authorization: Bearer TOKEN; ${env:NAME} and "
                      "${file:PATH} stand for secrets; by default everybody may send"),
    LEAT_PARAM(struct http_source_cfg, framing, LEAT_CHOICE, .def = "lines",
               .choices = http_framings,
               .doc = "lines: each line of a body is a record; body: a body is a record"),
    LEAT_PARAM(struct http_source_cfg, max_record, LEAT_SIZE, .def = "64KiB", .min = 1 << 10,
               .max = 64 << 20, .unit = "bytes", .doc = "longer lines are rejected and skipped"),
    LEAT_PARAM(struct http_source_cfg, max_body, LEAT_SIZE, .flags = LEAT_OPERATIONAL,
               .def = "1MiB", .min = 1 << 10, .max = 64 << 20, .unit = "bytes",
               .doc = "longer bodies, as they are sent or decompressed, are refused with 413"),
    LEAT_PARAM(struct http_source_cfg, max_requests, LEAT_INT,
               .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "32", .min = 1, .max = 4096,
               .unit = "requests",
               .doc = "most requests that wait for their answer; more are refused with 429"),
};

/* Returns the options without the token. Parses the address, which `validate` has checked. */
static struct intake_options http_source_options(const struct http_source_cfg *cfg)
{
    char why[ADDRESS_WHY];
    struct intake_options o = {.whole = cfg->framing == HTTP_FRAMES_BODY,
                               .places = (uint32_t)cfg->max_requests,
                               .max_body = (uint64_t)cfg->max_body};
    (void)address_read(cfg->listen, &o.address, why);
    return o;
}

static uint64_t http_source_record(const struct http_source_cfg *cfg)
{
    return (uint64_t)(cfg->framing == HTTP_FRAMES_BODY ? cfg->max_body : cfg->max_record);
}

static int http_source_validate(const void *config, struct leat_diag *d)
{
    const struct http_source_cfg *cfg = config;
    struct address a;
    char why[ADDRESS_WHY];
    if (!address_read(cfg->listen, &a, why))
        d->error(d, "listen", "%s", why);
    else if (a.kind == ADDRESS_UDP)
        d->error(d, "listen", "HTTP goes by connections: write tcp:// in place of udp://");
    if (cfg->token && !*cfg->token) d->error(d, "token", "it is empty: leave it out, or set one");
    return LEAT_OK;
}

static int http_source_negotiate(const void *config, struct leat_negotiation *n)
{
    n->out->max_record_bytes = (uint32_t)http_source_record(config);
    return LEAT_OK;
}

static int http_source_plan(const void *config, const struct leat_schema *in,
                            const struct leat_schema *out, struct leat_plan *p)
{
    const struct intake_options o = http_source_options(config);
    p->work_bytes = intake_bytes(&o) + LEAT_CUT_BYTES(http_source_record(config));
    p->names_bytes = intake_name_bytes(&o);
    return LEAT_OK;
}

static int http_source_open(struct leat_ctx *ctx, void *self)
{
    struct http_source *st = self;
    const struct http_source_cfg *cfg = ctx->cfg;
    struct intake_options o = http_source_options(cfg);
    char why[ADDRESS_WHY];
    st->token = cfg->token ? secret_expand(cfg->token, why, sizeof why) : NULL;
    if (cfg->token && !st->token) return ctx->host->fail(ctx, LEAT_EARG, "token: %s", why);
    o.token = st->token;
    int status = intake_open(ctx, &o, &st->intake);
    if (status == LEAT_OK)
        ctx->host->log(ctx, LEAT_INFO, "listens on %s", intake_address(st->intake));
    return status;
}

static void http_source_close(struct leat_ctx *ctx, void *self)
{
    struct http_source *st = self;
    intake_close(ctx, st->intake);
    free(st->token);
}

static int http_source_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct http_source *st = self;
    bool last = ctx->host->stopping(ctx), taken;
    int status = intake_fill(ctx, st->intake, b, last, &taken);
    struct intake_counts count = intake_counts(st->intake);
    st->requests = count.requests;
    atomic_store_explicit(&st->done, count.bytes, memory_order_relaxed);
    if (status != LEAT_OK) return status;
    if (last) return LEAT_EOS;
    if (taken) ctx->host->checkpoint_soon(ctx);
    return b->n ? LEAT_OK : LEAT_AGAIN;
}

static int http_source_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    intake_barrier(((struct http_source *)self)->intake, checkpoint);
    return LEAT_OK;
}

static int http_source_durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    intake_durable(((struct http_source *)self)->intake, checkpoint);
    return LEAT_OK;
}

static void http_source_wake(void *self) { intake_wake(((struct http_source *)self)->intake); }

static int http_source_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    struct intake_counts count = intake_counts(((struct http_source *)self)->intake);
    ctx->host->metric(ctx, "requests", (double)count.requests);
    ctx->host->metric(ctx, "refused", (double)count.refused);
    return LEAT_OK;
}

static int http_source_stop(struct leat_ctx *ctx, void *self)
{
    return http_source_tick(ctx, self, 0);
}

static void http_source_progress(void *self, uint64_t *done, uint64_t *total)
{
    *done = atomic_load_explicit(&((struct http_source *)self)->done, memory_order_relaxed);
    *total = 0;
}

static const struct state_field http_source_fields[] = {
    {"requests", STATE_VALUE, .at = STATE_MEMBER(struct http_source, requests)},
};

static int http_source_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(http_source_fields), self);
}

static int http_source_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                               uint32_t version)
{
    struct http_source *st = self;
    int status = state_read(r, STATE_TABLE(http_source_fields), st);
    if (status == LEAT_OK) intake_continue(st->intake, st->requests);
    return status;
}

static const struct leat_figure http_source_figures[] = {
    {"requests", "requests", "requests whose bodies were received", LEAT_COUNTER},
    {"refused", "requests", "requests that were refused with 429", LEAT_COUNTER},
};

const struct leat_stage source_http = {
    .name = "source.http",
    .summary = "records that others post by HTTP",
    .doc = http_source_doc,
    .example = "leat.source.http { listen = \"tcp://127.0.0.1:8088\", token = \"${env:TOKEN}\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(http_source_params, struct http_source_cfg),
    LEAT_FIGURES(http_source_figures),
    LEAT_INSTANCE(struct http_source, http_source_open, http_source_close),
    .validate = http_source_validate,
    .negotiate = http_source_negotiate,
    .plan = http_source_plan,
    .stop = http_source_stop,
    .tick = http_source_tick,
    .barrier = http_source_barrier,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT,
                        .produce = http_source_produce, .progress = http_source_progress,
                        .wake = http_source_wake, .durable = http_source_durable),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = http_source_snapshot,
                       .restore = http_source_restore),
};
