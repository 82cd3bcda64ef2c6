/* http.c -- sink.http: records as JSON in the bodies of requests to a server.
 *
 * The records of a batch are collected in a body. The body is sent when it is full, when it has
 * `batch` records, and when the batch ends. So the server has confirmed all records when process()
 * returns, and no record waits between batches.
 *
 *     body   [{"a":1},{"a":2},{"a":3}]      record i, with its comma, is at[i] .. at[i + 1]
 *             ^at[0]  ^at[1]  ^at[2]   ^at[3]
 *
 * post.h sends the requests and repeats them. */
#include "http/docs.h"
#include "post.h"
#include "common/cells/columns.h"

enum format { JSONL, ARRAY, OBJECT };
static const char *const formats[] = {"jsonl", "array", "object", NULL};
static const char *const types[] = {
    [JSONL] = "application/x-ndjson", [ARRAY] = "application/json", [OBJECT] = "application/json"};

struct http_cfg {
    struct post_cfg post;
    struct leat_strings columns;
    int64_t batch, max_body;
    int32_t format;
};

struct http_sink {
    struct post *post;
    struct post_cfg how;
    struct columns columns;
    struct text_out text; /* buffer for one record */
    char *body;
    uint32_t *at;     /* start of each record in the body; at[n] is the start of the next record */
    uint32_t *record; /* for each record in the body: its index in the batch */
    uint32_t n;       /* number of records in the body */
    uint64_t refused;
};

static const struct leat_param http_params[] = {
    LEAT_PARAM_AS("url", struct http_cfg, post.url, LEAT_STRING,
                  .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_OPERATIONAL | LEAT_REFERENCES,
                  .doc =
                      "address to send to; ${env:NAME} and ${file:PATH} in it stand for secrets"),
    LEAT_PARAM(struct http_cfg, format, LEAT_CHOICE, .choices = formats, .def = "jsonl",
               .doc = "jsonl: an object a line; array: one array a request; object: one record a "
                      "request"),
    LEAT_PARAM(struct http_cfg, columns, LEAT_STRINGS,
               .doc = "which columns, in this order; by default all"),
    LEAT_PARAM_AS(
        "header", struct http_cfg, post.header, LEAT_STRINGS,
        .flags = LEAT_SECRET | LEAT_OPERATIONAL | LEAT_REFERENCES,
        .doc = "headers, each \"Name: value\"; ${env:NAME} and ${file:PATH} stand for secrets"),
    LEAT_PARAM(struct http_cfg, batch, LEAT_INT, .def = "500", .min = 1, .max = 1e6,
               .unit = "records", .doc = "most records in a request"),
    LEAT_PARAM(struct http_cfg, max_body, LEAT_SIZE, .def = "1MB", .min = 1024, .max = 1073741824,
               .unit = "bytes", .doc = "most bytes of a request; a longer record is rejected"),
    LEAT_PARAM_AS("timeout", struct http_cfg, post.timeout, LEAT_DURATION,
                  .flags = LEAT_OPERATIONAL, .def = "30s", .min = 0.01, .max = 3600,
                  .unit = "seconds", .doc = "longest wait for an answer"),
    LEAT_PARAM_AS("retries", struct http_cfg, post.retries, LEAT_INT, .flags = LEAT_OPERATIONAL,
                  .def = "8", .max = 1000, .doc = "repeated attempts before the run ends"),
    LEAT_PARAM_AS(
        "ca", struct http_cfg, post.ca, LEAT_PATH,
        .flags = LEAT_OPERATIONAL | LEAT_READS_FILE | LEAT_ADVANCED,
        .doc = "file of certificates to trust (PEM); by default the certificates of the system"),
};

/* ---- before the start ---- */

static void http_check_url(const char *url, struct leat_diag *d)
{
    const char *host = strstr(url, "://");
    bool http = !strncmp(url, "http://", 7) || !strncmp(url, "https://", 8);
    if (!post_library())
        d->error(d, NULL,
                 "this leat was built without libcurl, so it cannot send records: build it with "
                 "libcurl4-openssl-dev, or send them by sink.command { \"curl …\" }");
    else if (strchr(url, '@'))
        d->error(d, "url",
                 "the address, which is not shown, has an @, as in user:password@host: write a "
                 "header, \"Authorization: Basic ${env:LOGIN}\"");
    else if (!(http && host[3]) && strncmp(url, "${", 2) != 0)
        d->error(d, "url", "'%s' is not an address: write http://host:port/path", url);
}

