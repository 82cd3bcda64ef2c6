/* kafka_client.c -- one request of a test or benchmark to a Kafka cluster.
 *
 * If it fails, it exits with 1 and prints the reason.
 *
 *   kafka_client BROKERS topic NAME PARTITIONS COPIES
 *   kafka_client BROKERS configure NAME [PROPERTY=VALUE]…
 *                                                      replaces the topic's configuration
 *   kafka_client BROKERS delete NAME
 *   kafka_client BROKERS widen NAME PARTITIONS         raises the topic's number of partitions
 *   kafka_client BROKERS trim NAME PARTITION OFFSET    deletes the messages before the offset
 *   kafka_client BROKERS produce NAME PARTITION FILE   sends each line as a message; PARTITION -4:
 *                                                      spread over 4, line by line
 *   kafka_client BROKERS message NAME KEY TIME VALUE [HEADER=VALUE]…
 *                                                      sends one; NULL: without key, or value;
 *                                                      TIME in ms since 1970, 0: now
 *   kafka_client BROKERS transaction NAME END FILE     sends each line in a transaction;
 *                                                      END: commit it, abort it, or leave it open
 *   kafka_client BROKERS null NAME PARTITION           sends a message without a value
 *   kafka_client BROKERS read NAME                     prints all messages, a line each
 *   kafka_client BROKERS dump NAME                     prints key, time, value and headers of each
 *   kafka_client BROKERS follow NAME N                 prints N committed messages as they come,
 *                                                      each after its arrival (s since 1970)
 *   kafka_client BROKERS discard NAME [PROPERTY=VALUE]…
 *                                                      reads all messages and prints
 *                                                      "N messages/s"
 *   kafka_client BROKERS join GROUP NAME [PROPERTY=VALUE]…
 *                                                      reads the topic as a member of the group,
 *                                                      until it is killed
 *   kafka_client BROKERS committed GROUP NAME PARTITIONS
 *                                                      prints the group's offsets
 *   kafka_client BROKERS reset GROUP NAME PARTITION OFFSET
 *                                                      sets an offset of it, as Kafka's tools do
 *   kafka_client BROKERS members GROUP                 prints the number of the group's members
 *   kafka_client BROKERS forbid topic|group NAME       forbids anonymous clients all use of it
 *   kafka_client BROKERS leader NAME PARTITION         prints the node's number
 *   kafka_client BROKERS end NAME PARTITION            prints its end before open transactions
 *   kafka_client BROKERS end_of_all NAME PARTITION     prints its end
 *   kafka_client BROKERS copies NAME                   prints its number of copies
 *   kafka_client BROKERS states NAME                   prints name, offset, bytes and hash of each
 *                                                      partition's newest state in the topic
 *   kafka_client BROKERS forge NAME STATE OFFSET FILE  sends the file's bytes as that state
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <librdkafka/rdkafka.h>

#include "produce.h"

#include "kafka/states/states.c"

enum { WAIT_MS = 60000, POLL_MS = 100, BATCH = 1000 };

static int complain(rd_kafka_resp_err_t err)
{
    if (err) fprintf(stderr, "kafka_client: %s\n", rd_kafka_err2str(err));
    return err != RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* Sets a "name=value" text. */
static void set_property(rd_kafka_conf_t *conf, const char *text)
{
    char name[100], why[300];
    const char *equal = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", equal ? (int)(equal - text) : 0, text);
    if (equal && !rd_kafka_conf_set(conf, name, equal + 1, why, sizeof why)) return;
    fprintf(stderr, "kafka_client: %s cannot be set\n", text);
    exit(2);
}

/* Makes a client. A producer of transactions has a name, a consumer a group. `properties` ends with
 * NULL. */
