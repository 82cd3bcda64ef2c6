/* client_properties.c -- see client_properties.h. */
#include "client_properties.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/text/edit_distance.h"
#include "core/text/secret_text.h"

/* From this version on a commit in the middle of a cooperative rebalance does not lose the
 * assignment (its changelog: #4908, since 1.6.0), and this source commits just then; the assignor
 * no longer runs for ever (#4800, 2.6.1) or gives a partition to two members (#4252, 2.2). */
enum { NAME_BYTES = 64, COOPERATIVE_FROM = 0x020a00ff };
#define COOPERATIVE_FROM_TEXT "2.10.0"

/* What a property of the user's name does. */
enum rule {
    DEFAULT, /* it replaces the role's value                                       */
    FIXED,   /* it is refused                                                      */
    FORCED,  /* it is meant for another client of the stage: the role's value counts */
    OPTIONAL /* as DEFAULT, and older versions of librdkafka do not know the name  */
};

/* A property has a `value`, or takes it from a member of struct client_cfg: a text (NULL: the
 * property is not set) or a number. Without any of the three it is only refused. */
struct property {
    const char *name;
    enum rule rule;
    const char *value;
    size_t text, number; /* offsets; 0: none, which is the offset of `role`     */
    const char *instead; /* FIXED: what to do instead; NULL: to leave it out    */
};

#define VALUE(TEXT)   .value = TEXT
#define TEXT(FIELD)   .text = offsetof(struct client_cfg, FIELD)
#define NUMBER(FIELD) .number = offsetof(struct client_cfg, FIELD)
#define INSTEAD(TEXT) .instead = TEXT

// clang-format off
static const struct property consumer[] = {
    {"enable.auto.commit",            FIXED,    VALUE("false")},
    {"enable.auto.offset.store",      FIXED,    VALUE("false")},
    {"enable.partition.eof",          FIXED,    VALUE("true")},
    {"auto.offset.reset",             FIXED,    VALUE("error")}, /* start_offset.c says where */
    {"group.id",                      FIXED,    TEXT(group)},
    {"group.instance.id",             FIXED,    TEXT(instance)},
    {"isolation.level",               DEFAULT,  VALUE("read_committed")},
    {"partition.assignment.strategy", DEFAULT,  VALUE("range,roundrobin")},
    {"queued.max.messages.kbytes",    FIXED,    NUMBER(queue_kbytes), INSTEAD("set prefetch")},
    {"queued.min.messages",           FIXED,    NUMBER(queue_messages), INSTEAD("set prefetch")},
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"fetch.queue.backoff.ms",        OPTIONAL, VALUE("10")}, /* retry of a full queue; from 2.2 */
    {.name = NULL}};

static const struct property topic_reader[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"fetch.wait.max.ms",             DEFAULT,  VALUE("50")}, /* waits at the end of a topic */
    {"enable.partition.eof",          FIXED,    VALUE("true")},
    {"group.id",                      FORCED,   VALUE("leat")},
    {"enable.auto.commit",            FORCED,   VALUE("false")},
    {"isolation.level",               FORCED,   VALUE("read_committed")},
    {"auto.offset.reset",             FORCED,   VALUE("earliest")},
    {.name = NULL}};

/* A consumer, which makes no topic by asking for it, whatever properties it gets. */
static const struct property inquirer[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"enable.partition.eof",          FORCED,   VALUE("true")},
    {"enable.auto.commit",            FORCED,   VALUE("false")},
    {"group.id",                      FORCED,   VALUE("leat")}, /* which it does not join */
    {"fetch.wait.max.ms",             DEFAULT,  VALUE("50")},
    {"allow.auto.create.topics",      FORCED,   VALUE("false")},
    {.name = NULL}};

static const struct property producer[] = {
    {"enable.idempotence",            FIXED,    VALUE("true")},
    {"acks",                          FIXED,    VALUE("all")},
    {"request.required.acks",         FIXED,    VALUE(NULL)}, /* another name of acks */
    {"message.max.bytes",             FIXED,    NUMBER(message_bytes)},
    {"transactional.id",              FIXED,    TEXT(transaction)},
    {"transaction.timeout.ms",        DEFAULT,  TEXT(transaction_ms)},
    {"message.timeout.ms",            DEFAULT,  TEXT(message_ms)},
    {"linger.ms",                     DEFAULT,  VALUE("5")},
    {"queue.buffering.max.kbytes",    FIXED,    VALUE("32768")}, /* the plan counts it */
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"partitioner",                   DEFAULT,  VALUE("murmur2_random")}, /* Kafka's own */
    {.name = NULL}};

