/* expression_texts.c -- steps of texts, each a loop over a block of cells.
 *
 * A new text is appended to the batch. Texts are UTF-8; an invalid byte counts as one character.
 * upper() and lower() use libutf8proc's simple case mapping of one character to one. */
#include "expression_steps.h"

#include <string.h>

#include <utf8proc.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/text/utf8.h"
#include "kernels/text/decimal.h"
#include "core/report/text_out.h"

#define EACH(c) for (uint32_t i = 0; i < (c)->n; i++)

static bool texts_is_none(struct leat_str s) { return s.len == LEAT_NULL; }

/* Returns the cell for an operation on a and b, of which one is no text: bad if one of them is bad,
 * otherwise missing. */
static struct leat_str texts_settle(struct leat_str a, struct leat_str b)
{
    return text_none(expression_bad_text(a) ? a.off : expression_bad_text(b));
}

static const char *texts_text_of(const struct call *c, struct leat_str s)
{
    return c->b->bytes + s.off;
}

/* Returns a new text of len bytes; a bad cell if the batch is full. */
static struct leat_str texts_room(const struct call *c, uint64_t len)
{
    uint32_t off = len < LEAT_NULL ? leat_add_bytes(c->b, (uint32_t)len) : LEAT_NULL;
    return off == LEAT_NULL ? text_none(CELL_FULL) : (struct leat_str){off, (uint32_t)len};
}

static struct leat_str texts_part(struct leat_str s, size_t from, size_t len)
{
    return (struct leat_str){s.off + (uint32_t)from, (uint32_t)len};
}

/* ---- texts to texts ---- */

static bool texts_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static struct leat_str texts_trim(const struct call *c, struct leat_str s)
{
    const char *p = texts_text_of(c, s);
    while (s.len && texts_is_space(p[s.len - 1]))
        s.len--;
    while (s.len && texts_is_space(*p))
        p++, s.off++, s.len--;
    return s;
}

void run_trim(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    if (!texts_is_none(arg[0].text[i])) arg[0].text[i] = texts_trim(c, arg[0].text[i]);
}

/* Changes the case of ASCII letters, so the length stays the same. Returns false if there is
 * another character. */
static bool texts_case_of_ascii(const char *p, uint32_t n, char first, char *to)
{
    unsigned char seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        seen |= (unsigned char)p[i];
        to[i] = (char)(p[i] ^ ((unsigned char)(p[i] - first) < 26) << 5);
    }
    return seen < 0x80;
}

static uint32_t texts_case_of_utf8(const char *p, uint32_t n, bool upper, char *to)
{
    uint32_t put = 0, k;
    for (uint32_t i = 0; i < n; i += k) {
        utf8proc_int32_t code;
        k = (uint32_t)utf8_length((const unsigned char *)p + i, n - i);
        if (k) utf8proc_iterate((const utf8proc_uint8_t *)p + i, k, &code);
        if (k)
            put += (uint32_t)utf8proc_encode_char(upper ? utf8proc_toupper(code)
                                                        : utf8proc_tolower(code),
                                                  (utf8proc_uint8_t *)to + put);
        else
            to[put++] = p[i], k = 1;
    }
    return put;
}

static struct leat_str texts_in_case(const struct call *c, struct leat_str s, bool upper)
{
    struct leat_str to = texts_room(c, s.len);
    if (texts_is_none(to)) return to;
    if (texts_case_of_ascii(texts_text_of(c, s), s.len, upper ? 'a' : 'A', c->b->bytes + to.off))
        return to;
    c->b->n_bytes = to.off;
    to = texts_room(c, (uint64_t)s.len * 2);
    if (texts_is_none(to)) return to;
    to.len = texts_case_of_utf8(texts_text_of(c, s), s.len, upper, c->b->bytes + to.off);
    c->b->n_bytes = to.off + to.len;
    return to;
}

void run_lower(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    if (!texts_is_none(arg[0].text[i])) arg[0].text[i] = texts_in_case(c, arg[0].text[i], false);
}

void run_upper(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    if (!texts_is_none(arg[0].text[i])) arg[0].text[i] = texts_in_case(c, arg[0].text[i], true);
}

static size_t texts_character(const char *p, size_t n)
{
    size_t k = (unsigned char)*p < 0x80 ? 1 : utf8_length((const unsigned char *)p, n);
    return k ? k : 1;
}

static uint32_t texts_characters(const char *p, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i += (uint32_t)texts_character(p + i, n - i))
        count++;
    return count;
}

/* Returns the byte at which character number `skip` (from 0) begins, at most n. */
static uint32_t texts_skip_characters(const char *p, uint32_t n, double skip)
{
    uint32_t at = 0;
    for (; skip >= 1 && at < n; skip--)
        at += (uint32_t)texts_character(p + at, n - at);
    return at;
}

