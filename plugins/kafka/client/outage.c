/* outage.c -- see outage.h. */
#include "outage.h"

#include <stdio.h>
#include <string.h>

#include "core/time/clock.h"

enum { ASK_MS = 1000 };
#define REFUSED_NS UINT64_C(20000000000)

/* An alert is what TLS 1.3 has for a client's certificate: it comes after the handshake. */
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

/* A connection that is closed afterwards says nothing new. */
static void note_reason(struct outage *o, int err, const char *reason)
{
    bool refused = is_refused(err, reason);
    bool alien = strstr(reason, "SSL handshake failed") && strstr(reason, "unexpected eof");
    if (o->refused_since && !refused) return;
    if (o->err == err && strstr(reason, "Disconnected")) return;
    if (refused && !o->refused_since) o->refused_since = clock_ns();
    o->err = err;
    snprintf(o->reason, sizeof o->reason, "%s%s", reason,
             alien ? "; the port may not speak TLS (security.protocol)" : "");
}

bool outage_take(struct outage *o, int err, const char *reason)
{
    if (is_of_connection(err, reason)) note_reason(o, err, reason);
    o->down |= err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
    if (!o->down || (o->reported == o->err && o->reported)) return false;
    o->reported = o->err ? o->err : err;
    return true;
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
