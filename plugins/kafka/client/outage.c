/* outage.c -- see outage.h. */
#include "outage.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { ASK_MS = 1000 };
#define REFUSED_NS UINT64_C(20000000000)

static bool is_refused(int err)
{
    return err == RD_KAFKA_RESP_ERR__AUTHENTICATION || err == RD_KAFKA_RESP_ERR__SSL ||
           err == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
}

static bool is_of_connection(int err)
{
    return is_refused(err) || err == RD_KAFKA_RESP_ERR__TRANSPORT ||
           err == RD_KAFKA_RESP_ERR__RESOLVE;
}

/* A connection that is closed afterwards says nothing new. */
static void note_reason(struct outage *o, int err, const char *reason)
{
    if (o->refused_since && !is_refused(err)) return;
    if (o->err == err && strstr(reason, "Disconnected")) return;
    if (is_refused(err) && !o->refused_since) o->refused_since = clock_ns();
    o->err = err;
    snprintf(o->reason, sizeof o->reason, "%s", reason);
}

bool outage_take(struct outage *o, int err, const char *reason)
{
    if (is_of_connection(err)) note_reason(o, err, reason);
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
