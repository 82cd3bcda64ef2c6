/* source_params.c -- implementation of source_params.h. */
#include "source_params.h"

#include <string.h>

#include "core/text/stream_name.h"
#include "kafka/client/inquiry.h"
#include "bounds_report.h"
#include "static_member.h"

enum { MESSAGE_BYTES = 360 /* librdkafka's overhead of a message, measured with 2.0.2 */ };

static const char *const header_names[] = {"keep", "skip", NULL}; /* enum record_headers */
static const char *const tombstone_names[] = {"skip", "empty", NULL};
static const char *const state_names[] = {"process", "partition", NULL};
static const char *const expired_names[] = {"refuse", "begin", NULL}; /* enum consumer_expired */
static const char *const missing_names[] = {"refuse", "begin", NULL}; /* enum consumer_missing */

#define CONSUMER_PARAM(FIELD, ...)                                                                 \
    LEAT_PARAM_AS(#FIELD, struct source_cfg, consumer.FIELD, __VA_ARGS__)

const struct leat_param source_params[SOURCE_PARAMS] = {
    CONSUMER_PARAM(
        topics, LEAT_STRINGS, .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_STREAM,
        .doc = "topics to read; with a group, a name that begins with ^ is a regular expression"),
    CONSUMER_PARAM(
        brokers, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_OPERATIONAL | LEAT_SERVERS,
        .doc = "host:port, several with commas between; \"embedded\" starts a test broker in this "
               "process"),
    CONSUMER_PARAM(
        group, LEAT_STRING,
        .doc = "consumer group that shares the partitions and keeps the offsets; without a group "
               "this process reads all partitions, and only --state keeps offsets"),
    CONSUMER_PARAM(
        start, LEAT_STRINGS, .flags = LEAT_REQUIRED | LEAT_KEYED, .unit = "places",
        .doc = "where to begin in a partition when neither --state nor the group has its offset: "
               "earliest, latest, a time (\"2026-11-20T12:00:00Z\"; without an offset it is UTC), "
               "a time ago (\"-6h\"; s, min, h, d, w); committed: end the run with an error; or "
               "for each partition: { [0] = 1200, [1] = \"latest\" }, with the offset of the "
               "first message. Partitions that it does not name begin at the beginning"),
    CONSUMER_PARAM(
        until, LEAT_STRINGS, .flags = LEAT_KEYED | LEAT_OPERATIONAL, .def = "stopped",
        .unit = "places",
        .doc = "where to end in a partition, before the message: end: where it ended when this "
               "process began to read it; a time, a time ago, or for each partition: { [0] = "
               "1200 }. Partitions that it does not name end at the end. The run stops when all "
               "have ended. stopped: it reads until it is stopped"),
    LEAT_PARAM(struct source_cfg, limit, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .min = 1, .max = 9e15, .unit = "messages",
               .doc = "most messages to read from each partition; the run stops when every "
                      "partition has given them, or with until = \"end\" has no more"),
    CONSUMER_PARAM(
        give_up, LEAT_DURATION, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .doc = "end the run with the reason when for this long there was nothing to read, because "
               "no broker answers, a topic does not exist, a partition has no leader, or the group "
               "keeps this member out; by default it waits"),
    LEAT_PARAM(struct source_cfg, quiet, LEAT_DURATION, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .def = "10s", .max = 86400, .unit = "seconds",
               .doc = "how long windows wait for the next message of a partition that was read to "
                      "its end; then the event times of the others count alone"),
    LEAT_PARAM_AS(
        "columns", struct source_cfg, record.columns, LEAT_STRINGS,
        .doc = "parts of the message that become columns: key, topic, partition, offset, time (ms "
               "since 1970), tombstone (1 or 0), header.NAME"),
    LEAT_PARAM(struct source_cfg, tombstones, LEAT_CHOICE, .def = "skip",
               .choices = tombstone_names,
               .doc = "messages without a value: skip: count them only; or make records without "
                      "bytes, which sink.kafka writes as messages without a value again"),
    LEAT_PARAM_AS(
        "headers", struct source_cfg, record.headers, LEAT_CHOICE,
        .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "keep", .choices = header_names,
        .doc = "keep: records have the headers of their messages, for dead letters, sink.kafka and "
               "parsers of schemas; skip: they have none, so that short messages are read faster; "
               "columns of header.NAME work with both"),
    LEAT_PARAM_AS(
        "state", struct source_cfg, consumer.by_partition, LEAT_CHOICE, .def = "process",
        .choices = state_names,
        .doc = "process: stages learn from all messages that this process reads; partition: each "
               "partition has its own state, which moves with it from process to process"),
    CONSUMER_PARAM(
        state_topic, LEAT_STRING,
        .doc = "state = \"partition\": the topic that keeps the states; it is made, compacted, if "
               "it does not exist"),
    CONSUMER_PARAM(
        begin, LEAT_PATH, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .doc = "state = \"partition\": a model that this pipeline has learned from other input, a "
               "file such as leat model merge writes: a new group goes on from it. Partition 0 of "
               "the first topic has it, so all members need the file until that has a state"),
    CONSUMER_PARAM(
        expired, LEAT_CHOICE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "refuse",
        .choices = expired_names,
        .doc =
            "messages that the cluster has deleted before they were read: refuse: end the run; "
            "begin: warn, count them and continue at the first message left, and keep the state"),
    CONSUMER_PARAM(
        missing, LEAT_CHOICE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "refuse",
        .choices = missing_names,
        .doc =
            "state = \"partition\": if the group has committed an offset and state_topic has no "
            "state for it, refuse: end the run; begin: start at the offset with nothing learned"),
    CONSUMER_PARAM(partitions_max, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .min = 1,
                   .max = 4096, .unit = "partitions",
                   .doc = "state = \"partition\": most partitions with a state in this process; "
                          "more end the run; by default as many as the topics have"),
    CLIENT_MAX_MESSAGE(
        offsetof(struct source_cfg, max_message),
        "state = \"partition\": longer states are written in several messages; the cluster must "
        "accept messages of this length (message.max.bytes)"),
    LEAT_PARAM_AS("max_record", struct source_cfg, record.max_record, LEAT_SIZE,
                  .flags = LEAT_ADVANCED, .def = "1MiB", .min = 1 << 10, .max = 64 << 20,
                  .unit = "bytes", .doc = "longer messages are rejected"),
    CONSUMER_PARAM(prefetch, LEAT_SIZE, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "32MiB",
                   .min = 64 << 10, .max = 2147483647.0, .unit = "bytes",
                   .doc = "memory for messages that wait to be read: half for their bytes, half "
                          "for the data that librdkafka keeps for each"),
    CONSUMER_PARAM(
        instance, LEAT_STRING, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "auto",
        .doc = "name of this member of the group (group.instance.id): killed and started again "
               "within session.timeout.ms, it gets its partitions back at once. auto: a name of "
               "the host and the pipeline, whose member leaves when it ends; none: no name. "
               "With any other name a member also keeps its partitions that long after it ends"),
    CLIENT_PROPERTIES(offsetof(struct source_cfg, consumer.properties),
                      "\"security.protocol=ssl\", \"client.id=leat-7\""),
};

struct places params_start(const struct consumer_cfg *cfg)
{
    return (struct places){"start", &cfg->start, &cfg->topics};
}

struct places params_until(const struct consumer_cfg *cfg)
{
    return (struct places){"until", &cfg->until, &cfg->topics};
}

/* ---- checks without a network ---- */

/* Returns the settings of the consumer's client. Half of `prefetch` is for the messages' bytes,
 * half for librdkafka's overhead. */
struct client_cfg params_client(const struct consumer_cfg *cfg)
{
    return (struct client_cfg){.role = CLIENT_CONSUMER,
                               .brokers = cfg->brokers,
                               .properties = &cfg->properties,
                               .group = cfg->group ? cfg->group : "leat",
                               .instance = static_member_given(cfg),
                               .queue_kbytes = cfg->prefetch / 2 / 1024,
                               .queue_messages = cfg->prefetch / 2 / MESSAGE_BYTES};
}

/* Returns the reason why the regular expression is wrong, as the end of an error message; NULL if
 * it is valid. */
static const char *pattern_wrong(const char *pattern)
{
    return stream_name_is_good(pattern)
               ? NULL
               : "is not a regular expression: a bracket or brace may be open";
}

static void check_state_topic(const struct consumer_cfg *cfg, const char *topic,
                              struct leat_diag *d)
{
    const char *states = cfg->by_partition ? cfg->state_topic : NULL;
    if (states && stream_name_covers(topic, states))
        d->error(d, "state_topic",
                 "'%s' is also in `topics`, as '%s': states need a topic of "
                 "their own",
                 states, topic);
}

/* Refuses a pattern that means another set of topics by the consumer protocol: there the brokers
 * compare it with whole names, and elsewhere librdkafka with their beginnings. */
static void check_pattern_end(const struct consumer_cfg *cfg, const char *pattern,
                              struct leat_diag *d)
{
    const struct client_cfg client = params_client(cfg);
    size_t n = strlen(pattern);
    bool whole = pattern[n - 1] == '$' || (n > 2 && !strcmp(pattern + n - 2, ".*"));
    if (client_uses_consumer_protocol(&client) && !whole)
        d->error(d, "topics",
                 "with group.protocol=consumer '%s' must match whole names: write '%s.*' or '%s$'",
                 pattern, pattern, pattern);
}

static void check_topics(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (!cfg->topics.n) d->error(d, "topics", "the list is empty: name at least one topic");
    for (uint32_t i = 0; i < cfg->topics.n; i++) {
        const char *name = cfg->topics.v[i];
        const char *wrong = *name == '^' ? pattern_wrong(name) : client_topic_wrong(name);
        if (wrong) d->error(d, "topics", "'%s' %s", name, wrong);
        if (*name == '^' && !cfg->group)
            d->error(d, "topics", "'%s' is a regular expression, which needs a group: set `group`",
                     name);
        if (*name == '^') check_pattern_end(cfg, name, d);
        check_state_topic(cfg, name, d);
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(name, cfg->topics.v[k]))
                d->error(d, "topics", "'%s' is listed twice: leave one out", name);
    }
}

