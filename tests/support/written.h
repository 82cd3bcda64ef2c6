/* written.h -- collects the output of a text_out in memory. */
#ifndef LEAT_TESTS_WRITTEN_H
#define LEAT_TESTS_WRITTEN_H

#include <string.h>

#include "core/report/text_out.h"
#include "suite.h"

static char written[1 << 14];
static size_t written_len;

static int written_keep(void *to, const char *bytes, size_t n)
{
    ck_assert_uint_lt(written_len + n, sizeof written);
    memcpy(written + written_len, bytes, n);
    written_len += n;
    written[written_len] = 0;
    return 0;
}

/* Begins with no output. The buffer is small, so that output leaves it in parts. */
static struct text_out written_begin(void)
{
    static char buf[64];
    written_len = 0;
    written[0] = 0;
    return (struct text_out){.buf = buf, .cap = sizeof buf, .drain = written_keep};
}

/* Returns all output. */
static const char *written_end(struct text_out *out)
{
    ck_assert_int_eq(text_flush(out), 0);
    return written;
}

#endif
