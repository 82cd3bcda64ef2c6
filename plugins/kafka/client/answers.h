/* answers.h -- errors of brokers that are final, and errors that end by waiting.
 *
 * One table (answers.c) for all Kafka stages. It tells what an error means for a request that the
 * client would repeat, and what the user can do about it. */
#ifndef LEAT_KAFKA_CLIENT_ANSWERS_H
#define LEAT_KAFKA_CLIENT_ANSWERS_H

#include <stdbool.h>

enum answer_kind {
    ANSWER_OTHER,    /* has no row in the table */
    ANSWER_WAIT,     /* no broker, or not the right one, answers at present */
    ANSWER_NO_TOPIC, /* the topic or partition does not exist, or the broker does not know it yet */
    ANSWER_FORBIDDEN, /* the client has no right to use it */
    ANSWER_MEMBERS,   /* members of the group keep this one out; final unless they leave */
    ANSWER_FINAL      /* the cluster will give the same answer again */
};

/* Returns the kind of an error of librdkafka (rd_kafka_resp_err_t). */
enum answer_kind answer_kind(int err);
/* True if a repeated request gets the same answer: FORBIDDEN and FINAL. */
bool answer_is_final(int err);
/* Returns what to do about the error, as the end of a message: "; set …". Returns "" if there is
 * nothing to say. */
const char *answer_advice(int err);

#endif
