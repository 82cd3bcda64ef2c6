/* client_end.h -- ends the librdkafka clients of the Kafka stages in bounded time.
 *
 * librdkafka 2.0.2 may wait for ever when it closes a client (issues 4041 and 4884). It may wait
 * for a broker that is gone, or for one of its threads after a topic that it read was deleted. In
 * rd_kafka_assign it may wait for its main thread after that thread has ended. So each step of
 * closing a client runs in its own thread. If a step takes too long, the caller abandons the thread
 * and the client. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_END_H
#define LEAT_KAFKA_CLIENT_CLIENT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Returns the time, in monotonic ns, at which to stop waiting for a broker. This is in `seconds`,
 * or after half of the run's remaining time if that is sooner. So several waits, one after another,
 * still end before the run does. */
uint64_t client_give_up_at(struct leat_ctx *ctx, int seconds);

enum client_leave {
    CLIENT_LEFT, /* the client has left its group */
    CLIENT_LATE, /* no broker answered in time: destroy the client with F_NO_CONSUMER_CLOSE */
    CLIENT_STUCK /* abandoned: never use the client again, as the thread may still be using it */
};
/* Closes a consumer (rd_kafka_consumer_close_queue), for some seconds at most. The client's
 * callbacks run in another thread while the caller waits. When librdkafka closes a static member,
 * the member stays in its group. With `is_static` it leaves the group first. */
enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk, bool is_static);
/* Calls rd_kafka_destroy_flags and waits some seconds at most. Returns false if the client was
 * abandoned. */
bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags);

#endif