static struct leat_str texts_substring(const struct call *c, struct leat_str s, double first,
                                       double count)
{
    const char *p = texts_text_of(c, s);
    double skip = first > 0 ? first - 1 : first < 0 ? texts_characters(p, s.len) + first : 0;
    uint32_t from = texts_skip_characters(p, s.len, skip);
    return texts_part(s, from, texts_skip_characters(p + from, s.len - from, count));
}

/* Returns the cell for an operation on the text s and the number x, of which one has no value. */
static struct leat_str texts_settle_number(struct leat_str s, double x)
{
    return texts_settle(s, text_none(expression_bad_number(x)));
}

void run_substring(const struct call *c, union leat_cells *arg)
{
    struct leat_str *s = arg[0].text;
    EACH(c)
    {
        double first = arg[1].number[i];
        double count = c->step->n > 2 ? arg[2].number[i] : (double)UINT32_MAX;
        s[i] = texts_is_none(s[i]) || isnan(first) || isnan(count)
                   ? texts_settle_number(texts_settle_number(s[i], first), count)
                   : texts_substring(c, s[i], trunc(first), trunc(count));
    }
}

/* Returns the first occurrence of the text `of` between `from` and `end`; NULL if there is none. */
static const char *texts_find(const char *from, const char *end, const char *of, size_t n)
{
    return n == 1 ? memchr(from, *of, (size_t)(end - from))
                  : memmem(from, (size_t)(end - from), of, n);
}

static struct leat_str texts_nth(struct leat_str s, const char *p, const char *of, uint32_t k,
                                 double n)
{
    const char *from = p, *end = p + s.len, *at;
    while ((at = texts_find(from, end, of, k)) && n > 1) {
        from = at + k;
        n--;
    }
    return n > 1 ? text_none(0)
                 : texts_part(s, (size_t)(from - p), (size_t)((at ? at : end) - from));
}

static double texts_parts(struct leat_str s, const char *p, const char *of, uint32_t k)
{
    double n = 1;
    for (const char *end = p + s.len; (p = texts_find(p, end, of, k)); p += k)
        n++;
    return n;
}

static struct leat_str texts_split(const struct call *c, struct leat_str s, struct leat_str by,
                                   double n)
{
    const char *p = texts_text_of(c, s), *of = texts_text_of(c, by);
    if (!by.len) return text_none(0);
    if (n < 0) n += texts_parts(s, p, of, by.len) + 1;
    return n < 1 ? text_none(0) : texts_nth(s, p, of, by.len, n);
}

void run_split(const struct call *c, union leat_cells *arg)
{
    struct leat_str *s = arg[0].text;
    EACH(c)
    {
        struct leat_str by = arg[1].text[i];
        double n = arg[2].number[i];
        s[i] = texts_is_none(s[i]) || texts_is_none(by) || isnan(n)
                   ? texts_settle_number(texts_settle(s[i], by), n)
                   : texts_split(c, s[i], by, trunc(n));
    }
}

/* Returns the part of s before the first occurrence of `by`, or the part behind it if `after`. */
static struct leat_str texts_side(const struct call *c, struct leat_str s, struct leat_str by,
                                  bool after)
{
    if (texts_is_none(s) || texts_is_none(by)) return texts_settle(s, by);
    const char *p = texts_text_of(c, s), *end = p + s.len;
    const char *at = texts_find(p, end, texts_text_of(c, by), by.len);
    if (!at) return text_none(0);
    return after ? texts_part(s, (size_t)(at - p) + by.len, (size_t)(end - at) - by.len)
                 : texts_part(s, 0, (size_t)(at - p));
}

void run_before(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    arg[0].text[i] = texts_side(c, arg[0].text[i], arg[1].text[i], false);
}

void run_after(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    arg[0].text[i] = texts_side(c, arg[0].text[i], arg[1].text[i], true);
}

static struct leat_str texts_replace(const struct call *c, struct leat_str s, struct leat_str old,
                                     struct leat_str new)
{
    const char *p = texts_text_of(c, s), *end = p + s.len, *of = texts_text_of(c, old),
               *by = texts_text_of(c, new);
    if (!old.len || !texts_find(p, end, of, old.len)) return s;
    uint64_t n = (uint64_t)texts_parts(s, p, of, old.len) - 1;
    struct leat_str to = texts_room(c, s.len - n * old.len + n * new.len);
    if (texts_is_none(to)) return to;
    char *out = c->b->bytes + to.off;
    for (const char *at; (at = texts_find(p, end, of, old.len)); p = at + old.len) {
        out = (char *)mempcpy(out, p, (size_t)(at - p));
        out = (char *)mempcpy(out, by, new.len);
    }
    memcpy(out, p, (size_t)(end - p));
    return to;
}

