/* argument_words.c -- see argument_words.h. */
#include "argument_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "host/log/command_words.h"

enum {
    MESSAGE = 4096,
    SHOWN = 24, /* bytes of a value: the message quotes what is wrong in a longer one */
    PART = 3    /* letters: a shorter part may be one by chance                       */
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Is it in the text, and no part of a longer word there? */
static bool has_word(const char *value, size_t len, const char *word, size_t n)
{
    for (size_t i = 0; n && i + n <= len; i++)
        if (!memcmp(value + i, word, n) && (!i || !is_word(value[i - 1]) || !is_word(*word)) &&
            (i + n == len || !is_word(value[i + n]) || !is_word(word[n - 1])))
            return true;
    return false;
}

/* Does the value have something that the text quotes, or is it part of that, as awmm is of
 * 'learn.awmm'? */
static bool is_quoted(const char *text, const char *value)
{
    size_t len = strlen(value);
    const char *there = strstr(text, " here and "); /* what a snapshot has nobody has typed */
    for (const char *at = text, *end; (at = strpbrk(at, "'\"")); at = end + 1) {
        end = strchr(at + 1, *at);
        if (!end || (there && at > there)) return false;
        size_t n = (size_t)(end - at - 1);
        if (has_word(value, len, at + 1, n)) return true;
        if (len >= PART && has_word(at + 1, n, value, len)) return true;
    }
    return false;
}

/* The argument of the parameter's name, or the only one that has what the text quotes. */
static const struct argument *argument_of(const struct problem *p, const struct argument *args,
                                          size_t n)
{
    const struct argument *found = NULL;
    size_t many = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_quoted(p->text, args[i].value)) continue;
        if (p->param && !strcmp(p->param, args[i].key)) return &args[i];
        found = &args[i];
        many++;
    }
    return many == 1 ? found : NULL;
}

/* A problem at a line of the script, unless the message tells it in words of the command line. */
static void name_argument(struct arena *arena, struct problem *p, const struct argument *args,
                          size_t n)
{
    bool told = p->at.line == 0 || strstr(p->text, "--set");
    const struct argument *a = told ? NULL : argument_of(p, args, n);
    if (!a) return;
    const char *quote = strpbrk(a->value, " \t'\"$&|;<>()*?[]{}!\\`#~") ? "'" : "";
    p->argument = strlen(a->value) > SHOWN
                      ? arena_printf(arena, "--set %s", a->key)
                      : arena_printf(arena, "--set %s=%s%s%s", a->key, quote, a->value, quote);
}

void argument_words(struct diag *d, const struct argument *args, size_t n)
{
    char words[MESSAGE];
    for (struct problem *p = d->first; p; p = p->next) {
        name_argument(d->arena, p, args, n);
        const char *text = command_words(p->text, words, sizeof words);
        if (text != p->text) p->text = arena_strdup(d->arena, text);
    }
}
