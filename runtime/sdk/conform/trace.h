/* trace.h -- what a stage under test has given, as text: a paragraph for each record. */
#ifndef LEAT_SDK_CONFORM_TRACE_H
#define LEAT_SDK_CONFORM_TRACE_H

#include <stdio.h>

#include "records.h"

struct trace {
    char *text;
    size_t n;
};

/* How records are given. */
struct feeding {
    enum flavour flavour;
    uint32_t from, to;         /* records of the stream, up to `to`            */
    uint32_t batch;            /* records of each; 0: as the subject has        */
    uint32_t slice;            /* examples of a call of process; 0: whole batches */
    bool end;                  /* the last batch of the stream follows (expand) */
    bool uneven;               /* batches of some sizes in turn, none larger     */
    enum arrangement arranged; /* a batch needs room for ARRANGED_ROOM times its records */
};

/* Gives records to h and writes what comes of them to `out`, NULL: nowhere. A stage that fails
 * fails the law. */
void trace_feed(const struct subject *s, struct harness *h, struct feeding f, FILE *out);

/* Returns the records of a fresh instance for these; for a sink, the bytes of its files once it is
 * closed. */
struct trace trace_of(const struct subject *s, struct feeding f);
/* Returns the records that h gives for these. */
struct trace trace_next(const struct subject *s, struct harness *h, struct feeding f);
/* Writes the records in h->b after a call. */
void trace_batch(const struct harness *h, FILE *out);
/* Returns the records of a source in so many batches, or until it has no more. */
struct trace trace_produced(const struct subject *s, struct harness *h, uint32_t batches);
/* Returns the place of each of these records, and its bytes. */
struct trace trace_places(const struct subject *s, struct harness *h, uint32_t batches);
/* The answer of a learner, or "". */
struct trace trace_answer(const struct subject *s, struct harness *h);
/* Its state as it is restored, in a block that is aligned as the host's are. */
struct trace trace_bytes(struct harness *h);
/* Its state as text; "" where it has none. */
struct trace trace_state(const struct subject *s, struct harness *h);

bool trace_is_same(const struct trace *a, const struct trace *b);
/* Fails the law where the two differ, with the first line that does. `what`: what found is. */
void trace_same(const struct trace *expected, const struct trace *found, const char *what);
void trace_free(struct trace *t);

#endif
