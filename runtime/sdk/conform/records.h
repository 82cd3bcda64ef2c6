/* records.h -- what comes to a stage under test: record k of a stream is the same in every batch,
 * whatever its size. */
#ifndef LEAT_SDK_CONFORM_RECORDS_H
#define LEAT_SDK_CONFORM_RECORDS_H

#include "subject.h"

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

#endif
