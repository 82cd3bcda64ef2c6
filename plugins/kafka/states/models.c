/* models.c -- source.models: what others have learned, from the topic in which they keep it.
 *
 * No records: the newest state of each partition is given to the host as an input of its own, and
 * answers are of all of them merged. A state that is replaced is so in one step, so that an answer
 * never lacks a partition nor has it twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <leat/plugin.h>

#include "states.h"
#include "kafka/client/topic_reader.h"

enum { POLL_MS = 100 };

struct cfg {
    const char *brokers, *topic, *group;
    struct leat_strings properties;
    int64_t partitions_max;
    int32_t until;
    int32_t reserved;
};

/* Of a state, by its place in `found`. */
struct model {
    bool begun, changed;
    uint32_t input;
};

struct source {
    struct topic_reader reader;
    struct states found;
    struct model *model; /* partitions_max */
    const struct leat_ctx *ctx;
    char group[STATES_KEY]; /* whose states are read; "" and no has_group: the first one's */
    bool has_group;
    char other[STATES_KEY]; /* a second group that came up */
};

static const char *const untils[] = {"stopped", "end", NULL};

static const struct leat_param params[] = {
    {.name = "topic",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, topic),
     .doc = "the state_topic of those whose models these are"},
    {.name = "brokers",
     .type = LEAT_STRING,
     .flags = LEAT_REQUIRED,
     .offset = offsetof(struct cfg, brokers),
     .doc = "host:port, several apart by commas"},
    {.name = "group",
     .type = LEAT_STRING,
     .offset = offsetof(struct cfg, group),
     .doc = "whose models; needed where several groups of this pipeline keep theirs in the topic"},
    {.name = "until",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, until),
     .def = "stopped",
     .choices = untils,
     .doc = "end: answer once, of what there is now; stopped: follow, and answer as sinks ask"},
    {.name = "partitions_max",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, partitions_max),
     .def = "64",
     .min = 1,
     .max = 4096,
     .unit = "partitions",
     .doc = "so many have a model at most; more end the run"},
    {.name = "properties",
     .type = LEAT_STRINGS,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, properties),
     .doc = "any property of librdkafka: { \"security.protocol=ssl\" }"},
};

static int validate(const void *config, struct leat_diag *d)
{
    const struct cfg *cfg = config;
    char why[600] = "";
    const char *wrong = topic_reader_wrong(cfg->brokers, &cfg->properties, why, sizeof why);
    if (wrong) d->error(d, "properties", "%s", wrong);
    return LEAT_OK;
}

static int plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)in, (void)out;
    p->shards = (uint32_t)((const struct cfg *)config)->partitions_max;
    return LEAT_OK;
}

/* ---- whose states ---- */

/* Field k of a name, from 0; its length. */
static size_t field(const char *name, int k, const char **at)
{
    for (; k > 0; k--)
        name += strcspn(name, "\t") + 1;
    *at = name;
    return strcspn(name, "\t");
}

static bool is(const char *at, size_t n, const char *text)
{
    return strlen(text) == n && !memcmp(at, text, n);
}

static bool is_ours(void *self, const char *name)
{
    struct source *st = self;
    const char *at;
    size_t n = field(name, 0, &at);
    if (!is(at, n, st->ctx->pipeline)) return false;
    n = field(name, 1, &at);
    if (!st->has_group) snprintf(st->group, sizeof st->group, "%.*s", (int)n, at);
    if (is(at, n, st->group)) return st->has_group = true;
    if (!((const struct cfg *)st->ctx->cfg)->group)
        snprintf(st->other, sizeof st->other, "%.*s", (int)n, at);
    return false;
}

/* ---- life ---- */

static int open_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    st->ctx = ctx;
    st->found = (struct states){.wanted = is_ours, .to = st};
    st->has_group = cfg->group != NULL;
    snprintf(st->group, sizeof st->group, "%s", cfg->group ? cfg->group : "");
    st->model = ctx->host->alloc(ctx, (size_t)cfg->partitions_max * sizeof *st->model);
    if (!st->model) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for models");
    int s = topic_reader_open(ctx, &st->reader, cfg->brokers, cfg->topic, &cfg->properties, false);
    if (s != LEAT_OK) ctx->host->free(ctx, st->model);
    return s;
}

