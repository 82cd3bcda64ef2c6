/* trace.h -- the output of a stage under test as text: a paragraph for each record. */
#ifndef LEAT_SDK_CONFORM_TRACE_H
#define LEAT_SDK_CONFORM_TRACE_H

#include <stdio.h>

#include "records.h"

struct trace {
    char *text;
    size_t n;
};

/* How a stage gets records. */
struct feeding {
    enum flavour flavour;
    uint32_t from, to;         /* records of the stream: from .. to - 1 */
    uint32_t batch;            /* records of a batch; 0: the subject's number */
    uint32_t slice;            /* examples of a call of process; 0: whole batches */
    bool end;                  /* the last batch of the stream follows (expand) */
    bool uneven;               /* batches of varying sizes, at most `batch` */
    enum arrangement arranged; /* a batch needs room for ARRANGED_ROOM times its records */
};

/* Feeds records to h and writes the output to `out` (NULL: nowhere). A stage that fails fails the
 * law. */
void trace_feed(const struct subject *s, struct harness *h, struct feeding f, FILE *out);

/* Returns the output of a fresh instance for these records; for a sink, the bytes of its files once
 * it is closed. */
struct trace trace_of(const struct subject *s, struct feeding f);
/* Returns the output of h for these records. */
struct trace trace_next(const struct subject *s, struct harness *h, struct feeding f);
/* Writes the records in h->b after a call. */
void trace_batch(const struct harness *h, FILE *out);
/* Returns the records of a source in `batches` batches, or until it has no more. */
struct trace trace_produced(const struct subject *s, struct harness *h, uint32_t batches);
/* Returns the place of each record of a source, and its bytes. */
struct trace trace_places(const struct subject *s, struct harness *h, uint32_t batches);
/* Returns a learner's answer, or "". */
struct trace trace_answer(const struct subject *s, struct harness *h);
/* Returns the state in the form for restore, in a block aligned like the host's. */
struct trace trace_bytes(struct harness *h);
/* Returns the state as text; "" if there is none. */
struct trace trace_state(const struct subject *s, struct harness *h);

bool trace_is_same(const struct trace *a, const struct trace *b);
/* Fails the law if the two differ, and shows the first line that does. `what` names the found
 * one. */
void trace_same(const struct trace *expected, const struct trace *found, const char *what);
void trace_free(struct trace *t);

#endif
