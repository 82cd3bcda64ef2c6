/* fuzz_commit_mark.c -- any metadata of a committed offset.
 *
 * The metadata is not leat's, or a mark that stays the same when it is written and read again.
 *
 * sources: plugins/kafka/states/position.c -lrdkafka
 */
#include "fuzz.h"
#include "kafka/states/position.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rd_kafka_topic_partition_t t = {.metadata = exactly(data, size), .metadata_size = size};
    struct commit_mark m, again;
    if (commit_mark_get(&t, &m)) {
        commit_mark_put(&t, &m);
        must(t.metadata && commit_mark_get(&t, &again));
        must(m.checkpoint == again.checkpoint && m.writer == again.writer &&
             m.last.offset == again.last.offset && m.last.time == again.last.time &&
             m.last.hash == again.last.hash);
    }
    free(t.metadata);
    return 0;
}