static int http_validate(const void *config, struct leat_diag *d)
{
    const struct http_cfg *cfg = config;
    http_check_url(cfg->post.url, d);
    for (uint32_t i = 0; i < cfg->post.header.n; i++)
        if (!strchr(cfg->post.header.v[i], ':') || cfg->post.header.v[i][0] == ':')
            d->error(d, "header",
                     "number %u, which is not shown, must have the form \"Name: value\"", i + 1);
    return LEAT_OK;
}

static int http_negotiate(const void *config, struct leat_negotiation *n)
{
    return columns_ask(n, "columns", &((const struct http_cfg *)config)->columns, true,
                       LEAT_TAKES_ANY);
}

static uint32_t batch_of(const struct http_cfg *cfg)
{
    return cfg->format == OBJECT ? 1 : (uint32_t)cfg->batch;
}

static int http_plan(const void *config, const struct leat_schema *in,
                     const struct leat_schema *out, struct leat_plan *p)
{
    const struct http_cfg *cfg = config;
    p->work_bytes = 2 * (uint64_t)cfg->max_body + 2 * sizeof(uint32_t) * (batch_of(cfg) + 1ull) +
                    in->n_columns * sizeof(uint32_t);
    return LEAT_OK;
}

/* ---- open and close ---- */

static void http_close(struct leat_ctx *ctx, void *self)
{
    struct http_sink *st = self;
    post_close(st->post);
    columns_close(ctx, &st->columns);
    ctx->host->free(ctx, st->text.buf);
    ctx->host->free(ctx, st->body);
    ctx->host->free(ctx, st->at);
}

/* Called when the buffer st->text is full. Stops the writing, because the buffer is as long as the
 * longest record allowed. */
static int http_overlong(void *to, const char *bytes, size_t n) { return 1; }

static int open_buffers(struct leat_ctx *ctx, struct http_sink *st)
{
    const struct http_cfg *cfg = ctx->cfg;
    size_t cap = (size_t)cfg->max_body, n = batch_of(cfg) + 1;
    st->text =
        (struct text_out){.buf = ctx->host->alloc(ctx, cap), .cap = cap, .drain = http_overlong};
    st->body = ctx->host->alloc(ctx, cap);
    st->at = ctx->host->alloc(ctx, 2 * n * sizeof *st->at);
    if (!st->text.buf || !st->body || !st->at)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a request");
    st->record = st->at + n;
    return LEAT_OK;
}

static int http_open(struct leat_ctx *ctx, void *self)
{
    const struct http_cfg *cfg = ctx->cfg;
    struct http_sink *st = self;
    st->how = cfg->post;
    st->how.type = types[cfg->format];
    int status = columns_open(ctx, &st->columns, &cfg->columns, true, LEAT_TAKES_ANY);
    if (status == LEAT_OK) status = open_buffers(ctx, st);
    if (status == LEAT_OK) status = post_open(ctx, &st->how, &st->post);
    if (status != LEAT_OK) http_close(ctx, st);
    return status;
}

/* ---- requests ---- */

/* Sends n records of the body, from record i on, as a request. */
static enum post_outcome http_send(const struct http_cfg *cfg, struct http_sink *st, uint32_t i,
                                   uint32_t n, char why[POST_WHY])
{
    uint32_t from = st->at[i], to = st->at[i + n];
    if (cfg->format == ARRAY) {
        st->body[--from] = '[';
        st->body[to - 1] = ']';
    } else if (cfg->format == OBJECT) {
        to--;
    }
    return post_send(st->post, st->body + from, to - from, why);
}

static const struct leat_own_reason reasons[] = {
    {"refused", "The server refuses the record."},
};

/* Sends the records of a refused body one by one. Only records that are refused alone are
 * rejected. */
