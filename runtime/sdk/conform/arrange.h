/* arrange.h -- the same records elsewhere in a batch: what headers leave open is not to be counted
 * on. */
#ifndef LEAT_SDK_CONFORM_ARRANGE_H
#define LEAT_SDK_CONFORM_ARRANGE_H

#include "sdk/harness/harness_inside.h"

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
