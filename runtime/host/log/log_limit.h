/* log_limit.h -- no more than so many messages of one kind in a second: a stage that says something
 * of every record hides everything else, and costs more than the records.
 *
 * A kind is a stage's id and a format. Kinds that fall on one place of the table replace each
 * other: then more passes, never less. One thread at a time. */
#ifndef LEAT_HOST_LOG_LOG_LIMIT_H
#define LEAT_HOST_LOG_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_LIMIT_KINDS = 64 };

struct log_limit {
    struct log_kind {
        const char *id, *format; /* compared as pointers, never read */
        uint64_t since;          /* the start of its second, ns      */
        uint64_t passed,
            left_out; /* passed: of this second; left_out: since the last that passed */
    } kind[LOG_LIMIT_KINDS];
};

/* May a message of this kind pass at `now` (clock_ns)? Then *left_out is how many could not since
 * the last that did. */
bool log_limit_take(struct log_limit *l, const char *id, const char *format, uint64_t now,
                    uint64_t *left_out);

#endif
