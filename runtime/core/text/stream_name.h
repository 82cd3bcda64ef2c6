/* stream_name.h -- names of message streams, which may be patterns.
 *
 * A name that begins with ^ is an extended regular expression, like in librdkafka, and means all
 * streams that it matches. */
#ifndef LEAT_CORE_TEXT_STREAM_NAME_H
#define LEAT_CORE_TEXT_STREAM_NAME_H

#include <regex.h>
#include <stdbool.h>
#include <string.h>

/* True unless the name begins with ^ and is not a valid regular expression. */
static inline bool stream_name_is_good(const char *name)
{
    regex_t compiled;
    bool good = *name != '^' || !regcomp(&compiled, name, REG_EXTENDED | REG_NOSUB);
    if (good && *name == '^') regfree(&compiled);
    return good;
}

/* True if `name`, a name or a pattern, means the stream `written`. */
static inline bool stream_name_covers(const char *name, const char *written)
{
    regex_t compiled;
    if (*name != '^') return !strcmp(name, written);
    if (regcomp(&compiled, name, REG_EXTENDED | REG_NOSUB)) return false;
    bool matches = !regexec(&compiled, written, 0, NULL, 0);
    regfree(&compiled);
    return matches;
}

#endif