static void check_places(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    const struct places start = params_start(cfg), until = params_until(cfg);
    places_check(&start, d);
    places_check(&until, d);
    if (!cfg->group && places_have(&start, PLACE_COMMITTED))
        d->error(d, "start",
                 "\"committed\" needs a group, because only a group has committed offsets: set "
                 "`group`, or start = \"earliest\", \"latest\" or a time");
}

static void check_group(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (!cfg->group && static_member_given(cfg))
        d->error(d, "instance",
                 "'%s' names a member of a group: set `group`, or leave out this name",
                 cfg->instance);
    if (cfg->by_partition && !cfg->state_topic)
        d->error(d, "state_topic",
                 "is missing: name the topic in which state = \"partition\" keeps the states");
    if (!cfg->by_partition && cfg->state_topic)
        d->error(d, "state_topic",
                 "has a meaning only with state = \"partition\": set that, or leave it out");
    if (cfg->begin && (!cfg->by_partition || !cfg->topics.n || *cfg->topics.v[0] == '^'))
        d->error(d, "begin",
                 "has a meaning only with state = \"partition\" and a first topic that is no "
                 "regular expression: set these, or leave it out");
    if (cfg->group && strpbrk(cfg->group, "\t\n\r"))
        d->error(d, "group", "the name has a tab or a line end: use printable characters");
}

