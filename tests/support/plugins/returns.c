/* returns.c -- stages with every function; one of them returns a chosen value, or does not return.
 *
 * Settings that must leave no trace in states are environment variables:
 *
 *   RETURNS_CALL   the function: "commit"
 *   RETURNS_VALUE  its value in place of LEAT_OK; "crash": it crashes; "hang": it returns
 *                  after 2.5 s; "exit": it ends the process
 *   RETURNS_END    number of records of source.returns, 40
 *   RETURNS_REJECTS  keep.returns rejects odd numbers as well
 *
 *   source.returns  numbers as records, eight a batch
 *   parse.returns   a parser that wants a header
 *   keep.returns    rejects the first record
 *   keep.online     asks a server
 *   keep.expands    passes records on by `expand`
 *   learn.returns   counts examples; its answer has the count as the weight of "n"
 *   sink.returns    shows answers, takes dead letters, and commits the last checkpoint to PATH,
 *                   unless it is "". Overlapping calls abort */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <leat/plugin.h>

static const char *told(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text ? text : otherwise;
}

/* Acts as RETURNS_VALUE says if `call` is the chosen one. */
static int answer(const char *call, int otherwise)
{
    const char *value = told("RETURNS_VALUE", "0");
    if (strcmp(told("RETURNS_CALL", ""), call)) return otherwise;
    if (!strcmp(value, "crash")) abort();
    if (!strcmp(value, "exit")) exit(0);
    if (!strcmp(value, "hang")) usleep(2500000);
    return strcmp(value, "hang") ? atoi(value) : otherwise;
}

/* ---- common part ---- */

static int validate(const void *cfg, struct leat_diag *d) { return answer("validate", LEAT_OK); }
static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    return answer("plan", LEAT_OK);
}
static int open_it(struct leat_ctx *ctx, void *self) { return answer("open", LEAT_OK); }
static int start(struct leat_ctx *ctx, void *self) { return answer("start", LEAT_OK); }
static int stop(struct leat_ctx *ctx, void *self) { return answer("stop", LEAT_OK); }
static int tick(struct leat_ctx *ctx, void *self, int64_t now) { return answer("tick", LEAT_OK); }
static int barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return answer("barrier", LEAT_OK);
}
static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return answer("process", LEAT_OK);
}

struct count {
    _Atomic uint64_t n; /* progress() reads it on another thread */
};

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    int status = w->u64(w, "n", ((struct count *)self)->n);
    return status == LEAT_OK ? answer("snapshot", LEAT_OK) : status;
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    uint64_t n = 0;
    int status = r->u64(r, "n", &n);
    ((struct count *)self)->n = n;
    return status == LEAT_OK ? answer("restore", LEAT_OK) : status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    uint64_t n;
    int status = r->u64(r, "n", &n);
    if (status == LEAT_OK) ((struct count *)self)->n += n;
    return status == LEAT_OK ? answer("merge", LEAT_OK) : status;
}

#define STAGE(NAME, KIND)                                                                          \
    .name = NAME, .summary = "for tests", .doc = "One of its calls returns what it is told to.",   \
    .example = "leat.stage(\"" NAME "\", {})", .kind = KIND
#define COUNTS .instance_size = sizeof(struct count), .open = open_it
#define STATE  LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore)

/* ---- source ---- */

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    *text = "number";
    *len = 6;
    return answer("header", LEAT_OK);
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct count *c = self;
    uint64_t end = strtoull(told("RETURNS_END", "40"), NULL, 10);
    while (b->n < b->cap && b->n < 8 && c->n < end) {
        char text[32];
        uint32_t n = (uint32_t)snprintf(text, sizeof text, "%llu", (unsigned long long)c->n);
        uint32_t off = leat_add_bytes(b, n);
        memcpy(b->bytes + off, text, n);
        leat_add_record_at(b, off, n, 0, c->n++, 0);
    }
    return answer("produce", c->n < end ? LEAT_OK : LEAT_EOS);
}