static rd_kafka_t *client(rd_kafka_type_t type, const char *brokers, const char *group,
                          const char *transaction, int reads_open, char **properties)
{
    char why[300];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    while (*properties)
        set_property(conf, *properties++);
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof why);
    rd_kafka_conf_set(conf, "log_level", "0", why, sizeof why);
    if (transaction) rd_kafka_conf_set(conf, "transactional.id", transaction, why, sizeof why);
    if (reads_open) rd_kafka_conf_set(conf, "isolation.level", "read_uncommitted", why, sizeof why);
    if (type == RD_KAFKA_CONSUMER) {
        rd_kafka_conf_set(conf, "group.id", group, why, sizeof why);
        rd_kafka_conf_set(conf, "enable.auto.commit", "false", why, sizeof why);
        rd_kafka_conf_set(conf, "enable.partition.eof", "true", why, sizeof why);
    } else { /* keeps the order of messages that are resent to a slow broker */
        rd_kafka_conf_set(conf, "enable.idempotence", "true", why, sizeof why);
    }
    return rd_kafka_new(type, conf, why, sizeof why);
}

/* ---- topics ---- */

/* Returns the error of the one topic in the request. */
static int topic_answer(rd_kafka_queue_t *answers)
{
    size_t n = 0;
    rd_kafka_event_t *e = rd_kafka_queue_poll(answers, WAIT_MS);
    if (!e) return complain(RD_KAFKA_RESP_ERR__TIMED_OUT);
    const rd_kafka_topic_result_t **topic =
        rd_kafka_event_type(e) == RD_KAFKA_EVENT_CREATETOPICS_RESULT
            ? rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(e), &n)
            : rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(e), &n);
    int bad = complain(n ? rd_kafka_topic_result_error(topic[0]) : rd_kafka_event_error(e));
    rd_kafka_event_destroy(e);
    return bad;
}

static int create_topic(rd_kafka_t *rk, const char *name, int partitions, int copies)
{
    char why[300];
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(name, partitions, copies, why, sizeof why);
    rd_kafka_CreateTopics(rk, &topic, 1, NULL, answers);
    int bad = topic_answer(answers);
    rd_kafka_NewTopic_destroy(topic);
    rd_kafka_queue_destroy(answers);
    return bad;
}

static int configure_topic(rd_kafka_t *rk, const char *name, int n, char **properties)
{
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_ConfigResource_t *topic = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name);
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        char property[100];
        const char *equal = strchr(properties[i], '=');
        snprintf(property, sizeof property, "%.*s", equal ? (int)(equal - properties[i]) : 0,
                 properties[i]);
        rd_kafka_ConfigResource_set_config(topic, property, equal ? equal + 1 : "");
    }
    rd_kafka_AlterConfigs(rk, &topic, 1, NULL, answers);
    rd_kafka_ConfigResource_destroy(topic);
    rd_kafka_event_t *e = rd_kafka_queue_poll(answers, WAIT_MS);
    const rd_kafka_ConfigResource_t **about =
        rd_kafka_AlterConfigs_result_resources(rd_kafka_event_AlterConfigs_result(e), &count);
    int bad = complain(count ? rd_kafka_ConfigResource_error(about[0]) : rd_kafka_event_error(e));
    rd_kafka_event_destroy(e);
    rd_kafka_queue_destroy(answers);
    return bad;
}

static int delete_topic(rd_kafka_t *rk, const char *name)
{
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(name);
    rd_kafka_DeleteTopics(rk, &topic, 1, NULL, answers);
    int bad = topic_answer(answers);
    rd_kafka_DeleteTopic_destroy(topic);
    rd_kafka_queue_destroy(answers);
    return bad;
}

/* Returns the error of a request about one topic or partition, whose answer may be empty. */
static int simple_answer(rd_kafka_queue_t *answers)
{
    rd_kafka_event_t *e = rd_kafka_queue_poll(answers, WAIT_MS);
    int bad = complain(e ? rd_kafka_event_error(e) : RD_KAFKA_RESP_ERR__TIMED_OUT);
    if (e) rd_kafka_event_destroy(e);
    return bad;
}

