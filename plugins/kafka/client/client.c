/* client.c -- see client.h. */
#include "client.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client_properties.h"

enum { TOPIC_BYTES = 249 };

/* ---- opening ---- */

bool client_is_embedded(const struct client_cfg *cfg)
{
    return cfg->role == CLIENT_CONSUMER && !strcmp(cfg->brokers, "embedded");
}

/* librdkafka ignores an address with another one. */
static bool is_protocol(const char *text, size_t n)
{
    static const char *const known[] = {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl", NULL};
    const char *const *name = known;
    while (*name && (strlen(*name) != n || strncasecmp(*name, text, n)))
        name++;
    return *name != NULL;
}

/* One of a list: "host:port", "host", "[::1]:port", with "PROTOCOL://" before it or not. */
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

/* No entry of a list with an @ is shown: a password may have commas, too. */
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

static const char *property(const struct client_cfg *cfg, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; i < cfg->properties->n; i++)
        if (!strncmp(cfg->properties->v[i], name, n)) return cfg->properties->v[i];
    return NULL;
}

/* Without security.protocol the connection is plain, whatever else is set. */
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
    check_brokers(cfg->brokers, d);
    if (!client_is_embedded(cfg) && !strcmp(cfg->brokers, "embedded"))
        d->error(d, "brokers",
                 "this stage cannot start an embedded broker: use the address that source.kafka { "
                 "brokers = \"embedded\" } prints");
}

/* What matters comes as an error, too. */
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
    rd_kafka_conf_set(conf, "log.queue", "true", NULL, 0); /* take_log is called by polls only */
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
               : "is not a topic's name: it may hold letters, digits and . _ - only";
}
