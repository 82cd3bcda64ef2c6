/* produce.h -- sends lines of a file as messages, for the programs of the Kafka tests. */
#ifndef LEAT_TESTS_SUPPORT_PROGRAMS_PRODUCE_H
#define LEAT_TESTS_SUPPORT_PROGRAMS_PRODUCE_H

#include <stdio.h>
#include <stdlib.h>

#include <librdkafka/rdkafka.h>

/* Sends a message. Waits while the queue is full. */
static inline rd_kafka_resp_err_t produce_one(rd_kafka_t *rk, const char *topic, int partition,
                                              const char *text, size_t n)
{
    rd_kafka_resp_err_t err;
    do {
        err = rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition),
                                RD_KAFKA_V_VALUE((void *)text, n),
                                RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
        rd_kafka_poll(rk, err ? 50 : 0);
    } while (err == RD_KAFKA_RESP_ERR__QUEUE_FULL);
    return err;
}

/* Sends each line as a message; partition -4 spreads them over 4, line by line. Returns when all
 * arrived. */
static inline rd_kafka_resp_err_t produce_lines(rd_kafka_t *rk, const char *topic, int partition,
                                                const char *path, int wait_ms)
{
    FILE *f = fopen(path, "r");
    if (!f) return RD_KAFKA_RESP_ERR__FS;
    char *line = NULL;
    size_t cap = 0;
    long number = 0;
    rd_kafka_resp_err_t err = 0;
    for (ssize_t n; !err && (n = getline(&line, &cap, f)) > 0; number++) {
        if (line[n - 1] == '\n') n--;
        err = produce_one(rk, topic, partition < 0 ? (int)(number % -partition) : partition, line,
                          (size_t)n);
    }
    free(line);
    fclose(f);
    return err ? err : rd_kafka_flush(rk, wait_ms);
}

#endif
