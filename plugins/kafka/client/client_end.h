/* client_end.h -- ends the librdkafka clients of the Kafka stages in bounded time.
 *
 * librdkafka 2.0.2 may wait for ever as it closes a client: for a broker that is gone; for one of
 * its own threads, if a topic that was read has been deleted; or in rd_kafka_assign for its main
 * thread, which dropped the request as it ended (issues 4041 and 4884). So each step runs in its
 * own thread. If the step takes too long, the caller abandons the thread and the client. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_END_H
#define LEAT_KAFKA_CLIENT_CLIENT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Returns the time, in monotonic ns, at which to stop waiting for a broker: after `seconds`, but at
 * most half of the run's remaining time. So several waits in turn still end before the run does. */
uint64_t client_give_up_at(struct leat_ctx *ctx, int seconds);

enum client_leave {
    CLIENT_LEFT, /* the client has left its group */
    CLIENT_LATE, /* no broker answered in time: destroy the client with F_NO_CONSUMER_CLOSE */
    CLIENT_STUCK /* abandoned: never use the client again, as the thread may still be using it */
};
/* Closes a consumer (rd_kafka_consumer_close_queue), for some seconds at most. The client's
 * callbacks run in another thread while the caller waits. */
enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk);
/* Calls rd_kafka_destroy_flags and waits some seconds at most. Returns false if the client was
 * abandoned. */
bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags);

#endif