void run_replace(const struct call *c, union leat_cells *arg)
{
    struct leat_str *s = arg[0].text;
    EACH(c)
    {
        struct leat_str old = arg[1].text[i], new = arg[2].text[i];
        s[i] = texts_is_none(s[i]) || texts_is_none(old) || texts_is_none(new)
                   ? texts_settle(texts_settle(s[i], old), new)
                   : texts_replace(c, s[i], old, new);
    }
}

static struct leat_str texts_join(const struct call *c, const union leat_cells *arg, uint32_t i)
{
    uint64_t len = 0;
    struct leat_str none = text_none(0);
    bool whole = true;
    for (uint32_t k = 0; k < c->step->n; k++) {
        struct leat_str s = arg[k].text[i];
        if (texts_is_none(s)) none = texts_settle(none, s), whole = false;
        len += texts_is_none(s) ? 0 : s.len;
    }
    struct leat_str to = whole ? texts_room(c, len) : none;
    if (texts_is_none(to)) return to;
    char *out = c->b->bytes + to.off;
    for (uint32_t k = 0; k < c->step->n; k++)
        out = (char *)mempcpy(out, texts_text_of(c, arg[k].text[i]), arg[k].text[i].len);
    return to;
}

void run_join(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    arg[0].text[i] = texts_join(c, arg, i);
}

/* ---- texts and numbers ---- */

static inline const char *texts_plain(const struct call *c, struct leat_str s,
                                      char plain[GROUPED_MAX], size_t *n)
{
    const struct grouped form = form_of_arg(c->step->arg);
    s = texts_trim(c, s);
    *n = s.len;
    if (!s.len || grouped_is_plain(&form)) return texts_text_of(c, s);
    *n = grouped_plain(&form, texts_text_of(c, s), s.len, plain);
    return plain;
}

const char *text_of_number(const struct call *c, struct leat_str s, char plain[GROUPED_MAX],
                           size_t *n)
{
    return texts_plain(c, s, plain, n);
}

/* Reads a number. If the text is blank, sets *x to NaN and returns DECIMAL_NONE. */
static enum decimal_status texts_read_number(const struct call *c, struct leat_str s, double *x)
{
    char plain[GROUPED_MAX];
    size_t n;
    const char *p = texts_plain(c, s, plain, &n);
    *x = p == plain || n ? 0 : number_missing();
    return n ? decimal_whole(p, p + n, x) : DECIMAL_NONE;
}

static double texts_number_or(const struct call *c, struct leat_str s, double otherwise)
{
    double x;
    if (texts_is_none(s)) return number_of_none(s);
    return texts_read_number(c, s, &x) == DECIMAL_OK || isnan(x) ? x : otherwise;
}

/* Converts texts for an operator that needs numbers. A text that is no number becomes bad; for
 * number(), missing. */
void run_to_number(const struct call *c, union leat_cells *arg)
{
    double otherwise = c->step->function->run == run_number
                           ? number_missing()
                           : number_bad((uint32_t)(c->step - c->e->step));
    EACH(c)
    arg[0].number[i] = texts_number_or(c, arg[0].text[i], otherwise);
}

static size_t texts_write_condition(char *out, bool holds)
{
    return (size_t)(stpcpy(out, holds ? "true" : "false") - out);
}

void run_to_text(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        char out[TEXT_NUMBER];
        double x = arg[0].number[i];
        bool condition = c->step->type == EXPRESSION_CONDITIONS;
        size_t n = isnan(x)    ? 0
                   : condition ? texts_write_condition(out, x == 1)
                               : text_format_double(out, x);
        struct leat_str to = isnan(x) ? text_none(expression_bad_number(x)) : texts_room(c, n);
        if (!texts_is_none(to)) memcpy(c->b->bytes + to.off, out, n);
        arg[0].text[i] = to;
    }
}

/* Replaces each number by the label of its bucket. The constants of the step are the edges in
 * ascending order, each with the label of the numbers below it. The last edge is infinite. */
void run_bucket(const struct call *c, union leat_cells *arg)
{
    const struct expression_constant *edge = c->e->constant + c->step->arg;
    EACH(c)
    {
        double x = arg[0].number[i];
        uint32_t k = 0;
        while (k + 1 < c->step->n_constants && x >= edge[k].number)
            k++;
        arg[0].text[i] = isnan(x) ? text_none(expression_bad_number(x))
                                  : (struct leat_str){c->base + edge[k].text.off, edge[k].text.len};
    }
}

void run_length(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        struct leat_str s = arg[0].text[i];
        arg[0].number[i] =
            texts_is_none(s) ? number_of_none(s) : texts_characters(texts_text_of(c, s), s.len);
    }
}

