/* command_text.c -- see command_text.h. */
#include "command_text.h"

#include <string.h>

static const char *const secret_words[] = {
    "password",    "passwd",  "passphrase", "secret", "token",         "credential",
    "credentials", "api_key", "apikey",     "cookie", "authorization", "private_key"};

/* Does the text have such a word at its end, or before '=', ':' or another separator? "tokens" is
 * another word. */
static bool names_secret(const char *text, const char *separators)
{
    for (size_t i = 0; i < sizeof secret_words / sizeof *secret_words; i++)
        for (const char *at = text; (at = strcasestr(at, secret_words[i]));) {
            at += strlen(secret_words[i]);
            if (*at ? strchr(separators, *at) != NULL : separators[0] == '.') return true;
        }
    return false;
}

/* "user:word@" after "://" */
static bool has_login(const char *text)
{
    const char *from = strstr(text, "://");
    size_t host = from ? strcspn(from + 3, "/") : 0;
    return from && memchr(from + 3, '@', host);
}

static bool is_plain(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=./,:@%")];
}

/* As one word of a shell. */
static const char *quoted(const char *text, struct arena *a)
{
    char *to = arena_alloc(a, 4 * strlen(text) + 3), *at = to;
    if (is_plain(text)) return text;
    *at++ = '\'';
    for (; *text; text++) {
        size_t n = *text == '\'' ? 4 : 1;
        memcpy(at, n == 4 ? "'\\''" : text, n);
        at += n;
    }
    *at = '\'';
    return to;
}

static const char *set_text(const struct argument *set, struct arena *a)
{
    bool hidden =
        names_secret(set->key, "._-") || names_secret(set->value, "=:") || has_login(set->value);
    return quoted(arena_printf(a, "%s=%s", set->key, hidden ? "***" : set->value), a);
}

const char *command_text(const struct command_line *c, struct arena *a)
{
    const char *text = arena_printf(a, "leat run %s", quoted(c->script, a));
    for (size_t i = 0; i < c->n_args; i++)
        text = arena_printf(a, "%s --set %s", text, set_text(&c->args[i], a));
    for (size_t i = 0; i < c->n_plugin_paths; i++)
        text = arena_printf(a, "%s --plugin-path %s", text, quoted(c->plugin_paths[i], a));
    if (c->state.dir) text = arena_printf(a, "%s --state %s", text, quoted(c->state.dir, a));
    return text;
}
