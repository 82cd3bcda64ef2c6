/* kept.h -- memory of the records whose messages the cluster has not confirmed yet.
 *
 * Records lie one after the other in chunks. A chunk is used again once all its records are
 * dropped. So nothing is allocated for a record. One late message holds the memory of its chunk.
 *
 *   chunk  | n = 2 | record, dropped | record | record | free ... |
 *
 * One thread at a time. */
#ifndef LEAT_KAFKA_CLIENT_KEPT_H
#define LEAT_KAFKA_CLIENT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_chunk;

/* A message whose record is kept until the cluster has confirmed it. */
struct pending {
    struct kept_chunk *chunk;
    int64_t time;      /* of the message; librdkafka does not report it after an error */
    uint64_t record[]; /* the copy (leat_host.keep) */
};

struct kept {
    struct kept_chunk *last;  /* chunk that grows, or NULL                     */
    struct kept_chunk *first; /* all chunks with records, in no order          */
    struct kept_chunk *spare; /* chunks without records, which are used again  */
    size_t bytes;             /* of the chunks with records                    */
    size_t n;                 /* records                                       */
};

/* Returns the memory for the next record, and sets *room to the bytes for its copy. */
struct pending *kept_next(struct kept *k, size_t *room);
/* Makes a new chunk with room for a copy of `bytes`. Returns false if there is no memory. */
bool kept_grow(struct kept *k, size_t bytes);
/* Returns by how much k->bytes grows in kept_grow(). */
size_t kept_growth(size_t bytes);
/* Takes the memory that kept_next() has returned, with a copy of `bytes`. */
void kept_take(struct kept *k, struct pending *pending, size_t bytes);
void kept_drop(struct kept *k, struct pending *pending);
void kept_free(struct kept *k);

#endif
