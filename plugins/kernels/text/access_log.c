/* access_log.c -- implementation of access_log.h */
#include "access_log.h"

#include <string.h>

#include "core/text/eight_bytes.h"

/* Inlined, so that the lengths of the texts between the parts are known. */
#define ACCESS_LOG_INLINE static inline __attribute__((always_inline))

/* A place in a line, and where the line ends. */
struct access_log_place {
    const char *text;
    size_t at, len;
};

/* Returns the length of the word from here on, which also ends at `end` if that is no blank. */
ACCESS_LOG_INLINE size_t word(const struct access_log_place *p, char end)
{
    return eight_bytes_word_end(p->text, p->at, p->len, end, ' ') - p->at;
}

/* Returns the length of the run of bytes from `low` to `high` from here on. */
ACCESS_LOG_INLINE size_t run_of(const struct access_log_place *p, char low, char high)
{
    size_t at = p->at;
    while (at < p->len && p->text[at] >= low && p->text[at] <= high)
        at++;
    return at - p->at;
}

/* True if the line continues with the n bytes of `end`, which are few. */
ACCESS_LOG_INLINE bool continues(const struct access_log_place *p, const char *end, size_t n)
{
    bool same = p->len - p->at >= n;
    for (size_t i = 0; same && i < n; i++)
        same = p->text[p->at + i] == end[i];
    return same;
}

/* Takes n bytes as a part, which must not be empty, and then the text `end`. */
ACCESS_LOG_INLINE bool take(struct access_log_place *p, size_t n, const char *end,
                            enum access_log_part part, struct access_log *log)
{
    size_t n_end = strlen(end);
    log->from[part] = p->at;
    log->to[part] = p->at += n;
    if (!n || (n_end && !continues(p, end, n_end))) return false;
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
    size_t n = run_of(p, '0', '9');
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
    if (!continues(p, end, n_end)) return false;
    p->at += n_end;
    return true;
}

bool access_log_split(const char *text, size_t len, bool combined, struct access_log *log)
{
    struct access_log_place p = {text, 0, len};
    if (!take(&p, word(&p, ' '), " ", ACCESS_LOG_HOST, log) || text[p.at - 2] == ',' ||
        !continues(&p, "- ", 2) || !take(&p, 1, " ", ACCESS_LOG_IDENT, log) ||
        !take(&p, word(&p, ' '), " [", ACCESS_LOG_USER, log) ||
        !take(&p, before(&p, ']'), "] \"", ACCESS_LOG_TIME, log) ||
        !take(&p, run_of(&p, 'A', 'Z'), " ", ACCESS_LOG_METHOD, log) ||
        !take(&p, word(&p, ' '), " ", ACCESS_LOG_PATH, log) ||
        !take(&p, word(&p, '"'), "\" ", ACCESS_LOG_PROTOCOL, log) ||
        !take_number(&p, 3, " ", ACCESS_LOG_STATUS, log))
        return false;
    if (!combined) return take_number(&p, 0, "", ACCESS_LOG_BYTES, log) && p.at == len;
    return take_number(&p, 0, " \"", ACCESS_LOG_BYTES, log) &&
           take_quoted(&p, "\" \"", ACCESS_LOG_REFERER, log) &&
           take_quoted(&p, "\"", ACCESS_LOG_AGENT, log);
}
