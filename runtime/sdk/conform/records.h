/* records.h -- the records for a stage under test.
 *
 * Record k of a stream is the same in every batch, whatever the size of the batch and wherever the
 * record lies in it. */
#ifndef LEAT_SDK_CONFORM_RECORDS_H
#define LEAT_SDK_CONFORM_RECORDS_H

#include "sdk/harness/harness_impl.h"
#include "subject.h"

enum flavour {
    PLAIN,   /* ordinary records */
    HOSTILE, /* empty, missing, long, broken and huge ones in turn */
    OTHER    /* ordinary records of another stream */
};

/* Adds records from .. from + n - 1 to h->b. */
void records_add(const struct subject *s, struct harness *h, enum flavour f, uint32_t from,
                 uint32_t n);

/* Writes a file for sources: a header, then n records as lines. Returns LEAT_EIO if it cannot be
 * written. */
int records_file(const char *path, enum flavour f, uint32_t n);

/* ---- the same records elsewhere in a batch, where headers allow any place ---- */

/* Two arrangements besides the usual one. In both an invalid record lies before each record, some
 * with examples. Texts and parts of names lie in another order, and other bytes surround each
 * text. */
enum arrangement {
    AS_THEY_COME,
    RECORDS_BACK, /* records in reversed order; examples in the usual order       */
    EXAMPLES_BACK /* records in the usual order; their examples in reversed order */
};

/* A batch needs room for this many times its records, with the invalid ones. */
enum { ARRANGED_ROOM = 2 };

/* Arranges h->b, which records_add has filled. h->impl->number then has the former number of each
 * record. */
void arrange(struct harness *h, enum arrangement how);
/* Returns the place of the i-th of n records after arranging. */
uint32_t arranged_at(enum arrangement how, uint32_t n, uint32_t i);

#endif
