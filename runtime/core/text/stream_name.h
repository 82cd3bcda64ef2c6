/* stream_name.h -- names of streams of messages: one that begins with ^ is an extended regular
 * expression, as librdkafka takes them, and stands for all that it matches. */
#ifndef LEAT_CORE_TEXT_STREAM_NAME_H
#define LEAT_CORE_TEXT_STREAM_NAME_H

#include <regex.h>
#include <stdbool.h>
#include <string.h>

/* false: it begins with ^ and is no regular expression. */
static inline bool stream_name_is_good(const char *name)
{
    regex_t compiled;
    bool good = *name != '^' || !regcomp(&compiled, name, REG_EXTENDED | REG_NOSUB);
    if (good && *name == '^') regfree(&compiled);
    return good;
}

/* Whoever reads `name` reads `written`. */
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
