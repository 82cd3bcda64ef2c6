/* group_about.h -- what a group is: its type, how its members share partitions, and why this client
 * cannot join it. */
#ifndef LEAT_KAFKA_CLIENT_GROUP_ABOUT_H
#define LEAT_KAFKA_CLIENT_GROUP_ABOUT_H

#include <stddef.h>

#include <librdkafka/rdkafka.h>

/* Asks the cluster about the group, for up to `ms`, and writes why the client rk cannot join it:
 * "its 2 members share partitions by roundrobin, and this one by range: …". Writes "" if the answer
 * shows no reason, or if no broker answers. Joins nothing. */
void group_about_refusal(rd_kafka_t *rk, const char *group, int ms, char *out, size_t cap);

#endif