static void close_source(struct leat_ctx *ctx, void *self)
{
    struct source *st = self;
    topic_reader_close(&st->reader);
    states_free(&st->found);
    ctx->host->free(ctx, st->model);
}

/* ---- models ---- */

static int replace(struct leat_ctx *ctx, struct model *m, struct state_of *o)
{
    const char *topic, *number;
    char name[STATES_KEY];
    size_t n = field(o->name, 2, &topic);
    field(o->name, 3, &number);
    snprintf(name, sizeof name, "%.*s/%s", (int)n, topic, number);
    if (!m->begun) m->input = LEAT_NEW_INPUT;
    int s = ctx->host->shard_begin(ctx, name, o->bytes, o->n, &m->input);
    if (s != LEAT_OK) return s;
    m->begun = true;
    free(o->bytes); /* it is the host's now; n and next say that it is known */
    o->bytes = NULL;
    return LEAT_OK;
}

static int update(struct leat_ctx *ctx, struct source *st)
{
    int s = LEAT_OK;
    for (uint32_t i = 0; i < st->found.n && s == LEAT_OK; i++) {
        struct model *m = &st->model[i];
        if (!m->changed) continue;
        m->changed = false;
        if (st->found.v[i].n) {
            s = replace(ctx, m, &st->found.v[i]);
        } else if (m->begun) {
            ctx->host->shard_end(ctx, m->input);
            m->begun = false;
        }
    }
    return s;
}

static int take(struct leat_ctx *ctx, struct source *st, const rd_kafka_message_t *m)
{
    const struct cfg *cfg = ctx->cfg;
    uint32_t which;
    enum states_result r = states_take(&st->found, m->key, m->key_len, m->payload, m->len, &which);
    if (r == STATES_NO_MEMORY) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for models");
    if (st->other[0])
        return ctx->host->fail(ctx, LEAT_EARG,
                               "groups '%s' and '%s' keep models of this pipeline in %s: group = "
                               "says whose to show",
                               st->group, st->other, cfg->topic);
    if (st->found.n > cfg->partitions_max)
        return ctx->host->fail(ctx, LEAT_EARG, "more than partitions_max = %lld have a model",
                               (long long)cfg->partitions_max);
    if (r == STATES_NEWS) st->model[which].changed = true;
    return LEAT_OK;
}

/* Of several states that are read at once only the last is given on. */
static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct source *st = self;
    const struct cfg *cfg = ctx->cfg;
    int s = LEAT_OK;
    (void)b;
    while (s == LEAT_OK) {
        rd_kafka_message_t *m;
        if (ctx->host->stopping(ctx)) return LEAT_EOS;
        s = topic_reader_next(ctx, &st->reader, POLL_MS, &m);
        if (s != LEAT_OK) break;
        s = take(ctx, st, m);
        rd_kafka_message_destroy(m);
    }
    if (s == LEAT_AGAIN && topic_reader_at_end(&st->reader)) {
        s = update(ctx, st);
        if (s == LEAT_OK) s = cfg->until ? LEAT_EOS : LEAT_AGAIN;
    }
    return s;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    const struct source *st = self;
    uint32_t n = 0;
    for (uint32_t i = 0; i < st->found.n; i++)
        n += st->model[i].begun;
    ctx->host->metric(ctx, "models", n);
    return LEAT_OK;
}

const struct leat_stage source_models = {
    .name = "source.models",
    .summary = "what the members of a group have learned, each of its partitions, merged",
    .doc = "Reads the topic in which source.kafka { state = \"partition\" } keeps its states, and "
           "takes the newest of each partition. No records come of it: the stages behind it are "
           "those of the pipeline that learned, with the same name and parameters, and what their "
           "sinks are told is of all these models merged, as leat model merge does it. So any "
           "process, a worker or not, shows what all have learned together. A model of other "
           "parameters, or of another seed, is refused by the name of the field.\n"
           "What is shown is as of the workers' last checkpoints (--every).",
    .example = "leat.source.models { \"explain-states\", brokers = \"localhost:9092\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct source),
    .validate = validate,
    .plan = plan,
    .open = open_source,
    .close = close_source,
    .stop = stop,
    .produce = produce,
};
