/* command_words.c -- implementation of command_words.h. */
#include "command_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const *taken;
static size_t n_taken;
static bool uses_options;

void command_words_take(const char *const *names, size_t n)
{
    taken = names;
    n_taken = n;
}

/* A setting in a message: set NAME = VALUE. The value is a text in double quotes, or a word. */
struct setting {
    const char *name, *value, *end;
    size_t n_name, n_value;
};

static bool command_words_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (command_words_is_word(text[n]))
        n++;
    return n;
}

/* Length of the value at `text`. A decimal point belongs to it; a full stop after it does not. */
static size_t value_length(const char *text)
{
    if (*text != '"') {
        size_t n = word_length(text);
        return n && text[n - 1] == '.' ? n - 1 : n;
    }
    const char *end = strchr(text + 1, '"');
    return end ? (size_t)(end - text - 1) : 0;
}

static bool command_words_is_taken(const struct setting *s)
{
    for (size_t i = 0; i < n_taken; i++)
        if (strlen(taken[i]) == s->n_name && !memcmp(taken[i], s->name, s->n_name)) return true;
    return false;
}

/* True if the n bytes need no quotes in a shell. */
static bool is_safe(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (command_words_is_word(text[i]) || strchr("-+,:/@%", text[i])))
        i++;
    return i == n;
}

/* Reads a setting from `text`, which comes after "set ". Returns false if it is not a setting of an
 * argument that the script takes. */
static bool read_setting(const char *text, struct setting *s)
{
    *s = (struct setting){.name = text, .n_name = word_length(text)};
    if (!s->n_name || strncmp(text + s->n_name, " = ", 3) != 0) return false;
    const char *value = text + s->n_name + 3;
    bool quoted = *value == '"';
    s->value = value + quoted;
    s->n_value = value_length(value);
    s->end = s->value + s->n_value + quoted;
    if (quoted && s->value[s->n_value] != '"') return false;
    /* alternatives, such as: set format = "csv" or "jsonl" */
    bool choice = !strncmp(s->end, " or \"", 5);
    return s->n_value && !choice && command_words_is_taken(s);
}

static const char *find_setting(const char *text, struct setting *s)
{
    for (const char *at = text; (at = strstr(at, "set ")); at += strlen("set ")) {
        bool begins = at == text || (!command_words_is_word(at[-1]) && at[-1] != '-');
        if (begins && read_setting(at + strlen("set "), s)) return at;
    }
    return NULL;
}

static size_t put_setting(const struct setting *s, char *to, size_t cap)
{
    const char *quote = is_safe(s->value, s->n_value) ? "" : "'";
    return (size_t)snprintf(to, cap, "--set %.*s=%s%.*s%s", (int)s->n_name, s->name, quote,
                            (int)s->n_value, s->value, quote);
}

void command_words_use_options(bool use) { uses_options = use; }

/* Returns the length of the name at `text`, which comes after "--set ": NAME=, NAME: or NAME at the
 * end. Returns 0 if it is something else, or has a dot and so is a parameter of one stage. */
static size_t name_to_rewrite(const char *text)
{
    size_t n = word_length(text);
    bool ends = !text[n] || text[n] == '=' || text[n] == ':';
    return ends && !memchr(text, '.', n) ? n : 0;
}

/* Rewrites --set NAME=VALUE as --NAME VALUE, in place. The text becomes shorter. */
static void command_words_to_options(char *text)
{
    static const char set[] = "--set ";
    char *to = text;
    while (*text) {
        bool is_set = !strncmp(text, set, sizeof set - 1);
        size_t n = is_set ? name_to_rewrite(text + sizeof set - 1) : 0;
        if (!n) {
            *to++ = *text++;
            continue;
        }
        *to++ = '-';
        *to++ = '-';
        for (text += sizeof set - 1; n--; text++)
            *to++ = *text == '_' ? '-' : *text;
        if (*text == '=') *to++ = ' ', text++;
    }
    *to = 0;
}

static const char *command_words_settings(const char *text, char *to, size_t cap)
{
    static const char also[] = " and ";
    struct setting s;
    size_t n = 0;
    const char *at = find_setting(text, &s), *given = text;
    if (!at) return text;
    for (; at && n < cap; at = find_setting(text, &s)) {
        n += (size_t)snprintf(to + n, cap - n, "%.*s", (int)(at - text), text);
        do {
            if (n < cap) n += put_setting(&s, to + n, cap - n);
            text = s.end;
            bool more =
                !strncmp(text, also, sizeof also - 1) && read_setting(text + sizeof also - 1, &s);
            if (!more) break;
            if (n < cap) n += (size_t)snprintf(to + n, cap - n, "%s", also);
        } while (n < cap);
    }
    if (n < cap) n += (size_t)snprintf(to + n, cap - n, "%s", text);
    return n < cap ? to : given;
}

const char *command_words(const char *text, char *to, size_t cap)
{
    const char *shown = command_words_settings(text, to, cap);
    if (!uses_options || !strstr(shown, "--set ")) return shown;
    if (shown != to && (size_t)snprintf(to, cap, "%s", shown) >= cap) return shown;
    command_words_to_options(to);
    return to;
}