static void progress(void *self, uint64_t *done, uint64_t *total)
{
    *done = ((struct count *)self)->n;
    *total = 0;
    answer("progress", 0);
}

static void wake(void *self) { answer("wake", 0); }

static int durable(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return answer("durable", LEAT_OK);
}

static const char *position_format(const void *cfg)
{
    answer("position_format", 0);
    return "returns/1";
}

static int position(struct leat_ctx *ctx, void *self, struct leat_position *p)
{
    p->bytes = self;
    p->n = sizeof(struct count);
    return answer("position", LEAT_OK);
}

static const struct leat_stage source_returns = {
    STAGE("source.returns", LEAT_SOURCE),
    COUNTS,
    .makes = LEAT_HAS_RECORDS,
    .start = start,
    .stop = stop,
    .tick = tick,
    .barrier = barrier,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .produce = produce,
                        .header = header, .progress = progress, .wake = wake, .durable = durable,
                        .position_format = position_format, .position = position),
    .state = STATE,
};

/* ---- transforms ---- */

static int framing(const void *cfg, struct leat_framing *f)
{
    f->header = 1;
    return answer("framing", LEAT_OK);
}

static const struct leat_stage parse_returns = {
    STAGE("parse.returns", LEAT_TRANSFORM),
    .caps = LEAT_PARSER,
    .needs = LEAT_HAS_RECORDS,
    .framing = framing,
    .process = process,
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    return answer("negotiate", LEAT_OK);
}

static int reject_first(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    bool odd = getenv("RETURNS_REJECTS") != NULL;
    for (LEAT_EACH_RECORD(b, r)) {
        const char *digit = leat_text(b, b->raw[r]) + b->raw[r].len - 1;
        if (odd && *digit % 2) ctx->host->reject(ctx, b, r, LEAT_R_OTHER, "it is odd");
        if (b->raw[r].len == 1 && *digit == '0')
            ctx->host->reject(ctx, b, r, LEAT_R_OTHER, "it is the first");
    }
    return process(ctx, self, b);
}

static int online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    return answer("online", LEAT_OK);
}

static const struct leat_stage keep_returns = {
    STAGE("keep.returns", LEAT_TRANSFORM),
    .needs = LEAT_HAS_RECORDS,
    .validate = validate,
    .negotiate = negotiate,
    .plan = plan,
    .process = reject_first,
};

static const struct leat_stage keep_online = {
    STAGE("keep.online", LEAT_TRANSFORM),
    .needs = LEAT_HAS_RECORDS,
    .online = online,
    .process = process,
};

static int expand(struct leat_ctx *ctx, void *self, struct leat_batch *in, struct leat_batch *out)
{
    for (LEAT_EACH_RECORD(in, r))
        leat_add_from(out, in, r);
    return answer("expand", LEAT_OK);
}

static const struct leat_stage keep_expands = {
    STAGE("keep.expands", LEAT_TRANSFORM),
    .needs = LEAT_HAS_RECORDS,
    .expand = expand,
};

/* ---- learner ---- */

static int learn(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ((struct count *)self)->n += b->n_sel;
    return LEAT_OK;
}

static const char *const columns_of[] = {"weight"};

static const char *const *columns(const void *cfg, uint32_t *n)
{
    answer("columns", 0);
    *n = 1;
    return columns_of;
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *r)
{
    double weight = (double)((struct count *)self)->n;
    int status = r->columns(r, columns_of, 1);
    if (status == LEAT_OK) status = r->row(r, "n", 1, &weight);
    return status == LEAT_OK ? answer("query", LEAT_OK) : status;
}

static const struct leat_stage learn_returns = {
    STAGE("learn.returns", LEAT_LEARNER),
    COUNTS,
    .caps = LEAT_ANY_ORDER,
    .needs = LEAT_HAS_RECORDS,
    .process = learn,
    .learner = LEAT_ROLE(leat_learner, .query = query, .columns = columns),
    .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore,
                       .merge = merge),
};

