/* headers.h -- columns that become headers of messages.
 *
 * Each entry of the sink's parameter is "column", "name=column", or "*" for all headers of the
 * original message. */
#ifndef LEAT_KAFKA_SINK_HEADERS_H
#define LEAT_KAFKA_SINK_HEADERS_H

#include <stdbool.h>

#include <leat/plugin.h>
#include <librdkafka/rdkafka.h>

struct header {
    const char *name; /* name_len bytes without a NUL; NULL for "*" */
    uint32_t name_len, column;
};

struct headers {
    struct header *v;
    uint32_t n;
    bool new_value; /* "*" leaves out the headers that name the schema of the original value */
    const struct leat_header *more; /* n_more further headers of each message */
    uint32_t n_more;
};

/* Types of columns that can be keys or headers. */
enum { HEADERS_TAKES = LEAT_TAKES_TEXT | LEAT_TAKES_BYTES };

/* Asks for the columns, and reports wrong entries of the parameter. */
void headers_negotiate(struct leat_negotiation *n, const struct leat_strings *wanted);
/* Returns LEAT_OK, or a failure reported to the host. */
int headers_open(struct leat_ctx *ctx, struct headers *h, const struct leat_strings *wanted);
void headers_close(struct leat_ctx *ctx, struct headers *h);
/* Returns the headers of the message of record r; NULL if the sink writes none. */
rd_kafka_headers_t *headers_make(const struct headers *h, const struct leat_batch *b, uint32_t r);

#endif
