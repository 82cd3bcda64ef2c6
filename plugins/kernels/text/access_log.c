/* access_log.c -- implementation of access_log.h */
#include "access_log.h"

#include <stdint.h>
#include <string.h>

/* Inlined, so that the lengths of the texts between the parts are known. */
#define ACCESS_LOG_INLINE static inline __attribute__((always_inline))

enum { SPACE = 1, DIGIT = 2, CAPITAL = 4, END_OF_PROTOCOL = 8 };

static const uint8_t kinds[256] = {
    ['\t'] = SPACE | END_OF_PROTOCOL, ['\n'] = SPACE | END_OF_PROTOCOL,
    ['\v'] = SPACE | END_OF_PROTOCOL, ['\f'] = SPACE | END_OF_PROTOCOL,
    ['\r'] = SPACE | END_OF_PROTOCOL, [' '] = SPACE | END_OF_PROTOCOL,
    ['"'] = END_OF_PROTOCOL,          ['0' ... '9'] = DIGIT,
    ['A' ... 'Z'] = CAPITAL,
};

/* A place in a line, and where the line ends. */
struct access_log_place {
    const char *text;
    size_t at, len;
};

/* Returns the length of the run from here on whose bytes are of this kind, or are not. */
ACCESS_LOG_INLINE size_t run_of(const struct access_log_place *p, uint8_t kind, bool are)
{
    size_t at = p->at;
    while (at < p->len && (kinds[(uint8_t)p->text[at]] & kind ? are : !are))
        at++;
    return at - p->at;
}

/* Takes n bytes as a part, which must not be empty, and then the text `end`. */
ACCESS_LOG_INLINE bool take(struct access_log_place *p, size_t n, const char *end,
                            enum access_log_part part, struct access_log *log)
{
    size_t n_end = strlen(end);
    log->from[part] = p->at;
    log->to[part] = p->at += n;
    if (!n || p->len - p->at < n_end || memcmp(p->text + p->at, end, n_end)) return false;
    p->at += n_end;
    return true;
}

/* Returns the number of bytes before the next byte c; 0 if there is none. */
ACCESS_LOG_INLINE size_t before(const struct access_log_place *p, char c)
{
    const char *end = memchr(p->text + p->at, c, p->len - p->at);
    return end ? (size_t)(end - p->text) - p->at : 0;
}

/* Takes a number of three digits, or of any if `digits` is 0; or a minus. */
ACCESS_LOG_INLINE bool take_number(struct access_log_place *p, size_t digits, const char *end,
                                   enum access_log_part part, struct access_log *log)
{
    size_t n = run_of(p, DIGIT, true);
    if (n && digits && n != digits) return false;
    if (!n && p->at < p->len && p->text[p->at] == '-') n = 1;
    return take(p, n, end, part, log);
}

/* Takes a text up to the next quote. It may be empty, and must not hold a backslash. */
ACCESS_LOG_INLINE bool take_quoted(struct access_log_place *p, const char *end,
                                   enum access_log_part part, struct access_log *log)
{
    size_t n = before(p, '"'), n_end = strlen(end);
    log->from[part] = p->at;
    log->to[part] = p->at + n;
    if (memchr(p->text + p->at, '\\', n)) return false;
    p->at += n;
    if (p->len - p->at < n_end || memcmp(p->text + p->at, end, n_end)) return false;
    p->at += n_end;
    return true;
}

bool access_log_split(const char *text, size_t len, bool combined, struct access_log *log)
{
    struct access_log_place p = {text, 0, len};
    if (!take(&p, run_of(&p, SPACE, false), " ", ACCESS_LOG_HOST, log) ||
        !take(&p, run_of(&p, SPACE, false), " ", ACCESS_LOG_IDENT, log) ||
        !take(&p, run_of(&p, SPACE, false), " [", ACCESS_LOG_USER, log) ||
        !take(&p, before(&p, ']'), "] \"", ACCESS_LOG_TIME, log) ||
        !take(&p, run_of(&p, CAPITAL, true), " ", ACCESS_LOG_METHOD, log) ||
        !take(&p, run_of(&p, SPACE, false), " ", ACCESS_LOG_PATH, log) ||
        !take(&p, run_of(&p, END_OF_PROTOCOL, false), "\" ", ACCESS_LOG_PROTOCOL, log) ||
        !take_number(&p, 3, " ", ACCESS_LOG_STATUS, log))
        return false;
    if (!combined) return take_number(&p, 0, "", ACCESS_LOG_BYTES, log) && p.at == len;
    return take_number(&p, 0, " \"", ACCESS_LOG_BYTES, log) &&
           take_quoted(&p, "\" \"", ACCESS_LOG_REFERER, log) &&
           take_quoted(&p, "\"", ACCESS_LOG_AGENT, log);
}