int params_validate(const void *config, struct leat_diag *d)
{
    const struct source_cfg *cfg = config;
    check_topics(&cfg->consumer, d);
    check_places(&cfg->consumer, d);
    check_group(&cfg->consumer, d);
    record_check(&cfg->record, d);
    struct client_cfg client = params_client(&cfg->consumer);
    client_validate(&client, d);
    return LEAT_OK;
}

/* ---- checks with the brokers ---- */

/* Checks the state topic, but only if it exists: the first run creates it. */
static void ask_state_topic(struct inquiry *q, const struct consumer_cfg *cfg)
{
    if (cfg->by_partition && inquiry_has(q, cfg->state_topic))
        inquiry_topic(q, "state_topic", cfg->state_topic, true);
}

int params_online(struct leat_ctx *ctx, int seconds, struct leat_diag *d)
{
    const struct consumer_cfg *cfg = &((const struct source_cfg *)ctx->cfg)->consumer;
    const struct places start = params_start(cfg);
    struct inquiry q;
    const struct client_cfg client = {
        .role = CLIENT_CONSUMER, .brokers = cfg->brokers, .properties = &cfg->properties};
    if (client_is_embedded(&client)) return LEAT_OK;
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->topics.n; i++)
        inquiry_topic(&q, "topics", cfg->topics.v[i], true);
    if (status == LEAT_OK && cfg->by_partition) ctx->host->open_inputs(ctx, (uint32_t)q.read->cnt);
    if (status == LEAT_OK && cfg->group)
        inquiry_group(&q, "group", cfg->group, places_have(&start, PLACE_COMMITTED));
    if (status == LEAT_OK && cfg->group) inquiry_join(&q, "group", cfg->group);
    if (status == LEAT_OK) ask_state_topic(&q, cfg);
    if (status == LEAT_OK) inquiry_reading(&q);
    if (status == LEAT_OK) bounds_report(&q, cfg);
    inquiry_close(&q);
    return status;
}
