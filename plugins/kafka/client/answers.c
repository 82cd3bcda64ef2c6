/* answers.c -- implementation of answers.h. */
#include "answers.h"

#include <stddef.h>

#include <librdkafka/rdkafka.h>

/* Errors that librdkafka 2.0.2 does not name. */
enum { UNRELEASED_INSTANCE_ID = 111, UNSUPPORTED_ASSIGNOR = 112, INVALID_REGULAR_EXPRESSION = 128 };

struct answer {
    int err;
    enum answer_kind kind;
    const char *advice;
};

#define SESSION                                                                                    \
    "; set session.timeout.ms in `properties` to a value between group.min.session.timeout.ms "    \
    "and group.max.session.timeout.ms of the brokers"

// clang-format off
static const struct answer answers[] = {
    {RD_KAFKA_RESP_ERR__TIMED_OUT,                ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR__TRANSPORT,                ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,         ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR__WAIT_COORD,               ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,         ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_NOT_CONTROLLER,            ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_NOT_COORDINATOR,           ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, ANSWER_WAIT,   NULL},
    {RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT,    ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,      ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,  ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE,     ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,      ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH,       ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH,      ANSWER_WAIT,      NULL},
    {RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,       ANSWER_WAIT,      NULL},

    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,     ANSWER_NO_TOPIC,  NULL},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,            ANSWER_NO_TOPIC,  NULL},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,        ANSWER_NO_TOPIC,  NULL},

    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,            ANSWER_FORBIDDEN, NULL},
    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,            ANSWER_FORBIDDEN, NULL},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,          ANSWER_FORBIDDEN, NULL},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, ANSWER_FORBIDDEN, NULL},

    {RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL, ANSWER_MEMBERS, NULL},
    {RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED,    ANSWER_MEMBERS,
     "; the group has as many members as group.max.size of the brokers allows: end one, or raise "
     "it"},
    {UNRELEASED_INSTANCE_ID,                      ANSWER_MEMBERS,
     "; another process has this name, or one that was killed and whose session has not timed out: "
     "give each process its own `instance`, or none"},

    {RD_KAFKA_RESP_ERR_INVALID_GROUP_ID,          ANSWER_FINAL,     "; use another name"},
    {RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT,   ANSWER_FINAL,     SESSION},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,           ANSWER_FINAL,     NULL},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION,       ANSWER_FINAL,
     "; the brokers are too old for this"},
    {RD_KAFKA_RESP_ERR_INVALID_REQUEST,           ANSWER_FINAL,     NULL},
    {UNSUPPORTED_ASSIGNOR,                        ANSWER_FINAL,
     "; set group.remote.assignor in `properties` to one of group.consumer.assignors of the "
     "brokers"},
    {INVALID_REGULAR_EXPRESSION,                  ANSWER_FINAL,
     "; with group.protocol=consumer the brokers match patterns, which must be of RE2"},
};
// clang-format on

static const struct answer *answer_find(int err)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].err == err) return &answers[i];
    return NULL;
}

enum answer_kind answer_kind(int err)
{
    const struct answer *a = answer_find(err);
    return a ? a->kind : ANSWER_OTHER;
}

bool answer_is_final(int err)
{
    enum answer_kind kind = answer_kind(err);
    return kind == ANSWER_FORBIDDEN || kind == ANSWER_FINAL;
}

const char *answer_advice(int err)
{
    const struct answer *a = answer_find(err);
    return a && a->advice ? a->advice : "";
}
