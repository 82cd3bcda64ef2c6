/* models.c -- source.models: models that other processes have learned, read from a state topic.
 *
 * The source makes no records. Each partition is an input of its own: the host gets the newest
 * state of the partition, and answers queries from all states merged. The host replaces a state in
 * one step, so an answer contains each partition exactly once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kafka/client/inquiry.h"
#include "kafka/client/topic_reader.h"
#include "kafka/states/docs.h"
#include "states.h"

enum { POLL_MS = 100, MOST = 4096 /* partitions, as many as the host takes */ };

struct models_cfg {
    const char *brokers, *topic, *group, *save;
    struct leat_strings properties;
    int64_t partitions_max;
    int32_t until;
    int32_t reserved;
};

/* Status of state k in `found` at the host. */
struct model {
    bool begun, changed;
    uint32_t input;
};

struct models_source {
    struct topic_reader reader;
    struct states found;
    struct model *model; /* array of most_models() */
    uint32_t counted;    /* models that the host counts memory for */
    const struct leat_ctx *ctx;
    char group[STATES_KEY]; /* parameter `group`, or the group of the first state */
    bool has_group;
    char other[STATES_KEY]; /* another group that has states on the topic, or "" */
};

static const char *const untils[] = {"stopped", "end", NULL};

static const struct leat_param models_params[] = {
    CLIENT_TOPIC(offsetof(struct models_cfg, topic), "the state_topic of the pipeline that learns"),
    CLIENT_BROKERS(offsetof(struct models_cfg, brokers)),
    LEAT_PARAM(
        struct models_cfg, group, LEAT_STRING,
        .doc = "the group that learns; needed when several groups keep states of this pipeline in "
               "the topic"),
    LEAT_PARAM(struct models_cfg, until, LEAT_CHOICE, .def = "stopped", .choices = untils,
               .doc = "end: answer once, from the present states; stopped: follow the topic, and "
                      "answer when sinks ask"),
    LEAT_PARAM(struct models_cfg, partitions_max, LEAT_INT,
               .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .min = 1, .max = MOST,
               .unit = "partitions",
               .doc = "most partitions with a model; more end the run; by default as many as have "
                      "one"),
    LEAT_PARAM(struct models_cfg, save, LEAT_PATH, .flags = LEAT_OPERATIONAL,
               .doc = "a folder that gets each partition's newest model as a snapshot, "
                      "TOPIC-PARTITION.leat; leat model merge makes one of them"),
    CLIENT_PROPERTIES(offsetof(struct models_cfg, properties), "\"security.protocol=ssl\""),
};

static uint32_t most_models(const struct models_cfg *cfg)
{
    return cfg->partitions_max ? (uint32_t)cfg->partitions_max : MOST;
}

static struct client_cfg models_client_of(const struct models_cfg *cfg)
{
    return (struct client_cfg){
        .role = CLIENT_TOPIC_READER, .brokers = cfg->brokers, .properties = &cfg->properties};
}

static int models_validate(const void *config, struct leat_diag *d)
{
    const struct models_cfg *cfg = config;
    struct client_cfg client = models_client_of(cfg);
    const char *wrong = client_topic_wrong(cfg->topic);
    if (wrong) d->error(d, "topic", "'%s' %s", cfg->topic, wrong);
    client_validate(&client, d);
    return LEAT_OK;
}

static int models_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    const struct models_cfg *cfg = ctx->cfg;
    struct client_cfg client = models_client_of(cfg);
    struct inquiry q;
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    if (status == LEAT_OK) inquiry_topic(&q, "topic", cfg->topic, true);
    if (status == LEAT_OK) inquiry_reading(&q);
    inquiry_close(&q);
    return status;
}

static int models_plan(const void *config, const struct leat_schema *in,
                       const struct leat_schema *out, struct leat_plan *p)
{
    const uint32_t most = (uint32_t)((const struct models_cfg *)config)->partitions_max;
    p->work_bytes = most_models(config) * sizeof(struct model);
    p->shards = most ? most : UINT32_MAX;
    return LEAT_OK;
}

