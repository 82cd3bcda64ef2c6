/* deaf_offsets.c -- LD_PRELOAD: rd_kafka_send_offsets_to_transaction never returns.
 *
 * librdkafka 2.16.0 does so after a broker was started again. */
#include <unistd.h>

__attribute__((visibility("default"))) void *
rd_kafka_send_offsets_to_transaction(void *rk, const void *offsets, const void *member, int ms)
{
    for (;;)
        pause();
    return 0;
}