static int widen_topic(rd_kafka_t *rk, const char *name, int partitions)
{
    char why[300];
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_NewPartitions_t *wanted =
        rd_kafka_NewPartitions_new(name, (size_t)partitions, why, sizeof why);
    rd_kafka_CreatePartitions(rk, &wanted, 1, NULL, answers);
    int bad = simple_answer(answers);
    rd_kafka_NewPartitions_destroy(wanted);
    rd_kafka_queue_destroy(answers);
    return bad;
}

static int forbid(rd_kafka_t *rk, const char *kind, const char *name)
{
    char why[300];
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_AclBinding_t *rule = rd_kafka_AclBinding_new(
        strcmp(kind, "topic") ? RD_KAFKA_RESOURCE_GROUP : RD_KAFKA_RESOURCE_TOPIC, name,
        RD_KAFKA_RESOURCE_PATTERN_LITERAL, "User:ANONYMOUS", "*", RD_KAFKA_ACL_OPERATION_ALL,
        RD_KAFKA_ACL_PERMISSION_TYPE_DENY, why, sizeof why);
    rd_kafka_CreateAcls(rk, &rule, 1, NULL, answers);
    int bad = simple_answer(answers);
    rd_kafka_AclBinding_destroy(rule);
    rd_kafka_queue_destroy(answers);
    return bad;
}

static int trim_partition(rd_kafka_t *rk, const char *name, int partition, int64_t offset)
{
    rd_kafka_queue_t *answers = rd_kafka_queue_new(rk);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, name, partition)->offset = offset;
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(rk, &wanted, 1, NULL, answers);
    int bad = simple_answer(answers);
    rd_kafka_DeleteRecords_destroy(wanted);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_queue_destroy(answers);
    return bad;
}

/* Prints a partition's leader; with `copies` the number of its copies. */
static int print_leader(rd_kafka_t *rk, const char *name, int partition, int copies)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(rk, name, NULL);
    int bad = complain(rd_kafka_metadata(rk, 0, topic, &about, WAIT_MS));
    if (!bad && partition < about->topics[0].partition_cnt)
        printf("%d\n", copies ? about->topics[0].partitions[partition].replica_cnt
                              : (int)about->topics[0].partitions[partition].leader);
    if (about) rd_kafka_metadata_destroy(about);
    rd_kafka_topic_destroy(topic);
    return bad;
}

static int print_end(rd_kafka_t *rk, const char *name, int partition)
{
    int64_t first, end;
    int bad =
        complain(rd_kafka_query_watermark_offsets(rk, name, partition, &first, &end, WAIT_MS));
    if (!bad) printf("%lld\n", (long long)end);
    return bad;
}

/* ---- messages out ---- */

static int produce(rd_kafka_t *rk, const char *topic, int partition, const char *path)
{
    return complain(produce_lines(rk, topic, partition, path, WAIT_MS));
}

static int complain_of(rd_kafka_error_t *e)
{
    if (!e) return 0;
    fprintf(stderr, "kafka_client: %s\n", rd_kafka_error_string(e));
    rd_kafka_error_destroy(e);
    return 1;
}

static int produce_transaction(rd_kafka_t *rk, const char *topic, const char *end, const char *path)
{
    int bad = complain_of(rd_kafka_init_transactions(rk, WAIT_MS)) ||
              complain_of(rd_kafka_begin_transaction(rk)) || produce(rk, topic, 0, path);
    if (!bad && !strcmp(end, "commit")) bad = complain_of(rd_kafka_commit_transaction(rk, WAIT_MS));
    if (!bad && !strcmp(end, "abort")) bad = complain_of(rd_kafka_abort_transaction(rk, WAIT_MS));
    return bad;
}

static int produce_null(rd_kafka_t *rk, const char *topic, int partition)
{
    rd_kafka_resp_err_t err = produce_one(rk, topic, partition, NULL, 0);
    return complain(err ? err : rd_kafka_flush(rk, WAIT_MS));
}

static const char *or_null(const char *text) { return strcmp(text, "NULL") ? text : NULL; }