/* ---- which group's states ---- */

static bool models_is_text(const char *at, size_t n, const char *text)
{
    return strlen(text) == n && !memcmp(at, text, n);
}

static bool is_ours(void *self, const char *name)
{
    struct models_source *st = self;
    const char *at;
    size_t n = states_name_field(name, 0, &at);
    if (!models_is_text(at, n, st->ctx->pipeline)) return false;
    n = states_name_field(name, 1, &at);
    if (!st->has_group) snprintf(st->group, sizeof st->group, "%.*s", (int)n, at);
    if (models_is_text(at, n, st->group)) return st->has_group = true;
    if (!((const struct models_cfg *)st->ctx->cfg)->group)
        snprintf(st->other, sizeof st->other, "%.*s", (int)n, at);
    return false;
}

/* ---- life ---- */

static int models_open(struct leat_ctx *ctx, void *self)
{
    struct models_source *st = self;
    const struct models_cfg *cfg = ctx->cfg;
    st->ctx = ctx;
    st->found = (struct states){.wanted = is_ours, .self = st};
    st->has_group = cfg->group != NULL;
    snprintf(st->group, sizeof st->group, "%s", cfg->group ? cfg->group : "");
    st->model = ctx->host->alloc(ctx, most_models(cfg) * sizeof *st->model);
    if (!st->model)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u models",
                               (unsigned)most_models(cfg));
    struct client_cfg client = models_client_of(cfg);
    int status = topic_reader_open(ctx, &st->reader, &client, cfg->topic, false);
    if (status != LEAT_OK) ctx->host->free(ctx, st->model);
    return status;
}

static void models_close(struct leat_ctx *ctx, void *self)
{
    struct models_source *st = self;
    topic_reader_close(&st->reader);
    states_free(&st->found);
    ctx->host->free(ctx, st->model);
}

/* ---- models ---- */

/* Writes the n bytes to a file, and syncs it. Returns 0, or the error's number. */
static int write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wbe");
    if (!f) return errno;
    bool good = fwrite(bytes, n, 1, f) == 1 && !fflush(f) && !fsync(fileno(f));
    int err = good ? 0 : errno;
    return fclose(f) && good ? errno : err;
}

/* Saves a model in the folder `save`. The file is whole at any time. Anybody may have written the
 * name of the state, so it must not lead elsewhere. */
static int save_model(struct leat_ctx *ctx, const struct states_found *o)
{
    const struct models_cfg *cfg = ctx->cfg;
    const char *topic, *number;
    char path[STATES_KEY + 4096], draft[sizeof path + 4];
    int n = (int)states_name_field(o->name, 2, &topic);
    states_name_field(o->name, 3, &number);
    if (memchr(topic, '/', (size_t)n) || strchr(number, '/'))
        return ctx->host->fail(ctx, LEAT_EDATA,
                               "save: the state topic has a state of %.*s, partition %s: no topic "
                               "has a slash in its name",
                               n, topic, number);
    snprintf(path, sizeof path, "%s/%.*s-%s.leat", cfg->save, n, topic, number);
    snprintf(draft, sizeof draft, "%s.tmp", path);
    int err = mkdir(cfg->save, 0777) && errno != EEXIST ? errno : write_file(draft, o->bytes, o->n);
    if (!err && rename(draft, path)) err = errno;
    return err ? ctx->host->fail(ctx, LEAT_EIO, "save: %s cannot be written: %s", path,
                                 strerror(err))
               : LEAT_OK;
}

static int replace_model(struct leat_ctx *ctx, struct model *m, struct states_found *o)
{
    const char *topic, *number;
    char name[STATES_KEY];
    size_t n = states_name_field(o->name, 2, &topic);
    states_name_field(o->name, 3, &number);
    snprintf(name, sizeof name, "%.*s/%s", (int)n, topic, number);
    if (!m->begun) m->input = LEAT_NEW_INPUT;
    int status = ctx->host->shard_begin(ctx, name, o->bytes, o->n, &m->input);
    if (status != LEAT_OK && status != LEAT_EDATA) return status;
    if (status == LEAT_OK && ((const struct models_cfg *)ctx->cfg)->save) {
        status = save_model(ctx, o);
        if (status != LEAT_OK) return status;
    }
    if (status == LEAT_OK)
        m->begun = true;
    else /* the host keeps the previous model, if it has one */
        ctx->host->log(ctx, LEAT_ERROR, "the message of %s in %s is skipped", name,
                       ((const struct models_cfg *)ctx->cfg)->topic);
    free(o->bytes); /* the host has a copy; `n` and `next` stay, to recognise the state */
    o->bytes = NULL;
    return LEAT_OK;
}

