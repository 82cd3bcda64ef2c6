/* client.c -- implementation of client.h. */
#include "client.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/text/secret_text.h"
#include "core/time/clock.h"
#include "kernels/text/edit_distance.h"

/* ---- outages ---- */

enum { ASK_MS = 1000, LOOK_MS = 50 };
#define LOOK_NS    UINT64_C(1000000000)
#define REFUSED_NS UINT64_C(20000000000)

/* True if the broker refused the client's credentials or certificate. With TLS 1.3 the broker
 * refuses a certificate after the handshake, by an alert. */
static bool is_refused(int err, const char *reason)
{
    return err == RD_KAFKA_RESP_ERR__AUTHENTICATION || err == RD_KAFKA_RESP_ERR__SSL ||
           err == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED ||
           strstr(reason, "SSL alert number");
}

static bool is_of_connection(int err, const char *reason)
{
    return is_refused(err, reason) || err == RD_KAFKA_RESP_ERR__TRANSPORT ||
           err == RD_KAFKA_RESP_ERR__RESOLVE;
}

/* True if the broker's port does not speak TLS and closed the connection. The error may be an end
 * of file, a reset or librdkafka's "Disconnected", depending on when the answer came. */
static bool is_alien(const char *reason)
{
    bool begins = strstr(reason, "SSL handshake failed") || strstr(reason, "SSL_HANDSHAKE") ||
                  (strstr(reason, "ssl://") && strstr(reason, "Connect to"));
    return begins && (strstr(reason, "unexpected eof") || strstr(reason, "Disconnected") ||
                      strstr(reason, "Connection reset"));
}

/* Stores the error and its reason. Ignores a "Disconnected" that only follows from the stored
 * error. */
static void note_reason(struct outage *o, int err, const char *reason)
{
    bool refused = is_refused(err, reason);
    if (o->refused_since && !refused) return;
    if (o->err == err && strstr(reason, "Disconnected")) return;
    if (refused && !o->refused_since) o->refused_since = clock_ns();
    o->err = err;
    snprintf(o->reason, sizeof o->reason, "%s%s", reason,
             is_alien(reason) ? "; the port may not speak TLS (security.protocol)" : "");
}

bool outage_take(struct outage *o, int err, const char *reason)
{
    if (is_of_connection(err, reason))
        note_reason(o, err, reason);
    else if (err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !o->reason[0])
        snprintf(o->reason, sizeof o->reason, "%s", reason); /* until there is a better one */
    o->down |= err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
    if (!o->down || (o->reported == o->err && o->reported)) return false;
    o->reported = o->err ? o->err : err;
    return true;
}

bool outage_is_over(struct outage *o, rd_kafka_t *rk)
{
    const struct rd_kafka_metadata *about = NULL;
    if (!o->down || clock_ns() < o->ask_at) return false;
    bool over = !rd_kafka_metadata(rk, 0, NULL, &about, LOOK_MS);
    if (over) rd_kafka_metadata_destroy(about);
    if (over) outage_end(o);
    o->ask_at = clock_ns() + LOOK_NS;
    return over;
}

void outage_end(struct outage *o) { *o = (struct outage){.down = false}; }

bool outage_is_final(struct outage *o, rd_kafka_t *rk)
{
    const struct rd_kafka_metadata *about = NULL;
    if (!o->down || !o->refused_since || clock_ns() < o->refused_since + REFUSED_NS) return false;
    if (rd_kafka_metadata(rk, 0, NULL, &about, ASK_MS)) return true;
    rd_kafka_metadata_destroy(about);
    outage_end(o);
    return false;
}

/* ---- properties ---- */

/* The source commits during rebalances. Versions of librdkafka from 1.6.0 on then lose the
 * assignment if the rebalance is cooperative (changelog, #4908). Two older bugs are also fixed: an
 * assignor that ran for ever (#4800, fixed in 2.6.1), and a partition assigned to two members
 * (#4252, fixed in 2.2). */
enum { NAME_BYTES = 64, COOPERATIVE_FROM = 0x020a00ff, CONSUMER_PROTOCOL_FROM = 0x020a00ff };

bool client_is_cooperative_safe(void) { return rd_kafka_version() >= COOPERATIVE_FROM; }

