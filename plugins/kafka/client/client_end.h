/* client_end.h -- ends the librdkafka clients of this plugin in bounded time.
 *
 * librdkafka can wait for ever: for a broker that is gone; for one of its own threads, if a topic
 * that was read is deleted (2.0.2); and in rd_kafka_assign for an answer of its main thread, which
 * dropped the request as it ended (librdkafka issues 4041 and 4884). So each end runs in its own
 * thread. If it takes too long, the caller abandons thread and client. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_END_H
#define LEAT_KAFKA_CLIENT_CLIENT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Returns when to stop waiting for a broker, in monotonic ns: after `seconds`, but at most half of
 * the run's remaining time. So all who wait in turn finish before the run ends. */
uint64_t client_give_up_at(struct leat_ctx *ctx, int seconds);

enum client_leave {
    CLIENT_LEFT, /* the client has left its group */
    CLIENT_LATE, /* no broker answered: destroy it with F_NO_CONSUMER_CLOSE */
    CLIENT_STUCK /* abandoned: never use it again, as a thread may still return from it */
};
/* Calls rd_kafka_consumer_close, for some seconds at most. Another thread calls the callbacks while
 * the caller waits. */
enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk);
/* Calls rd_kafka_destroy_flags, for some seconds at most. Returns false if it abandons the
 * client. */
bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags);

#endif