static int update_models(struct leat_ctx *ctx, struct models_source *st)
{
    int status = LEAT_OK;
    if (st->found.n > st->counted) ctx->host->open_inputs(ctx, st->found.n - st->counted);
    if (st->found.n > st->counted) st->counted = st->found.n;
    for (uint32_t i = 0; i < st->found.n && status == LEAT_OK; i++) {
        struct model *m = &st->model[i];
        if (!m->changed) continue;
        m->changed = false;
        if (st->found.v[i].n) {
            status = replace_model(ctx, m, &st->found.v[i]);
        } else if (m->begun) {
            ctx->host->shard_end(ctx, m->input);
            m->begun = false;
        }
    }
    return status;
}

static int models_take_state(struct leat_ctx *ctx, struct models_source *st,
                             const rd_kafka_message_t *m)
{
    const struct models_cfg *cfg = ctx->cfg;
    uint32_t which;
    enum states_result r = states_take(&st->found, m->key, m->key_len, m->payload, m->len, &which);
    if (r == STATES_NO_MEMORY)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a state");
    if (st->other[0])
        return ctx->host->fail(
            ctx, LEAT_EARG,
            "groups '%s' and '%s' keep models of this pipeline in %s: set `group` to one of them",
            st->group, st->other, cfg->topic);
    if (st->found.n > most_models(cfg))
        return ctx->host->fail(ctx, LEAT_EARG, "more than %u partitions have a model%s",
                               (unsigned)most_models(cfg),
                               cfg->partitions_max ? ", as partitions_max says: raise it" : "");
    if (r == STATES_CHANGED) st->model[which].changed = true;
    return LEAT_OK;
}

/* Reads states and gives them to the host. Of several states of a partition, only the last is
 * used. */
static int models_produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct models_source *st = self;
    const struct models_cfg *cfg = ctx->cfg;
    int status = LEAT_OK;
    while (status == LEAT_OK) {
        rd_kafka_message_t *m;
        if (ctx->host->stopping(ctx)) return LEAT_EOS;
        status = topic_reader_next(ctx, &st->reader, POLL_MS, &m);
        if (status != LEAT_OK) break;
        status = models_take_state(ctx, st, m);
        rd_kafka_message_destroy(m);
    }
    if (status == LEAT_AGAIN && topic_reader_at_end(&st->reader)) {
        status = update_models(ctx, st);
        if (status == LEAT_OK) status = cfg->until ? LEAT_EOS : LEAT_AGAIN;
    }
    return status;
}

static int models_stop(struct leat_ctx *ctx, void *self)
{
    const struct models_source *st = self;
    uint32_t n = 0;
    for (uint32_t i = 0; i < st->found.n; i++)
        n += st->model[i].begun;
    ctx->host->metric(ctx, "models", n);
    return LEAT_OK;
}

static const struct leat_figure models_figures[] = {
    {"models", "models", "models that were read", LEAT_GAUGE},
};

const struct leat_stage source_models = {
    .name = "source.models",
    .summary = "models that the members of a group learned from their partitions, merged",
    .doc = models_doc,
    .example = "leat.source.models { \"explain-states\", brokers = \"localhost:9092\" }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(models_params, struct models_cfg),
    LEAT_FIGURES(models_figures),
    LEAT_INSTANCE(struct models_source, models_open, models_close),
    .validate = models_validate,
    .plan = models_plan,
    .stop = models_stop,
    .online = models_online,
    .source =
        LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = models_produce),
};
