/* records.h -- the records for a stage under test.
 *
 * Record k of a stream is the same in every batch, whatever the size of the batch and the record's
 * place in it. */
#ifndef LEAT_SDK_CONFORM_RECORDS_H
#define LEAT_SDK_CONFORM_RECORDS_H

#include "sdk/harness/harness_impl.h"
#include "subject.h"

enum flavour {
    PLAIN,   /* ordinary records */
    HOSTILE, /* records whose values are empty, missing, long, broken or huge, in turn */
    OTHER    /* ordinary records of another stream */
};

/* Adds records `from` .. from + n - 1 of the stream f to h->b. */
void records_add(const struct subject *s, struct harness *h, enum flavour f, uint32_t from,
                 uint32_t n);

/* Writes a file for sources: a header, then n records, one per line. Returns LEAT_OK; or LEAT_EIO
 * if the file cannot be written. */
int records_file(const char *path, enum flavour f, uint32_t n);

/* ---- the same records in another arrangement of the batch, as the headers allow ---- */

/* Ways to arrange the records of a batch. In the two unusual ones, an invalid record lies before
 * each record, and some invalid records have examples. Texts and name parts lie in another order,
 * and other bytes surround each text. */
enum arrangement {
    AS_THEY_COME,
    RECORDS_BACK, /* records in reverse order, examples in the usual order */
    EXAMPLES_BACK /* records in the usual order, examples in reverse order */
};

/* An arranged batch needs room for ARRANGED_ROOM times its records, because of the invalid ones. */
enum { ARRANGED_ROOM = 2 };

/* Arranges h->b, which records_add() has filled. Afterwards h->impl->number has the former index of
 * each record. */
void arrange(struct harness *h, enum arrangement how);
/* Returns the index that record i of n has after arranging. */
uint32_t arranged_at(enum arrangement how, uint32_t n, uint32_t i);

#endif
