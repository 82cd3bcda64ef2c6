/* source_params.c -- implementation of source_params.h. */
#include "source_params.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/stream_name.h"
#include "core/time/clock.h"
#include "kafka/client/inquiry.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/time_span.h"
#include "kernels/text/time_text.h"

enum { MESSAGE_BYTES = 360 /* librdkafka's overhead of a message, measured with 2.0.2 */ };

static const char *const until_names[] = {"stopped", "end", NULL};
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
    CONSUMER_PARAM(start, LEAT_STRING, .flags = LEAT_REQUIRED,
                   .doc = "where to begin in a partition when neither --state nor the group has "
                          "its offset: earliest, latest, a time (\"2026-11-20T12:00:00Z\"; without "
                          "an offset it is UTC), a time ago (\"-6h\"; s, min, h, d, w), timestamp, "
                          "or offset; committed: end the run with an error. With a time: at the "
                          "first message of that time or later, or at the end if there is none"),
    CONSUMER_PARAM(
        timestamp, LEAT_INT, .max = 9e15, .unit = "ms",
        .doc = "start = \"timestamp\": begin at the first message of this time or later (ms since "
               "1970)"),
    CONSUMER_PARAM(offsets, LEAT_STRINGS,
                   .doc = "start = \"offset\": the offset of the first message, for each "
                          "partition: { \"payments/0=1200\", \"payments/1=1187\" }; an offset that "
                          "the topic does not have, or no longer has, is an error"),
    LEAT_PARAM(struct source_cfg, until, LEAT_CHOICE, .flags = LEAT_OPERATIONAL, .def = "stopped",
               .choices = until_names, .doc = "end: stop when every partition was read to its end"),
    LEAT_PARAM(struct source_cfg, limit, LEAT_INT, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .min = 1, .max = 9e15, .unit = "messages",
               .doc = "most messages to read from each partition; the run stops when every "
                      "partition has given them, or with until = \"end\" has no more"),
    LEAT_PARAM(struct source_cfg, give_up, LEAT_DURATION, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
               .doc = "end the run with the reason when for this long there was nothing to read, "
                      "because no broker answers, a topic does not exist, or a partition has no "
                      "leader; by default it waits"),
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
               "parse.avro; skip: they have none, so that short messages are read faster; "
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
    LEAT_PARAM(struct source_cfg, partitions_max, LEAT_INT,
               .flags = LEAT_ADVANCED | LEAT_OPERATIONAL, .def = "16", .min = 1, .max = 4096,
               .unit = "partitions",
               .doc = "state = \"partition\": most partitions with a state in this process; more "
                      "partitions end the run"),
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
        instance, LEAT_STRING, .flags = LEAT_ADVANCED | LEAT_OPERATIONAL,
        .doc = "name of this member of the group (group.instance.id): restarted within "
               "session.timeout.ms it gets its partitions back, and the others do not notice"),
    CLIENT_PROPERTIES(offsetof(struct source_cfg, consumer.properties),
                      "\"security.protocol=ssl\", \"client.id=leat-7\""),
};

/* ---- start ---- */

static const char *const start_words[] = {"earliest",  "latest", "committed",
                                          "timestamp", "offset", NULL}; /* enum consumer_start */

/* Reads a time before now, such as "-90min". */
static bool start_ago(const char *text, int64_t *ms)
{
    int64_t ago, now = (int64_t)(clock_unix_ns() / 1000000);
    if (!time_ago(text, &ago) || ago / 1000000 >= now) return false;
    *ms = now - ago / 1000000;
    return true;
}

/* Reads a date, which is UTC unless it has an offset. */
static bool start_date(const char *text, int64_t *ms)
{
    struct time_reader reader = {.year = 0};
    char why[TIME_WHY];
    int64_t ns;
    if (!time_format_read(&reader.format, "iso8601", why)) return false;
    if (time_read(&reader, text, strlen(text), TIME_NONE, &ns)) return false;
    *ms = ns / 1000000 + (ns % 1000000 > 0);
    return true;
}

int params_start(const struct consumer_cfg *cfg, int64_t *ms)
{
    for (int i = 0; start_words[i]; i++)
        if (!strcmp(cfg->start, start_words[i])) {
            *ms = cfg->timestamp;
            return i;
        }
    return start_ago(cfg->start, ms) || start_date(cfg->start, ms) ? START_TIMESTAMP : -1;
}

static void check_start_word(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    int64_t ms;
    const char *near = edit_nearest(cfg->start, start_words);
    if (params_start(cfg, &ms) >= 0) return;
    if (near)
        d->error(d, "start", "'%s' is not a place to begin: did you mean '%s'?", cfg->start, near);
    else
        d->error(d, "start",
                 "'%s' is not a place to begin: give earliest, latest, committed, timestamp, "
                 "offset, a time such as 2026-11-20T12:00:00Z, or -6h for six hours ago",
                 cfg->start);
}

/* ---- offsets ---- */

/* Returns the number that the text has before the character `end`; negative if that part of the
 * text is not all digits. */
