/* fuzz_decimal.c -- any bytes as a number: strtod's value to the bit, and the place where it stops.
 *
 * No read is out of bounds.
 *
 * sources: plugins/kernels/text/decimal.c
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "fuzz.h"
#include "kernels/text/decimal.h"

enum { MAX_BYTES = 1000 };

/* Returns whether decimal_parse takes the form, too. It refuses leading blanks, hexadecimal, and
 * nan with parentheses. */
static int is_plain(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    if (isspace((unsigned char)*text)) return 0;
    return !(p[0] == '0' && (p[1] | 32) == 'x') && !strchr(text, '(');
}

static void compare(const char *text, size_t n)
{
    char *exact = exactly(text, n), *end;
    double v = 0, want = strtod(text, &end);
    const char *stop = NULL;
    enum decimal_status s = decimal_parse(exact, exact + n, &v, &stop);
    must(stop >= exact && stop <= exact + n);
    if (is_plain(text)) {
        must(stop - exact == end - text);
        if (s == DECIMAL_NONE) must(end == text);
        if (s == DECIMAL_NONFINITE) must(!isfinite(want));
        if (s == DECIMAL_OK) must(isfinite(want) && !memcmp(&v, &want, sizeof v));
    }
    free(exact);
}

static void whole_number(const char *text, size_t n)
{
    char *exact = exactly(text, n), shown[32];
    uint64_t v;
    const char *stop = decimal_u64(exact, exact + n, &v);
    if (stop) {
        size_t zeros = strspn(text, "0"), digits = (size_t)(stop - exact);
        zeros = zeros < digits ? zeros : digits - 1;
        int len = snprintf(shown, sizeof shown, "%llu", (unsigned long long)v);
        must((size_t)len == digits - zeros && !memcmp(shown, exact + zeros, (size_t)len));
    }
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_BYTES || memchr(data, 0, size)) return 0;
    char *text = exact_text(data, size);
    compare(text, size);
    whole_number(text, size);
    free(text);
    return 0;
}