/* Makes headers of "name=value" texts. */
static rd_kafka_headers_t *headers_of(int n, char **v)
{
    rd_kafka_headers_t *list = rd_kafka_headers_new((size_t)n);
    for (int i = 0; i < n; i++) {
        const char *value = strchr(v[i], '=') + 1;
        rd_kafka_header_add(list, v[i], value - v[i] - 1, or_null(value),
                            (ssize_t)(or_null(value) ? strlen(value) : 0));
    }
    return list;
}

static int produce_message(rd_kafka_t *rk, int n, char **v)
{
    const char *key = or_null(v[1]), *value = or_null(v[3]);
    rd_kafka_resp_err_t err =
        rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(v[0]), RD_KAFKA_V_KEY(key, key ? strlen(key) : 0),
                          RD_KAFKA_V_TIMESTAMP(atoll(v[2])),
                          RD_KAFKA_V_VALUE((void *)value, value ? strlen(value) : 0),
                          RD_KAFKA_V_HEADERS(headers_of(n - 4, v + 4)),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    return complain(err ? err : rd_kafka_flush(rk, WAIT_MS));
}

/* ---- messages in ---- */

/* Assigns all partitions from their beginning. Returns their number; 0 if the topic is unknown. */
static int assign_all(rd_kafka_t *rk, const char *name)
{
    const struct rd_kafka_metadata *about = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(rk, name, NULL);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(8);
    int n = complain(rd_kafka_metadata(rk, 0, topic, &about, WAIT_MS))
                ? 0
                : about->topics[0].partition_cnt;
    for (int i = 0; i < n; i++)
        rd_kafka_topic_partition_list_add(list, name, i)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(rk, list);
    if (about) rd_kafka_metadata_destroy(about);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_topic_destroy(topic);
    return n;
}

typedef void (*taker)(void *to, const rd_kafka_message_t *m);

static void print_message(void *to, const rd_kafka_message_t *m)
{
    fwrite(m->payload, 1, m->len, stdout);
    putchar('\n');
}

static void print_part(const char *name, const void *bytes, size_t n)
{
    printf("%s=%s", name, bytes ? "\"" : "NULL");
    if (bytes) fwrite(bytes, 1, n, stdout);
    printf("%s ", bytes ? "\"" : "");
}

static void dump_message(void *to, const rd_kafka_message_t *m)
{
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t n;
    print_part("key", m->key, m->key_len);
    printf("time=%lld ", (long long)rd_kafka_message_timestamp(m, NULL));
    print_part("value", m->payload, m->len);
    if (!rd_kafka_message_headers(m, &headers))
        for (size_t i = 0; !rd_kafka_header_get_all(headers, i, &name, &value, &n); i++)
            print_part(name, value, n);
    putchar('\n');
}

/* Prints n messages as they come, with the time of their arrival. */
static int follow(rd_kafka_t *rk, const char *name, long n)
{
    static rd_kafka_message_t *m[BATCH];
    int bad = assign_all(rk, name) == 0;
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(rk);
    while (n > 0 && !bad) {
        ssize_t got = rd_kafka_consume_batch_queue(queue, 1, m, BATCH);
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        for (ssize_t i = 0; i < got; i++) {
            n -= !m[i]->err;
            if (!m[i]->err) printf("%lld.%03ld ", (long long)t.tv_sec, t.tv_nsec / 1000000);
            if (!m[i]->err) print_message(NULL, m[i]);
            rd_kafka_message_destroy(m[i]);
        }
        if (got) fflush(stdout);
    }
    rd_kafka_queue_destroy(queue);
    return bad;
}

