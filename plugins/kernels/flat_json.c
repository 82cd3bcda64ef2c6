/* flat_json.c -- see flat_json.h. */
#include "flat_json.h"

#include <stdint.h>
#include <string.h>

void flat_json_begin(struct flat_json *j, const char *text, size_t n)
{
    *j = (struct flat_json){text, text + n, 0};
}

/* The next byte that is no blank; 0: there is none. */
static char peek(struct flat_json *j)
{
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
        j->at++;
    return j->at < j->end ? *j->at : 0;
}

static int take(struct flat_json *j, char c)
{
    if (peek(j) != c) return 0;
    j->at++;
    return 1;
}

static int take_string(struct flat_json *j, const char **s, size_t *n)
{
    if (!take(j, '"')) return 0;
    *s = j->at;
    for (; j->at < j->end && *j->at != '"'; j->at++) {
        if ((unsigned char)*j->at < ' ') return 0;
        if (*j->at == '\\' && ++j->at == j->end) return 0;
    }
    if (j->at == j->end) return 0;
    *n = (size_t)(j->at++ - *s);
    return 1;
}

static int is_word(const char *s, size_t n, const char *word)
{
    return n == strlen(word) && !memcmp(s, word, n);
}

static int take_scalar(struct flat_json *j, const char **s, size_t *n)
{
    int number = 1;
    peek(j);
    for (*s = j->at; j->at < j->end && *j->at && !strchr(",} \t\r\n", *j->at); j->at++)
        number = number && strchr("0123456789+-.eE", *j->at);
    *n = (size_t)(j->at - *s);
    return *n && (number || is_word(*s, *n, "true") || is_word(*s, *n, "false") ||
                  is_word(*s, *n, "null"));
}

int flat_json_next(struct flat_json *j, struct flat_member *m)
{
    if (!j->begun && !take(j, '{')) return -1;
    if (take(j, '}')) return !peek(j) && j->at == j->end ? 0 : -1;
    if (j->begun && !take(j, ',')) return -1;
    j->begun = 1;
    if (!take_string(j, &m->name, &m->n_name) || !take(j, ':')) return -1;
    m->is_string = peek(j) == '"';
    int good = m->is_string ? take_string(j, &m->value, &m->n_value)
                            : take_scalar(j, &m->value, &m->n_value);
    return good ? 1 : -1;
}

/* ---- escapes ---- */

/* Four hexadecimal digits; -1: they are none. */
static int32_t read_hex(const char *s, const char *end)
{
    int32_t x = 0;
    if (end - s < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *d = s[i] ? strchr(digits, s[i]) : NULL;
        if (!d) return -1;
        x = x * 16 + (int32_t)(d - digits < 16 ? d - digits : d - digits - 6);
    }
    return x;
}

/* The character of \u and four digits, or of two such that are a surrogate pair, behind the \u; -1:
 * it is none. */
static int32_t read_code(const char **s, const char *end)
{
    int32_t high = read_hex(*s, end);
    if (high < 0) return -1;
    *s += 4;
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high > 0xdbff || end - *s < 6 || (*s)[0] != '\\' || (*s)[1] != 'u') return -1;
    int32_t low = read_hex(*s + 2, end);
    *s += 6;
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + (high - 0xd800) * 0x400 + low - 0xdc00;
}

static size_t utf8(int32_t c, char *to)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[n] | c);
    return n;
}

/* What an escape stands for, behind its backslash; -1: it is none. */
static int32_t read_escape(const char **s, const char *end)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = *(*s)++;
    const char *k = c ? strchr(names, c) : NULL;
    return k ? meant[k - names] : c == 'u' ? read_code(s, end) : -1;
}

long flat_json_unescape(const char *s, size_t n, char *out)
{
    const char *end = s + n;
    size_t to = 0;
    while (s < end) {
        char c[4] = {*s++};
        size_t len = 1;
        if (c[0] == '\\') {
            int32_t code = s < end ? read_escape(&s, end) : -1;
            if (code < 0) return -1;
            len = utf8(code, c);
        }
        if (out) memcpy(out + to, c, len);
        to += len;
    }
    return (long)to;
}
