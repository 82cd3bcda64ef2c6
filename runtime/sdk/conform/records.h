/* records.h -- the records that come to a stage under test: record k of a stream is the same in
 * every batch, whatever its size, and wherever it lies in the batch. */
#ifndef LEAT_SDK_CONFORM_RECORDS_H
#define LEAT_SDK_CONFORM_RECORDS_H

#include "sdk/harness/harness_impl.h"
#include "subject.h"

/* What comes to a stage under test: record k of a stream is the same in every batch,
 * whatever its size. */

enum flavour {
    PLAIN,   /* as records are */
    HOSTILE, /* empty, missing, long, broken, huge, in turn */
    OTHER    /* as plain ones, of another stream */
};

/* Adds records from .. from + n - 1 to h->b. */
void records_add(const struct subject *s, struct harness *h, enum flavour f, uint32_t from,
                 uint32_t n);

/* A file with such records as lines, for sources; n of them after a header. LEAT_EIO: it cannot be
 * written. */
int records_file(const char *path, enum flavour f, uint32_t n);

/* The same records elsewhere in a batch: what headers leave open is not to be counted
 * on. */

/* In both that are arranged: before each record lies one that is out, some with examples; texts and
 * parts of names lie in another order, texts with other bytes around each. */
enum arrangement {
    AS_THEY_COME,
    RECORDS_BACK, /* records in reversed order; examples as they came         */
    EXAMPLES_BACK /* records as they came; their examples in reversed order */
};

/* A batch has room for so many records with those that are out. */
enum { ARRANGED_ROOM = 2 };

/* Arranges h->b, which records_add has filled. h->impl->number says then which each record was. */
void arrange(struct harness *h, enum arrangement how);
/* Where the i-th of n records lies then. */
uint32_t arranged_at(enum arrangement how, uint32_t n, uint32_t i);

#endif