static const struct property state_producer[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"enable.idempotence",            FIXED,    VALUE("true")},
    {"acks",                          FIXED,    VALUE("all")},
    {"message.max.bytes",             DEFAULT,  NUMBER(message_bytes)},
    {"linger.ms",                     DEFAULT,  VALUE("1")},
    {"compression.codec",             DEFAULT,  VALUE("lz4")}, /* much of a state is zeros */
    {.name = NULL}};

static const struct property *const roles[] = {
    [CLIENT_CONSUMER] = consumer,
    [CLIENT_TOPIC_READER] = topic_reader,
    [CLIENT_INQUIRER] = inquirer,
    [CLIENT_PRODUCER] = producer,
    [CLIENT_STATE_PRODUCER] = state_producer,
};
// clang-format on

/* ---- a wrong name ---- */

/* The known name that is most like `name`; `out` is empty when none is. librdkafka lists its
 * properties as a table, a line each, the name first. */
static void find_similar(const char *name, char *out, size_t cap)
{
    char *text = NULL, *rest = NULL;
    size_t n, best = 1 + strlen(name) / 4;
    FILE *f = open_memstream(&text, &n);
    out[0] = 0;
    if (!f) return;
    rd_kafka_conf_properties_show(f);
    fclose(f);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t len = strcspn(line, " |"), d = edit_distance(name, line, len);
        if (!strchr(line, '|') || d > best) continue;
        best = d - (d > 0);
        snprintf(out, cap, "%.*s", (int)len, line);
    }
    free(text);
}

static void describe_unknown(const char *name, bool hidden, char *why, size_t cap)
{
    char similar[NAME_BYTES + 1];
    find_similar(name, similar, sizeof similar);
    if (similar[0])
        snprintf(why, cap, "librdkafka has no property '%s': did you mean '%s'?", name, similar);
    else if (hidden)
        snprintf(why, cap,
                 "librdkafka has no property of the name in an entry after a secret, which is not "
                 "shown: a secret with a comma needs a table, or ${file:PATH}");
    else
        snprintf(why, cap, "librdkafka has no property '%s'", name);
}

/* hidden: name and value may be the rest of a secret. */
static bool set_one(rd_kafka_conf_t *conf, const char *name, const char *value, bool hidden,
                    char *why, size_t cap)
{
    char text[400];
    rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, name, value, text, sizeof text);
    if (result == RD_KAFKA_CONF_OK) return true;
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        describe_unknown(name, hidden, why, cap);
    } else if (hidden || secret_is_name(name)) {
        snprintf(why, cap, "librdkafka refuses the value of %s", name);
    } else {
        snprintf(why, cap, "%s=%s: %s", name, value, text);
    }
    return false;
}

/* ---- the role's properties, and the user's ---- */

/* NULL: it is not set. */
static const char *value_of(const struct client_cfg *cfg, const struct property *p, char number[24])
{
    const char *base = (const char *)cfg;
    if (p->value) return p->value;
    if (p->text) return *(const char *const *)(const void *)(base + p->text);
    if (!p->number) return NULL;
    snprintf(number, 24, "%lld", (long long)*(const int64_t *)(const void *)(base + p->number));
    return number;
}

/* Those that come after the user's, or those that come before. */
static bool set_role(rd_kafka_conf_t *conf, const struct client_cfg *cfg, bool forced, char *why,
                     size_t cap)
{
    char number[24];
    for (const struct property *p = roles[cfg->role]; p->name; p++) {
        const char *value = value_of(cfg, p, number);
        if (!value || (p->rule == FORCED) != forced) continue;
        if (p->rule == OPTIONAL)
            rd_kafka_conf_set(conf, p->name, value, NULL, 0);
        else if (!set_one(conf, p->name, value, false, why, cap))
            return false;
    }
    return true;
}

/* A property that is refused; NULL: it is not. */
static const struct property *fixed(enum client_role role, const char *name)
{
    static const struct property brokers = {.name = "", INSTEAD("set brokers")};
    const struct property *p = roles[role];
    if (!strcmp(name, "bootstrap.servers") || !strcmp(name, "metadata.broker.list"))
        return &brokers;
    while (p->name && (p->rule != FIXED || strcmp(p->name, name)))
        p++;
    return p->name ? p : NULL;
}

