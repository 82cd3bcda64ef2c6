/* parser_rig.h -- a parser of records as built, and one batch for it. */
#ifndef LEAT_TESTS_SUPPORT_PARSER_RIG_H
#define LEAT_TESTS_SUPPORT_PARSER_RIG_H

#include <check.h>

#include "harness.h"

static inline struct harness *parser_new(const char *stage)
{
    struct harness *h = harness_new("parsers", stage);
    harness_has(h, LEAT_HAS_RECORDS);
    return h;
}

/* One batch of these records (a list ended by NULL), parsed. PARSE(h, "a,b", "c,d") */
static inline void parse(struct harness *h, const char *const *records)
{
    ck_assert_msg(harness_open(h, 64) == LEAT_OK, "%s", h->said);
    for (; *records; records++)
        harness_record(h, *records);
    ck_assert_int_eq(harness_process(h), LEAT_OK);
}
#define PARSE(H, ...) parse(H, (const char *const[]){__VA_ARGS__, NULL})

#endif