static int send_alone(struct leat_ctx *ctx, struct http_sink *st, struct leat_batch *b)
{
    char why[POST_WHY];
    for (uint32_t i = 0; i < st->n; i++) {
        enum post_outcome outcome = http_send(ctx->cfg, st, i, 1, why);
        if (outcome == POST_FAILED) return LEAT_EIO;
        if (outcome == POST_TAKEN) continue;
        st->refused++;
        ctx->host->reject(ctx, b, st->record[i], LEAT_R_OWN(0), "the server refuses it: %s", why);
    }
    return LEAT_OK;
}

static int http_flush(struct leat_ctx *ctx, struct http_sink *st, struct leat_batch *b)
{
    char why[POST_WHY];
    int status = LEAT_OK;
    enum post_outcome outcome = st->n ? http_send(ctx->cfg, st, 0, st->n, why) : POST_TAKEN;
    if (outcome == POST_FAILED) status = LEAT_EIO;
    if (outcome == POST_REFUSED) status = send_alone(ctx, st, b);
    st->n = 0;
    return status;
}

/* ---- records ---- */

/* Writes record r to the buffer st->text. Returns false if the record is longer than a body. */
static bool http_write_record(struct leat_ctx *ctx, struct http_sink *st,
                              const struct leat_batch *b, uint32_t r)
{
    const struct http_cfg *cfg = ctx->cfg;
    st->text.n = 0;
    st->text.failed = 0;
    columns_object(&st->text, &st->columns, b, r);
    text_char(&st->text, cfg->format == ARRAY ? ',' : '\n');
    return !st->text.failed && st->text.n < (size_t)cfg->max_body;
}

/* True if the body has space for the record in st->text. The first record begins at byte 1, because
 * an array begins with a bracket. */
static bool has_space(const struct http_cfg *cfg, const struct http_sink *st)
{
    return !st->n || (st->n < batch_of(cfg) && st->at[st->n] + st->text.n <= (size_t)cfg->max_body);
}

static void http_add_record(struct http_sink *st, uint32_t r)
{
    if (!st->n) st->at[0] = 1;
    memcpy(st->body + st->at[st->n], st->text.buf, st->text.n);
    st->record[st->n] = r;
    st->at[st->n + 1] = st->at[st->n] + (uint32_t)st->text.n;
    st->n++;
}

static int http_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct http_sink *st = self;
    const struct http_cfg *cfg = ctx->cfg;
    int status = LEAT_OK;
    for (LEAT_EACH_RECORD(b, r)) {
        if (!http_write_record(ctx, st, b, r)) {
            st->refused++;
            ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                              "as JSON the record is longer than max_body = %lld",
                              (long long)cfg->max_body);
            continue;
        }
        if (!has_space(cfg, st) && (status = http_flush(ctx, st, b)) < 0) return status;
        http_add_record(st, r);
    }
    return http_flush(ctx, st, b);
}

static int http_stop(struct leat_ctx *ctx, void *self)
{
    const struct http_sink *st = self;
    struct post_counts counts = post_counts(st->post);
    ctx->host->metric(ctx, "requests", (double)counts.requests);
    ctx->host->metric(ctx, "retries", (double)counts.retries);
    ctx->host->metric(ctx, "refused_records", (double)st->refused);
    return LEAT_OK;
}

static const struct leat_figure http_figures[] = {
    {"requests", "requests", "requests that were sent, with the repeated ones", LEAT_COUNTER},
    {"retries", "requests", "requests that were repeated", LEAT_COUNTER},
    {"refused_records", "records", "records that the server refused", LEAT_COUNTER},
};

const struct leat_stage sink_http = {
    .name = "sink.http",
    .summary = "sends records to a server by HTTP POST",
    .doc = http_doc,
    .example = "leat.sink.http { \"https://alerts.example.org/in\", format = \"array\", header = { "
               "\"Authorization: Bearer ${env:TOKEN}\" } }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_COLUMNS,
    LEAT_PARAMS(http_params, struct http_cfg),
    LEAT_REASONS(reasons),
    LEAT_FIGURES(http_figures),
    LEAT_INSTANCE(struct http_sink, http_open, http_close),
    .validate = http_validate,
    .negotiate = http_negotiate,
    .plan = http_plan,
    .process = http_process,
    .stop = http_stop,
};
