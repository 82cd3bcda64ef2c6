/* intake.h -- HTTP requests that bring records, from their first byte to their answer.
 *
 * Two threads share the posts. libmicrohttpd's thread receives bodies and sends answers. The
 * source's thread takes whole bodies, and tells what a checkpoint holds. `mu` guards the posts.
 *
 *   state       meaning                                    leaves it by
 *   FREE        the place is unused                        a request                -> RECEIVING
 *   RECEIVING   the body is arriving                       its end                  -> WAITING
 *                                                          an error, the client     -> FREE
 *   WAITING     in the queue; connection suspended         intake_fill()            -> TAKEN
 *                                                          the end of the run       -> ANSWERED
 *   TAKEN       all its records are in batches             intake_barrier()         -> SAVING
 *   SAVING      its records belong to `checkpoint`         intake_durable(): 200    -> ANSWERED
 *                                                          the end of the run: 503  -> ANSWERED
 *   ANSWERED    connection resumed; `code` is its answer   the answer is sent       -> FREE
 *
 * So a client that gets 200 knows that each of its records is in the last checkpoint. All places
 * have a buffer of max_body bytes. If no place is free, a request gets 429 before its body is
 * read. */
#ifndef LEAT_SOURCES_HTTP_INTAKE_H
#define LEAT_SOURCES_HTTP_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

#include "common/inputs/address.h"

struct intake_options {
    struct address address;
    const char *token; /* NULL: none is needed */
    bool whole;        /* a body is one record; else it is cut into lines */
    uint32_t places;   /* most requests at a time */
    uint64_t max_body; /* bytes of a body as it is sent, and decompressed */
};

struct intake_counts {
    uint64_t requests, refused, bytes;
};

struct intake;

/* Returns the most memory that an intake takes: buffers, and names of inputs. */
uint64_t intake_bytes(const struct intake_options *o);
uint64_t intake_name_bytes(const struct intake_options *o);

/* Begins to listen. Returns LEAT_OK, or a failure reported to the host. Copies *o, but not the
 * token. */
int intake_open(struct leat_ctx *ctx, const struct intake_options *o, struct intake **in);
/* Answers all requests that have no answer with 503, and ends. in may be NULL. */
void intake_close(struct leat_ctx *ctx, struct intake *in);
/* Returns the address with its port. */
const char *intake_address(const struct intake *in);

/* Adds records of waiting bodies to the batch. Waits up to a tenth of a second for the first one.
 * With `last`, waits for none and answers 503 to those that do not fit. Sets *taken if a body was
 * taken as a whole. */
int intake_fill(struct leat_ctx *ctx, struct intake *in, struct leat_batch *b, bool last,
                bool *taken);
/* Notes that the bodies taken so far belong to the checkpoint. */
void intake_barrier(struct intake *in, uint64_t checkpoint);
/* Answers the requests of this checkpoint and of those before it with 200. */
void intake_durable(struct intake *in, uint64_t checkpoint);
/* Ends a wait of intake_fill(). Any thread may call this. */
void intake_wake(struct intake *in);

struct intake_counts intake_counts(struct intake *in);
/* Sets the number of requests that were received before, for names. */
void intake_continue(struct intake *in, uint64_t requests);

#endif