/* Effect of a user's setting of a property. */
enum rule {
    CLASSIC, /* is like DEFAULT, but unset if groups use the consumer protocol */
    DEFAULT, /* replaces the role's value */
    FIXED,   /* is refused with an error */
    FORCED,  /* is replaced by the role's value, if the role has one */
    OPTIONAL /* like DEFAULT, but older versions of librdkafka do not have the property */
};

/* A property of a role. Its value is `value`, or a member of struct client_cfg: a text (unset if
 * NULL) or a number. A FIXED property without a value only refuses the user's setting. */
struct property {
    const char *name;
    enum rule rule;
    const char *value;
    size_t text, number; /* offsets in struct client_cfg; 0 if unused */
    const char *instead; /* advice in the error for a FIXED property; NULL for "leave it out" */
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
    {"auto.offset.reset",             FIXED,    VALUE("error")}, /* see offsets.c instead */
    {"group.id",                      FIXED,    TEXT(group)},
    {"group.instance.id",             FIXED,    TEXT(instance)},
    {"isolation.level",               DEFAULT,  VALUE("read_committed")},
    {"partition.assignment.strategy", CLASSIC,  VALUE("range,roundrobin")},
    {"queued.max.messages.kbytes",    FIXED,    NUMBER(queue_kbytes), INSTEAD("set prefetch")},
    {"queued.min.messages",           FIXED,    NUMBER(queue_messages), INSTEAD("set prefetch")},
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"fetch.queue.backoff.ms",        OPTIONAL, VALUE("10")}, /* since librdkafka 2.2 */
    {.name = NULL}};

static const struct property topic_reader[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"fetch.wait.max.ms",             DEFAULT,  VALUE("50")}, /* wait at the end of a topic */
    {"enable.partition.eof",          FIXED,    VALUE("true")},
    {"group.id",                      FORCED,   VALUE("leat")},
    {"enable.auto.commit",            FORCED,   VALUE("false")},
    {"isolation.level",               FORCED,   VALUE("read_committed")},
    {"auto.offset.reset",             FORCED,   VALUE("earliest")},
    {.name = NULL}};

/* Properties of an inquirer, which is a consumer. Its requests must not create topics. */
static const struct property inquirer[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"enable.partition.eof",          FORCED,   VALUE("true")},
    {"enable.auto.commit",            FORCED,   VALUE("false")},
    {"group.id",                      FORCED,   VALUE("leat")}, /* required, but never joined */
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
    {"batch.size",                    FORCED,   TEXT(batch_bytes)},
    {"linger.ms",                     DEFAULT,  TEXT(linger_ms)},
    {"queue.buffering.max.kbytes",    FIXED,    VALUE("32768")}, /* counted by plan() */
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"partitioner",                   DEFAULT,  VALUE("murmur2_random")}, /* Kafka's default */
    {.name = NULL}};

static const struct property state_producer[] = {
    {"client.id",                     DEFAULT,  VALUE("leat")},
    {"enable.idempotence",            FIXED,    VALUE("true")},
    {"acks",                          FIXED,    VALUE("all")},
    {"message.max.bytes",             DEFAULT,  NUMBER(message_bytes)},
    {"linger.ms",                     DEFAULT,  VALUE("1")},
    {"compression.codec",             DEFAULT,  VALUE("lz4")}, /* states have many zeros */
    {.name = NULL}};

static const struct property *const roles[] = {
    [CLIENT_CONSUMER] = consumer,
    [CLIENT_TOPIC_READER] = topic_reader,
    [CLIENT_INQUIRER] = inquirer,
    [CLIENT_PRODUCER] = producer,
    [CLIENT_STATE_PRODUCER] = state_producer,
};
// clang-format on

const char *client_transactions_wrong(void)
{
    return rd_kafka_version() >> 8 == 0x021000
               ? "librdkafka 2.16.0 hangs in transactions after a broker was started again: use "
                 "another version, such as 2.14.2"
               : NULL;
}

/* ---- misspelt property names ---- */

/* Finds the property of librdkafka whose name is most like `name`. Leaves `out` empty if no name is
 * similar. librdkafka lists its properties as a table with one property a line, name first. */
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
                 "librdkafka does not know a property after a secret, whose name is not shown: if "
                 "the secret has a comma, write a table, or ${file:PATH}");
    else
        snprintf(why, cap, "librdkafka has no property '%s'", name);
}

