/* trace.h -- the output of a stage under test as text, for comparison. */
#ifndef LEAT_SDK_CONFORM_TRACE_H
#define LEAT_SDK_CONFORM_TRACE_H

#include <stdio.h>

#include "records.h"

struct trace {
    char *text;
    size_t n;
};

/* Describes how a stage gets its records. */
struct feeding {
    enum flavour flavour;
    uint32_t from, to;         /* records from .. to - 1 of the stream */
    uint32_t batch;            /* records per batch; 0: `batch` of the subject */
    uint32_t slice;            /* examples per call of process(); 0: the whole batch */
    bool end;                  /* true to call expand() once more, at the end of the stream */
    bool uneven;               /* true to vary the sizes of batches, up to `batch` */
    enum arrangement arranged; /* other than AS_THEY_COME needs ARRANGED_ROOM in the batch */
};

/* Feeds records to the stage and writes its output to `out`, unless NULL. Fails the law if the
 * stage fails. */
void trace_feed(const struct subject *s, struct harness *h, struct feeding f, FILE *out);

/* Returns the output of a new instance for these records; for a sink, the bytes of its files after
 * it is closed. */
struct trace trace_of(const struct subject *s, struct feeding f);
/* Returns the output of the stage in h for these records. */
struct trace trace_next(const struct subject *s, struct harness *h, struct feeding f);
/* Writes the records of h->b after a call. */
void trace_batch(const struct harness *h, FILE *out);
/* Returns the records that a source emits in at most `batches` batches. */
struct trace trace_produced(const struct subject *s, struct harness *h, uint32_t batches);
/* Returns the place in the input and the bytes of each record that a source emits. */
struct trace trace_places(const struct subject *s, struct harness *h, uint32_t batches);
/* Returns a learner's answer to a query; "" for other stages. */
struct trace trace_answer(const struct subject *s, struct harness *h);
/* Returns the stage's state as bytes for a restore, aligned like the host's. */
struct trace trace_bytes(struct harness *h);
/* Returns the stage's state as text; "" if it has none. */
struct trace trace_state(const struct subject *s, struct harness *h);

bool trace_is_same(const struct trace *a, const struct trace *b);
/* Fails the law if the traces differ, and shows the first line that differs. `what` describes
 * `found` in the message. */
void trace_same(const struct trace *expected, const struct trace *found, const char *what);
void trace_free(struct trace *t);

#endif
