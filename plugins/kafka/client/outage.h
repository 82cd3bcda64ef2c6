/* outage.h -- why no broker can be reached, for the message that says so; and that waiting is no
 * use, because all brokers refuse the client's credentials or certificate. */
#ifndef LEAT_KAFKA_CLIENT_OUTAGE_H
#define LEAT_KAFKA_CLIENT_OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <librdkafka/rdkafka.h>

struct outage {
    bool down;              /* no broker can be reached, which was reported                */
    int err, reported;      /* the last error of a connection; the one that was reported   */
    uint64_t refused_since; /* monotonic ns; 0: nobody has refused the client               */
    char reason[400];       /* of that error, in librdkafka's words                        */
};

/* Takes an error that librdkafka reports. true: no broker can be reached, for a reason that was not
 * reported yet; `reason` says which. */
bool outage_take(struct outage *o, int err, const char *reason);
/* A broker has answered. */
void outage_end(struct outage *o);
/* All brokers have refused the client for a while. May ask them. */
bool outage_is_final(struct outage *o, rd_kafka_t *rk);

#endif