/* Sets a property. If `hidden`, the name or value may be part of a secret, and messages show
 * neither. */
static bool client_set_one(rd_kafka_conf_t *conf, const char *name, const char *value, bool hidden,
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

/* ---- properties of the role and of the user ---- */

/* Returns the entry of the user's properties that begins with `name`; NULL if none does. */
static const char *property(const struct client_cfg *cfg, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < cfg->properties->n; i++)
        if (!strncmp(cfg->properties->v[i], name, n)) return cfg->properties->v[i];
    return NULL;
}

bool client_uses_consumer_protocol(const struct client_cfg *cfg)
{
    const char *entry = property(cfg, "group.protocol=");
    return entry && !strcasecmp(entry + strlen("group.protocol="), "consumer");
}

/* Returns the value of a role's property as text; NULL if it is unset. */
static const char *value_of(const struct client_cfg *cfg, const struct property *p, char number[24])
{
    const char *base = (const char *)cfg;
    if (p->value) return p->value;
    if (p->text) return *(const char *const *)(const void *)(base + p->text);
    if (!p->number) return NULL;
    snprintf(number, 24, "%lld", (long long)*(const int64_t *)(const void *)(base + p->number));
    return number;
}

/* Sets the FORCED properties of the role if `forced`; otherwise all its other properties. */
static bool set_role(rd_kafka_conf_t *conf, const struct client_cfg *cfg, bool forced, char *why,
                     size_t cap)
{
    char number[24];
    for (const struct property *p = roles[cfg->role]; p->name; p++) {
        const char *value = value_of(cfg, p, number);
        if (!value || (p->rule == FORCED) != forced) continue;
        if (p->rule == CLASSIC && client_uses_consumer_protocol(cfg)) continue;
        if (p->rule == OPTIONAL)
            rd_kafka_conf_set(conf, p->name, value, NULL, 0);
        else if (!client_set_one(conf, p->name, value, false, why, cap))
            return false;
    }
    return true;
}

/* Returns the property if the user may not set it in this role; otherwise NULL. */
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

/* Returns false if the consumer does not support this value of group.protocol or
 * partition.assignment.strategy. */
static bool check_sharing(const char *name, const char *value, char *why, size_t cap)
{
    bool strategy = !strcmp(name, "partition.assignment.strategy");
    if (!strcmp(name, "group.protocol") && !strcasecmp(value, "consumer") &&
        rd_kafka_version() < CONSUMER_PROTOCOL_FROM)
        snprintf(why, cap,
                 "%s=%s needs librdkafka 2.10.0 or later, and this is %s: leave it out, or use a "
                 "newer librdkafka",
                 name, value, rd_kafka_version_str());
    else if (strategy && strstr(value, "cooperative") && strcmp(value, "cooperative-sticky"))
        snprintf(why, cap,
                 "%s=%s: cooperative-sticky cannot be mixed with others: write it alone, for all "
                 "members of the group",
                 name, value);
    else if (strategy && strstr(value, "cooperative") && !client_is_cooperative_safe())
        snprintf(why, cap,
                 "%s=%s needs librdkafka " CLIENT_COOPERATIVE_FROM
                 " or later, and this is %s, which may lose partitions that move during a commit: "
                 "set range or roundrobin in all members of the group, or build leat with a newer "
                 "librdkafka",
                 name, value, rd_kafka_version_str());
    else
        return true;
    return false;
}

/* True if librdkafka refuses the property with group.protocol=consumer. */
static bool is_of_classic(const char *name)
{
    static const char *const names[] = {"session.timeout.ms", "heartbeat.interval.ms",
                                        "partition.assignment.strategy", "group.protocol.type",
                                        NULL};
    const char *const *each = names;
    while (*each && strcmp(*each, name) != 0)
        each++;
    return *each != NULL;
}

static bool client_refuse(const char *name, const char *instead, char *why, size_t cap)
{
    snprintf(why, cap, "%s is set by this stage: %s", name, instead ? instead : "leave it out");
    return false;
}

/* Sets a property to a secret if the client is being opened (`opens`). Otherwise only checks that
 * the property exists. */