/* Returns 53 bits of XXH3 over all texts. The hash of the previous texts is the seed of the
 * next. */
static double texts_hash(const struct call *c, const union leat_cells *arg, uint32_t i)
{
    uint64_t h = 0;
    struct leat_str none = text_none(0);
    bool whole = true;
    for (uint32_t k = 0; k < c->step->n; k++) {
        struct leat_str s = arg[k].text[i];
        if (texts_is_none(s))
            none = texts_settle(none, s), whole = false;
        else
            h = XXH3_64bits_withSeed(texts_text_of(c, s), s.len, h);
    }
    return whole ? (double)(h >> 11) : number_of_none(none);
}

void run_hash(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    arg[0].number[i] = texts_hash(c, arg, i);
}

/* ---- comparisons of texts ---- */

/* Compares byte by byte, which is also the order of the UTF-8 characters. */
static int texts_compare(const struct call *c, struct leat_str a, struct leat_str b)
{
    int d = memcmp(texts_text_of(c, a), texts_text_of(c, b), a.len < b.len ? a.len : b.len);
    return d ? d : (a.len > b.len) - (a.len < b.len);
}

static bool texts_equal(const struct call *c, struct leat_str a, struct leat_str b)
{
    return a.len == b.len && !memcmp(texts_text_of(c, a), texts_text_of(c, b), a.len);
}

static bool texts_contains(const struct call *c, struct leat_str a, struct leat_str b)
{
    const char *p = texts_text_of(c, a);
    return !b.len || texts_find(p, p + a.len, texts_text_of(c, b), b.len);
}

static bool texts_starts_with(const struct call *c, struct leat_str a, struct leat_str b)
{
    return a.len >= b.len && !memcmp(texts_text_of(c, a), texts_text_of(c, b), b.len);
}

static bool texts_ends_with(const struct call *c, struct leat_str a, struct leat_str b)
{
    return a.len >= b.len &&
           !memcmp(texts_text_of(c, a) + a.len - b.len, texts_text_of(c, b), b.len);
}

#define CONDITION(NAME, HOLDS)                                                                     \
    void run_##NAME(const struct call *c, union leat_cells *arg)                                   \
    {                                                                                              \
        EACH(c)                                                                                    \
        {                                                                                          \
            struct leat_str x = arg[0].text[i], y = arg[1].text[i];                                \
            arg[0].number[i] = texts_is_none(x) || texts_is_none(y)                                \
                                   ? number_of_none(texts_settle(x, y))                            \
                                   : (HOLDS);                                                      \
        }                                                                                          \
    }
CONDITION(less_text, texts_compare(c, x, y) < 0)
CONDITION(at_most_text, texts_compare(c, x, y) <= 0)
CONDITION(greater_text, texts_compare(c, x, y) > 0)
CONDITION(at_least_text, texts_compare(c, x, y) >= 0)
CONDITION(equal_text, texts_equal(c, x, y))
CONDITION(unequal_text, !texts_equal(c, x, y))
CONDITION(contains, texts_contains(c, x, y))
CONDITION(starts_with, texts_starts_with(c, x, y))
CONDITION(ends_with, texts_ends_with(c, x, y))

void run_in_text(const struct call *c, union leat_cells *arg)
{
    const struct expression_constant *k = c->e->constant + c->step->arg;
    EACH(c)
    {
        struct leat_str s = arg[0].text[i];
        uint32_t j = 0;
        while (!texts_is_none(s) && j < c->step->n_constants &&
               !texts_equal(c, s, (struct leat_str){c->base + k[j].text.off, k[j].text.len}))
            j++;
        arg[0].number[i] = texts_is_none(s) ? number_of_none(s) : j < c->step->n_constants;
    }
}

void run_is_missing_text(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        struct leat_str s = arg[0].text[i];
        arg[0].number[i] = expression_bad_text(s) ? number_of_none(s) : texts_is_none(s);
    }
}

/* ---- choice ---- */

void run_if_text(const struct call *c, union leat_cells *arg)
{
    EACH(c)
    {
        double x = arg[0].number[i];
        struct leat_str otherwise = c->step->n > 2 ? arg[2].text[i] : text_none(0);
        arg[0].text[i] = isnan(x) ? text_none(expression_bad_number(x))
                         : x == 1 ? arg[1].text[i]
                                  : otherwise;
    }
}

void run_coalesce_text(const struct call *c, union leat_cells *arg)
{
    struct leat_str *s = arg[0].text;
    for (uint32_t k = 1; k < c->step->n; k++)
        EACH(c)
    if (texts_is_none(s[i]) && !expression_bad_text(s[i])) s[i] = arg[k].text[i];
}