/* Reads to the end of every partition. Returns the number of messages; negative if it failed. */
static long read_all(rd_kafka_t *rk, const char *name, taker take, void *to)
{
    static rd_kafka_message_t *m[BATCH];
    int open = assign_all(rk, name);
    long n = open ? 0 : -1 - complain(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(rk);
    while (open > 0) {
        ssize_t got = rd_kafka_consume_batch_queue(queue, POLL_MS, m, BATCH);
        for (ssize_t i = 0; i < got; i++) {
            open -= m[i]->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
            n += !m[i]->err;
            if (take && !m[i]->err) take(to, m[i]);
            rd_kafka_message_destroy(m[i]);
        }
    }
    rd_kafka_queue_destroy(queue);
    return n;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int discard(rd_kafka_t *rk, const char *name)
{
    double from = now();
    long n = read_all(rk, name, NULL, NULL);
    if (n >= 0) printf("%.0f messages/s\n", (double)n / (now() - from));
    return n < 0;
}

static void take_state(void *to, const rd_kafka_message_t *m)
{
    uint32_t which;
    states_take(to, m->key, m->key_len, m->payload, m->len, &which);
}

static int print_states(rd_kafka_t *rk, const char *name)
{
    struct states s = {0};
    long n = read_all(rk, name, take_state, &s);
    for (uint32_t i = 0; i < s.n; i++)
        printf("%s %lld %zu %016llx\n", s.v[i].name, (long long)s.v[i].next, s.v[i].n,
               (unsigned long long)states_hash(s.v[i].bytes, s.v[i].n));
    states_free(&s);
    return n < 0;
}

/* Reads a small file. Returns its number of bytes. */
static size_t read_small(const char *path, void *to, size_t cap)
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(to, 1, cap, f) : 0;
    if (f) fclose(f);
    return n;
}

static int forge_state(rd_kafka_t *rk, const char *topic, const char *name, int64_t next,
                       const char *path)
{
    static char bytes[1 << 16], value[STATES_HEADER + (1 << 16)];
    char key[STATES_KEY];
    struct states_out o;
    size_t key_len, value_len, n = read_small(path, bytes, sizeof bytes);
    rd_kafka_resp_err_t err = RD_KAFKA_RESP_ERR__FS;
    states_begin(&o, name, 0, next, &(struct last_message){-1, -1, 0}, 1, bytes, n, sizeof bytes);
    if (n && states_next(&o, key, &key_len, value, &value_len))
        err = rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_KEY(key, key_len),
                                RD_KAFKA_V_VALUE(value, value_len), RD_KAFKA_V_END);
    return complain(err ? err : rd_kafka_flush(rk, WAIT_MS));
}

/* ---- groups ---- */

static int print_committed(rd_kafka_t *rk, const char *topic, int partitions)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int i = 0; i < partitions; i++)
        rd_kafka_topic_partition_list_add(list, topic, i);
    int bad = complain(rd_kafka_committed(rk, list, WAIT_MS));
    for (int i = 0; i < partitions && !bad; i++)
        printf("%lld%c", (long long)list->elems[i].offset, i + 1 < partitions ? ' ' : '\n');
    rd_kafka_topic_partition_list_destroy(list);
    return bad;
}

static int reset_committed(rd_kafka_t *rk, const char *topic, int partition, int64_t offset)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, partition)->offset = offset;
    rd_kafka_resp_err_t err = rd_kafka_commit(rk, list, 0);
    rd_kafka_topic_partition_list_destroy(list);
    return complain(err);
}

static int print_members(rd_kafka_t *rk, const char *group)
{
    const struct rd_kafka_group_list *groups = NULL;
    int bad = complain(rd_kafka_list_groups(rk, group, &groups, WAIT_MS));
    if (!bad) printf("%d\n", groups->group_cnt ? groups->groups[0].member_cnt : 0);
    if (groups) rd_kafka_group_list_destroy(groups);
    return bad;
}

static int is(char **argv, int argc, const char *what, int wanted)
{
    return argc == wanted + 3 && !strcmp(argv[2], what);
}