static int64_t source_params_read_number(const char *text, char end)
{
    char *at;
    if (!isdigit((unsigned char)*text)) return -1;
    errno = 0;
    long long n = strtoll(text, &at, 10);
    return errno || *at != end ? -1 : n;
}

/* Splits "topic/partition=offset". Returns false if the text has another form. */
static bool offset_entry(const char *text, size_t *topic, int64_t *partition, int64_t *offset)
{
    const char *slash = strrchr(text, '/'), *equal = strrchr(text, '=');
    if (!slash || !equal || slash == text || equal < slash) return false;
    *topic = (size_t)(slash - text);
    *partition = source_params_read_number(slash + 1, '=');
    *offset = source_params_read_number(equal + 1, 0);
    return *partition >= 0 && *partition <= INT32_MAX && *offset >= 0;
}

/* Returns the offset for a partition from the first `end` entries; negative if they have none for
 * it. */
static int64_t offset_wanted(const struct leat_strings *offsets, const char *name, size_t n,
                             int64_t number, uint32_t end)
{
    size_t topic;
    int64_t partition, offset;
    for (uint32_t i = 0; i < end; i++)
        if (offset_entry(offsets->v[i], &topic, &partition, &offset) && partition == number &&
            topic == n && !memcmp(offsets->v[i], name, n))
            return offset;
    return -1;
}

int64_t params_offset(const struct consumer_cfg *cfg, const char *topic, int32_t partition)
{
    return offset_wanted(&cfg->offsets, topic, strlen(topic), partition, cfg->offsets.n);
}

/* Returns the reason why an entry is wrong, as the end of an error message, and sets *which to the
 * entry's index. Returns NULL if all entries are valid. */
static const char *offsets_wrong(const struct leat_strings *offsets, uint32_t *which)
{
    size_t topic;
    int64_t partition, offset;
    for (*which = 0; *which < offsets->n; ++*which) {
        const char *text = offsets->v[*which];
        if (!offset_entry(text, &topic, &partition, &offset))
            return "must have the form topic/partition=offset";
        if (offset_wanted(offsets, text, topic, partition, *which) >= 0)
            return "is a second offset of its partition: leave one out";
    }
    return NULL;
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
                               .instance = cfg->instance,
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
        check_state_topic(cfg, name, d);
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(name, cfg->topics.v[k]))
                d->error(d, "topics", "'%s' is listed twice: leave one out", name);
    }
}

static void check_start(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    uint32_t which;
    int64_t ms;
    int start = params_start(cfg, &ms);
    check_start_word(cfg, d);
    const char *wrong = offsets_wrong(&cfg->offsets, &which);
    if (wrong) d->error(d, "offsets", "'%s' %s", cfg->offsets.v[which], wrong);
    if (start == START_TIMESTAMP && !ms)
        d->error(d, "timestamp", "start = \"timestamp\" needs a time in ms since 1970");
    if (start == START_OFFSET && !cfg->offsets.n)
        d->error(d, "offsets",
                 "start = \"offset\" needs an offset for each partition: { \"topic/0=1200\" }");
    if (start != START_OFFSET && cfg->offsets.n)
        d->error(d, "offsets", "has a meaning only with start = \"offset\": leave it out");
    if (start == START_COMMITTED && !cfg->group)
        d->error(d, "start",
                 "\"committed\" needs a group, because only a group has committed offsets: set "
                 "`group`, or start = \"earliest\", \"latest\", \"timestamp\" or \"offset\"");
}

static void check_group(const struct consumer_cfg *cfg, struct leat_diag *d)
{
    if (cfg->instance && !cfg->group)
        d->error(d, "instance",
                 "'%s' names a member of a group: set `group`, or leave out this name",
                 cfg->instance);
    if (cfg->by_partition && !cfg->state_topic)
        d->error(d, "state_topic",
                 "is missing: name the topic in which state = \"partition\" keeps the states");
    if (!cfg->by_partition && cfg->state_topic)
        d->error(d, "state_topic",
                 "has a meaning only with state = \"partition\": set that, or leave it out");
    if (cfg->group && strpbrk(cfg->group, "\t\n\r"))
        d->error(d, "group", "the name has a tab or a line end: use printable characters");
}

int params_validate(const void *config, struct leat_diag *d)
{
    const struct source_cfg *cfg = config;
    check_topics(&cfg->consumer, d);
    check_start(&cfg->consumer, d);
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
    struct inquiry q;
    const struct client_cfg client = {
        .role = CLIENT_CONSUMER, .brokers = cfg->brokers, .properties = &cfg->properties};
    if (client_is_embedded(&client)) return LEAT_OK;
    int status = inquiry_open(&q, ctx, &client, seconds, d);
    for (uint32_t i = 0; status == LEAT_OK && i < cfg->topics.n; i++)
        inquiry_topic(&q, "topics", cfg->topics.v[i], true);
    if (status == LEAT_OK && cfg->group)
        inquiry_group(&q, "group", cfg->group, !strcmp(cfg->start, "committed"));
    if (status == LEAT_OK) ask_state_topic(&q, cfg);
    if (status == LEAT_OK) inquiry_reading(&q);
    inquiry_close(&q);
    return status;
}