/* ---- sink ---- */

struct sink_cfg {
    const char *path;
};
static const struct leat_param sink_params[] = {
    LEAT_PARAM(struct sink_cfg, path, LEAT_STRING, .def = "committed", .doc = "where it commits"),
};

struct sink {
    atomic_int within;
    uint64_t rows;
};

/* Aborts if another call of the sink is under way. */
static int alone(void *self, const char *call)
{
    struct sink *s = self;
    if (atomic_fetch_add(&s->within, 1)) abort();
    usleep(strcmp(call, "flush") ? 200 : 5000); /* on the thread of checkpoints */
    int status = answer(call, LEAT_OK);
    atomic_fetch_sub(&s->within, 1);
    return status;
}

static int get(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ((struct sink *)self)->rows += b->n_sel;
    return alone(self, "get");
}

static int sink_tick(struct leat_ctx *ctx, void *self, int64_t now) { return alone(self, "none"); }

static int ask(const void *cfg, struct leat_ask *a)
{
    a->kind = LEAT_QUERY_TOP;
    a->k = 1;
    a->columns = (struct leat_strings){.v = columns_of, .n = 1};
    a->every.examples = 8;
    return answer("ask", LEAT_OK);
}

static int show(struct leat_ctx *ctx, void *self, const struct leat_table *t)
{
    return alone(self, "show");
}

static int take(struct leat_ctx *ctx, void *self, const struct leat_dead_letter *l)
{
    return alone(self, "take");
}

static int flush(struct leat_ctx *ctx, void *self) { return alone(self, "flush"); }

static const char *path_of(const void *cfg) { return ((const struct sink_cfg *)cfg)->path; }

static const char *name(const void *cfg)
{
    answer("name", 0);
    return *path_of(cfg) ? path_of(cfg) : NULL;
}

static int fence(struct leat_ctx *ctx, void *self, uint64_t *checkpoint)
{
    unsigned long long n = 0;
    FILE *f = fopen(path_of(ctx->cfg), "re");
    if (f && fscanf(f, "%llu", &n) != 1) n = 0;
    if (f) fclose(f);
    *checkpoint = n;
    return answer("fence", LEAT_OK);
}

static int positions(struct leat_ctx *ctx, void *self, const struct leat_position **list,
                     uint32_t *n)
{
    *n = 0;
    return answer("positions", LEAT_OK);
}

static int commit(struct leat_ctx *ctx, void *self, uint64_t checkpoint,
                  const struct leat_position *list, uint32_t n)
{
    int status = alone(self, "commit");
    FILE *f = status == LEAT_OK ? fopen(path_of(ctx->cfg), "we") : NULL;
    if (f) fprintf(f, "%llu\n", (unsigned long long)checkpoint);
    if (f) fclose(f);
    return status;
}

static const char *const accepts[] = {"returns/1", NULL};

static const struct leat_stage sink_returns = {
    STAGE("sink.returns", LEAT_SINK),
    LEAT_PARAMS(sink_params, struct sink_cfg),
    .instance_size = sizeof(struct sink),
    .needs = LEAT_HAS_RECORDS,
    .process = get,
    .tick = sink_tick,
    .asker = LEAT_ROLE(leat_asker, .ask = ask, .show = show),
    .letters = LEAT_ROLE(leat_letters, .take = take, .flush = flush),
    .transaction = LEAT_ROLE(leat_transaction, .name = name, .fence = fence, .commit = commit,
                             .positions = positions, .accepts = accepts),
};
LEAT_PLUGIN("returns", "1.0", "Apache-2.0", "test: what calls return", &source_returns,
            &parse_returns, &keep_returns, &keep_online, &keep_expands, &learn_returns,
            &sink_returns);
