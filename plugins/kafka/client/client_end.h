/* client_end.h -- how the librdkafka clients of this plugin end, in bounded time.
 *
 * librdkafka can wait for ever: for a broker that is gone, for one of its own threads when a topic
 * that was read has been deleted (2.0.2), and in rd_kafka_assign for an answer of its main thread,
 * which has dropped the request as it ended (librdkafka issues 4041 and 4884). So each end is in a
 * thread of its own, which is abandoned with the client when it takes too long. */
#ifndef LEAT_KAFKA_CLIENT_CLIENT_END_H
#define LEAT_KAFKA_CLIENT_CLIENT_END_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

/* Returns when to give up waiting for a broker, monotonic ns: after `seconds`, and after half of
 * the time that the run has left, so that all who wait in turn are through before it ends. */
uint64_t client_give_up_at(struct leat_ctx *ctx, int seconds);

enum client_leave {
    CLIENT_LEFT, /* its group                                                                   */
    CLIENT_LATE, /* no broker has answered: destroy it with F_NO_CONSUMER_CLOSE                 */
    CLIENT_STUCK /* it is abandoned, and never used again: a thread may still come back from it */
};
/* Calls rd_kafka_consumer_close, for some seconds. Callbacks are called by another thread than the
 * caller's, which waits meanwhile. */
enum client_leave client_leave_group(struct leat_ctx *ctx, rd_kafka_t *rk);
/* Calls rd_kafka_destroy_flags, for some seconds. Returns false if the client is abandoned. */
bool client_destroy(struct leat_ctx *ctx, rd_kafka_t *rk, int flags);

#endif