static int ask(rd_kafka_t *rk, int argc, char **argv)
{
    if (is(argv, argc, "topic", 3)) return create_topic(rk, argv[3], atoi(argv[4]), atoi(argv[5]));
    if (argc >= 4 && !strcmp(argv[2], "configure"))
        return configure_topic(rk, argv[3], argc - 4, argv + 4);
    if (is(argv, argc, "delete", 1)) return delete_topic(rk, argv[3]);
    if (is(argv, argc, "widen", 2)) return widen_topic(rk, argv[3], atoi(argv[4]));
    if (is(argv, argc, "forbid", 2)) return forbid(rk, argv[3], argv[4]);
    if (is(argv, argc, "trim", 3))
        return trim_partition(rk, argv[3], atoi(argv[4]), atoll(argv[5]));
    if (is(argv, argc, "transaction", 3)) return produce_transaction(rk, argv[3], argv[4], argv[5]);
    if (is(argv, argc, "leader", 2)) return print_leader(rk, argv[3], atoi(argv[4]), 0);
    if (is(argv, argc, "end", 2) || is(argv, argc, "end_of_all", 2))
        return print_end(rk, argv[3], atoi(argv[4]));
    if (is(argv, argc, "copies", 1)) return print_leader(rk, argv[3], 0, 1);
    if (is(argv, argc, "produce", 3)) return produce(rk, argv[3], atoi(argv[4]), argv[5]);
    if (is(argv, argc, "null", 2)) return produce_null(rk, argv[3], atoi(argv[4]));
    if (argc >= 7 && !strcmp(argv[2], "message")) return produce_message(rk, argc - 3, argv + 3);
    if (is(argv, argc, "read", 1)) return read_all(rk, argv[3], print_message, NULL) < 0;
    if (is(argv, argc, "follow", 2)) return follow(rk, argv[3], atol(argv[4]));
    if (is(argv, argc, "dump", 1)) return read_all(rk, argv[3], dump_message, NULL) < 0;
    if (is(argv, argc, "states", 1)) return print_states(rk, argv[3]);
    if (is(argv, argc, "forge", 4))
        return forge_state(rk, argv[3], argv[4], atoll(argv[5]), argv[6]);
    if (argc >= 4 && !strcmp(argv[2], "discard")) return discard(rk, argv[3]);
    if (is(argv, argc, "committed", 3)) return print_committed(rk, argv[4], atoi(argv[5]));
    if (is(argv, argc, "reset", 4))
        return reset_committed(rk, argv[4], atoi(argv[5]), atoll(argv[6]));
    if (is(argv, argc, "members", 1)) return print_members(rk, argv[3]);
    fprintf(stderr, "kafka_client: see the head of kafka_client.c\n");
    return 2;
}

/* Reads a topic as a member of its group, and prints nothing. Never returns. */
static _Noreturn void join(rd_kafka_t *rk, const char *topic)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, RD_KAFKA_PARTITION_UA);
    rd_kafka_poll_set_consumer(rk);
    rd_kafka_subscribe(rk, list);
    for (;;) {
        rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, POLL_MS);
        if (m) rd_kafka_message_destroy(m);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    int in_one = !strcmp(argv[2], "transaction");
    int sends = in_one || !strcmp(argv[2], "produce") || !strcmp(argv[2], "message") ||
                !strcmp(argv[2], "null") || !strcmp(argv[2], "forge");
    int of_group =
        (!strcmp(argv[2], "committed") || !strcmp(argv[2], "reset") || !strcmp(argv[2], "join")) &&
        argc > 3;
    int discards = argc > 4 && !strcmp(argv[2], "discard");
    int joins = argc > 4 && !strcmp(argv[2], "join");
    rd_kafka_t *rk = client(sends ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, argv[1],
                            of_group ? argv[3] : "kafka_client", in_one ? "kafka_client" : NULL,
                            !strcmp(argv[2], "end_of_all"),
                            argv + (discards ? 4
                                    : joins  ? 5
                                             : argc));
    if (joins) join(rk, argv[4]);
    int status = ask(rk, argc, argv);
    rd_kafka_destroy(rk);
    return status;
}