/* false: this consumer cannot follow that way of sharing partitions. */
static bool check_sharing(const char *name, const char *value, char *why, size_t cap)
{
    bool strategy = !strcmp(name, "partition.assignment.strategy");
    if (!strcmp(name, "group.protocol") && strcmp(value, "classic"))
        snprintf(why, cap,
                 "%s=%s: this stage shares partitions by the classic protocol only: leave it out",
                 name, value);
    else if (strategy && strstr(value, "cooperative") && strcmp(value, "cooperative-sticky"))
        snprintf(why, cap,
                 "%s=%s: cooperative-sticky cannot be mixed with others: write it alone, for all "
                 "members of the group",
                 name, value);
    else if (strategy && strstr(value, "cooperative") && rd_kafka_version() < COOPERATIVE_FROM)
        snprintf(why, cap,
                 "%s=%s needs librdkafka " COOPERATIVE_FROM_TEXT
                 " or later, and this is %s, which may lose partitions when offsets are committed "
                 "while they move: use range or roundrobin, as all members of the group must, or "
                 "build leat with a newer one",
                 name, value, rd_kafka_version_str());
    else
        return true;
    return false;
}

static bool refuse(const char *name, const char *instead, char *why, size_t cap)
{
    snprintf(why, cap, "%s is set by this stage: %s", name, instead ? instead : "leave it out");
    return false;
}

/* A value that names a secret; before the client opens only the property's name is looked at. */
static bool set_secret(rd_kafka_conf_t *conf, const char *name, const char *value, bool opens,
                       bool hidden, char *why, size_t cap)
{
    char text[300];
    size_t n = 0;
    if (!opens) {
        bool known = rd_kafka_conf_get(conf, name, NULL, &n) != RD_KAFKA_CONF_UNKNOWN;
        return known || set_one(conf, name, "", hidden, why, cap);
    }
    char *secret = secret_expand(value, text, sizeof text);
    bool good = secret && rd_kafka_conf_set(conf, name, secret, NULL, 0) == RD_KAFKA_CONF_OK;
    if (!secret)
        snprintf(why, cap, "%s: %s", name, text);
    else if (!good)
        snprintf(why, cap, "librdkafka refuses the value of %s", name);
    free(secret);
    return good;
}

/* Some entry before this one is a secret as it is: a list in one text is split at its commas. */
static bool comes_after_secret(const struct leat_strings *list, uint32_t i)
{
    while (i--) {
        const char *entry = list->v[i];
        char name[NAME_BYTES + 1];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
        if (secret_is_name(name) && !secret_is_reference(entry)) return true;
    }
    return false;
}

/* Entry i of the user's list, "name=value". */
static bool set_users(rd_kafka_conf_t *conf, const struct client_cfg *cfg, uint32_t i, bool opens,
                      char *why, size_t cap)
{
    char name[128];
    const char *property = cfg->properties->v[i], *equal = strchr(property, '=');
    if (!equal || equal == property || (size_t)(equal - property) >= sizeof name) {
        snprintf(why, cap,
                 "entry %u is not of the form name=value: a value with a comma needs a table, or "
                 "${file:PATH}",
                 (unsigned)i + 1);
        return false;
    }
    memcpy(name, property, (size_t)(equal - property));
    name[equal - property] = 0;
    bool hidden = comes_after_secret(cfg->properties, i);
    const struct property *p = fixed(cfg->role, name);
    if (p) return refuse(name, p->instead, why, cap);
    if (secret_is_reference(equal + 1))
        return set_secret(conf, name, equal + 1, opens, hidden, why, cap);
    return check_sharing(name, equal + 1, why, cap) &&
           set_one(conf, name, equal + 1, hidden, why, cap);
}

bool client_properties_set(rd_kafka_conf_t *conf, const struct client_cfg *cfg, bool opens,
                           char *why, size_t cap)
{
    bool good = client_is_embedded(cfg)
                    ? set_one(conf, "test.mock.num.brokers", "1", false, why, cap)
                    : set_one(conf, "bootstrap.servers", cfg->brokers, false, why, cap);
    good = good && set_role(conf, cfg, false, why, cap);
    for (uint32_t i = 0; good && i < cfg->properties->n; i++)
        good = set_users(conf, cfg, i, opens, why, cap);
    return good && set_role(conf, cfg, true, why, cap);
}

const char *client_properties_unreadable(const struct client_cfg *cfg, const char **why)
{
    for (uint32_t i = 0; i < cfg->properties->n; i++) {
        const char *entry = cfg->properties->v[i], *path = strstr(entry, ".location=");
        if (strncmp(entry, "ssl.", 4) || !path || comes_after_secret(cfg->properties, i)) continue;
        if (!access(path + strlen(".location="), R_OK)) continue;
        *why = strerror(errno);
        return entry;
    }
    return NULL;
}
