/* headers.h -- columns as headers of messages, each listed as "column" or "name=column"; "*" is all
 * headers that the message came with. */
#ifndef LEAT_KAFKA_SINK_HEADERS_H
#define LEAT_KAFKA_SINK_HEADERS_H

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct header {
    const char *name; /* name_len bytes, not ended by a NUL; NULL: all that came */
    uint32_t name_len, column;
};

struct headers {
    struct header *v;
    uint32_t n;
};

/* The types of columns that keys and headers are made of. */
enum { HEADERS_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_BYTES };

/* Asks for the columns, and reports those that cannot be text. */
void headers_negotiate(struct leat_negotiation *n, const struct leat_strings *wanted);
int headers_open(struct leat_ctx *ctx, struct headers *h, const struct leat_strings *wanted);
void headers_close(struct leat_ctx *ctx, struct headers *h);
/* The headers of record r; NULL: `headers` lists none. */
rd_kafka_headers_t *headers_make(const struct headers *h, const struct leat_batch *b, uint32_t r);

#endif
