/* mock_kafka.c -- a Kafka cluster for tests: librdkafka's mock, controlled line by line.
 *
 *   mock_kafka BROKERS        prints the addresses, then takes commands and answers each with
 *                             "ok" or "error …"; the end of its input ends it
 *   topic NAME PARTITIONS
 *   produce NAME PARTITION FILE   each line a message; PARTITION -4: spread over 4, line by line
 *   null NAME PARTITION           a message without a value
 *   down N, up N                  a broker
 *   errors REQUEST ERROR N        the next N requests with this number fail
 *   committed GROUP NAME PARTITIONS   prints the group's offsets
 *   commit GROUP NAME PARTITIONS N    commits offset N in each, for a group without members */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "produce.h"

static rd_kafka_t *client(rd_kafka_type_t type, const char *brokers, const char *group)
{
    char why[300];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (brokers) rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof why);
    if (group) rd_kafka_conf_set(conf, "group.id", group, why, sizeof why);
    rd_kafka_conf_set(conf, "log_level", "0", why, sizeof why);
    return rd_kafka_new(type, conf, why, sizeof why);
}

static const char *produce(rd_kafka_t *rk, const char *topic, int partition, const char *path)
{
    rd_kafka_resp_err_t err = produce_lines(rk, topic, partition, path, 30000);
    return err ? rd_kafka_err2str(err) : NULL;
}

/* Makes the next n requests of a kind fail with this error. */
static const char *push_errors(rd_kafka_mock_cluster_t *mock, int request, int error, int n)
{
    for (int i = 0; i < n; i++)
        rd_kafka_mock_push_request_errors(mock, (int16_t)request, 1, error);
    return NULL;
}

static const char *committed(const char *brokers, const char *group, const char *topic,
                             int partitions)
{
    rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, brokers, group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int i = 0; i < partitions; i++)
        rd_kafka_topic_partition_list_add(list, topic, i);
    rd_kafka_resp_err_t err = rd_kafka_committed(rk, list, 10000);
    for (int i = 0; i < partitions && !err; i++)
        printf("%lld ", (long long)list->elems[i].offset);
    rd_kafka_topic_partition_list_destroy(list);
    printf("\n");
    rd_kafka_destroy(rk);
    return err ? rd_kafka_err2str(err) : NULL;
}

static const char *commit(const char *brokers, const char *group, const char *topic, int partitions,
                          int offset)
{
    rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, brokers, group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int i = 0; i < partitions; i++)
        rd_kafka_topic_partition_list_add(list, topic, i)->offset = offset;
    rd_kafka_resp_err_t err = rd_kafka_commit(rk, list, 0);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_destroy(rk);
    return err ? rd_kafka_err2str(err) : NULL;
}

int main(int argc, char **argv)
{
    char line[1000], name[300], path[600];
    int brokers = argc > 1 ? atoi(argv[1]) : 1, n, request, error;
    rd_kafka_t *host = client(RD_KAFKA_PRODUCER, NULL, NULL);
    rd_kafka_mock_cluster_t *mock = rd_kafka_mock_cluster_new(host, brokers);
    const char *addresses = rd_kafka_mock_cluster_bootstraps(mock);
    rd_kafka_t *producer = client(RD_KAFKA_PRODUCER, addresses, NULL);
    printf("%s\n", addresses);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        const char *wrong = "unknown command";
        if (sscanf(line, "topic %299s %d", name, &n) == 2)
            wrong = rd_kafka_mock_topic_create(mock, name, n, 1) ? "no topic" : NULL;
        else if (sscanf(line, "produce %299s %d %599s", name, &n, path) == 3)
            wrong = produce(producer, name, n, path);
        else if (sscanf(line, "null %299s %d", name, &n) == 2)
            wrong = produce_one(producer, name, n, NULL, 0) || rd_kafka_flush(producer, 30000)
                        ? "failed"
                        : NULL;
        else if (sscanf(line, "down %d", &n) == 1)
            wrong = rd_kafka_mock_broker_set_down(mock, n) ? "failed" : NULL;
        else if (sscanf(line, "up %d", &n) == 1)
            wrong = rd_kafka_mock_broker_set_up(mock, n) ? "failed" : NULL;
        else if (sscanf(line, "errors %d %d %d", &request, &error, &n) == 3)
            wrong = push_errors(mock, request, error, n);
        else if (sscanf(line, "committed %299s %599s %d", name, path, &n) == 3)
            wrong = committed(addresses, name, path, n);
        else if (sscanf(line, "commit %299s %599s %d %d", name, path, &n, &error) == 4)
            wrong = commit(addresses, name, path, n, error);
        printf(wrong ? "error %s\n" : "ok\n", wrong);
        fflush(stdout);
    }
    rd_kafka_destroy(producer);
    rd_kafka_mock_cluster_destroy(mock);
    rd_kafka_destroy(host);
    return 0;
}