static bool set_secret(rd_kafka_conf_t *conf, const char *name, const char *value, bool opens,
                       bool hidden, char *why, size_t cap)
{
    char text[300];
    size_t n = 0;
    if (!opens) {
        bool known = rd_kafka_conf_get(conf, name, NULL, &n) != RD_KAFKA_CONF_UNKNOWN;
        return known || client_set_one(conf, name, "", hidden, why, cap);
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

/* True if an entry before entry i holds a secret as plain text. Entry i may then be the rest of the
 * secret, because a list that is one text is split at its commas. */
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

/* Sets the property of entry i of the user's `properties`, "name=value". */
static bool set_users(rd_kafka_conf_t *conf, const struct client_cfg *cfg, uint32_t i, bool opens,
                      char *why, size_t cap)
{
    char name[128];
    const char *property = cfg->properties->v[i], *equal = strchr(property, '=');
    if (!equal || equal == property || (size_t)(equal - property) >= sizeof name) {
        snprintf(why, cap,
                 "entry %u must have the form name=value: if a value has a comma, write a table, "
                 "or ${file:PATH}",
                 (unsigned)i + 1);
        return false;
    }
    memcpy(name, property, (size_t)(equal - property));
    name[equal - property] = 0;
    bool hidden = comes_after_secret(cfg->properties, i);
    const struct property *p = fixed(cfg->role, name);
    if (p) return client_refuse(name, p->instead, why, cap);
    if (client_uses_consumer_protocol(cfg) && is_of_classic(name)) {
        snprintf(why, cap,
                 "%s is for the classic protocol; with group.protocol=consumer the "
                 "brokers decide it: leave it out",
                 name);
        return false;
    }
    if (secret_is_reference(equal + 1))
        return set_secret(conf, name, equal + 1, opens, hidden, why, cap);
    return check_sharing(name, equal + 1, why, cap) &&
           client_set_one(conf, name, equal + 1, hidden, why, cap);
}

static bool client_properties_set(rd_kafka_conf_t *conf, const struct client_cfg *cfg, bool opens,
                                  char *why, size_t cap)
{
    bool good = client_is_embedded(cfg)
                    ? client_set_one(conf, "test.mock.num.brokers", "1", false, why, cap)
                    : client_set_one(conf, "bootstrap.servers", cfg->brokers, false, why, cap);
    good = good && set_role(conf, cfg, false, why, cap);
    for (uint32_t i = 0; good && i < cfg->properties->n; i++)
        good = set_users(conf, cfg, i, opens, why, cap);
    return good && set_role(conf, cfg, true, why, cap);
}

static const char *client_properties_unreadable(const struct client_cfg *cfg, const char **why)
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

/* ---- clients ---- */

enum { TOPIC_BYTES = 249 };

/* ---- opening ---- */

bool client_is_embedded(const struct client_cfg *cfg)
{
    return cfg->role == CLIENT_CONSUMER && !strcmp(cfg->brokers, "embedded");
}

/* True if librdkafka knows this protocol. It ignores an address with an unknown protocol. */
static bool is_protocol(const char *text, size_t n)
{
    static const char *const known[] = {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl", NULL};
    const char *const *name = known;
    while (*name && (strlen(*name) != n || strncasecmp(*name, text, n)))
        name++;
    return *name != NULL;
}

/* True if the text is one address: "host:port", "host" or "[::1]:port", with or without
 * "PROTOCOL://". */
static bool is_address(const char *text, size_t n)
{
    const char *end = text + n, *scheme = memmem(text, n, "://", 3);
    const char *host = scheme ? scheme + 3 : text;
    if (scheme && !is_protocol(text, (size_t)(scheme - text))) return false;
    const char *close = host < end && *host == '[' ? memchr(host, ']', (size_t)(end - host)) : NULL;
    const char *from = close ? close : host;
    const char *colon = from < end ? memchr(from, ':', (size_t)(end - from)) : NULL;
    char *last;
    if (colon == host || host == end || strcspn(host, " \t") < (size_t)(end - host)) return false;
    if (!colon) return true;
    long port = isdigit((unsigned char)colon[1]) ? strtol(colon + 1, &last, 10) : 0;
    return port > 0 && port < 65536 && last == end;
}

/* Reports wrong addresses. If the list has an @, shows no address, because a password may contain
 * commas. */
static void check_brokers(const char *brokers, struct leat_diag *d)
{
    if (!*brokers) d->error(d, "brokers", "the list is empty: name at least one host:port");
    if (strchr(brokers, '@')) {
        d->error(d, "brokers",
                 "an address, which is not shown, has an @, as in user:password@host: write "
                 "host:port here, and sasl.username and sasl.password in `properties`");
        return;
    }
    for (size_t n; *brokers; brokers += n + (brokers[n] == ',')) {
        brokers += strspn(brokers, " ");
        n = strcspn(brokers, ",");
        if (!is_address(brokers, n))
            d->error(d, "brokers", "'%.*s' is not an address: write host:port", (int)n, brokers);
    }
}

/* Warns if sasl.* or ssl.* is set without security.protocol, because librdkafka then connects
 * without encryption and login. */
static void warn_of_protocol(const struct client_cfg *cfg, struct leat_diag *d)
{
    const char *sasl = property(cfg, "sasl."), *set = sasl ? sasl : property(cfg, "ssl.");
    if (!set || property(cfg, "security.protocol=")) return;
    d->warn(d, "properties",
            "%.*s has no effect without security.protocol, and the connection is plain: add "
            "\"security.protocol=%s\"",
            (int)strcspn(set, "="), set, sasl ? "sasl_ssl" : "ssl");
}

void client_validate(const struct client_cfg *cfg, struct leat_diag *d)
{
    char why[600] = "";
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (!client_properties_set(conf, cfg, false, why, sizeof why))
        d->error(d, "properties", "%s", why);
    rd_kafka_conf_destroy(conf);
    warn_of_protocol(cfg, d);
    if (cfg->transaction && client_transactions_wrong())
        d->warn(d, "transaction", "%s", client_transactions_wrong());
    check_brokers(cfg->brokers, d);
    if (!client_is_embedded(cfg) && !strcmp(cfg->brokers, "embedded"))
        d->error(d, "brokers",
                 "this stage cannot start an embedded broker: use the address that source.kafka { "
                 "brokers = \"embedded\" } prints");
}

/* Logs at level debug only. librdkafka also reports important events as errors. */
static void take_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    struct leat_ctx *ctx = *(struct leat_ctx **)rd_kafka_opaque(rk);
    ctx->host->log(ctx, LEAT_DEBUG, "librdkafka: %s: %s", facility, text);
}

int client_open(struct leat_ctx *ctx, const struct client_cfg *cfg,
                const struct client_callbacks *callbacks, void *self, rd_kafka_t **rk)
{
    char why[600] = "";
    const char *reason = NULL;
    bool writes = cfg->role == CLIENT_PRODUCER || cfg->role == CLIENT_STATE_PRODUCER;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    assert(callbacks->on_error && *(struct leat_ctx **)self == ctx);
    *rk = NULL;
    if (!client_properties_set(conf, cfg, true, why, sizeof why)) {
        rd_kafka_conf_destroy(conf);
        return ctx->host->fail(ctx, LEAT_EARG, "properties: %s", why);
    }
    rd_kafka_conf_set_opaque(conf, self);
    rd_kafka_conf_set_log_cb(conf, take_log);
    rd_kafka_conf_set(conf, "log.queue", "true", NULL, 0); /* only polls call take_log */
    rd_kafka_conf_set_error_cb(conf, callbacks->on_error);
    if (callbacks->on_delivered) rd_kafka_conf_set_dr_msg_cb(conf, callbacks->on_delivered);
    if (callbacks->on_rebalance) rd_kafka_conf_set_rebalance_cb(conf, callbacks->on_rebalance);
    *rk = rd_kafka_new(writes ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (*rk) {
        rd_kafka_set_log_queue(*rk, NULL);
        return LEAT_OK;
    }
    rd_kafka_conf_destroy(conf);
    const char *file = client_properties_unreadable(cfg, &reason);
    return ctx->host->fail(ctx, LEAT_EIO, "librdkafka cannot start a client: %s%s%s%s%s", why,
                           file ? "; " : "", file ? file : "", file ? " cannot be read: " : "",
                           file ? reason : "");
}

/* ---- topics ---- */

const char *client_topic_wrong(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(name);
    if (!n || n > TOPIC_BYTES) return "is not a topic's name: it must have 1 to 249 bytes";
    if (!strcmp(name, ".") || !strcmp(name, "..")) return "is not a name that a topic can have";
    return strspn(name, allowed) == n
               ? NULL
               : "is not a topic's name: it may hold only letters, digits and . _ -";
}
