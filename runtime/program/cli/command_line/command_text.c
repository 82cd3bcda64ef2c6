/* command_text.c -- implementation of command_line.h: command lines as text, and --log-level. */
#include "command_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "host/graph/graph.h"
#include "host/log/command_words.h"
#include "host/log/log.h"
#include "host/params/params.h"
#include "host/params/quantity.h"

/* ---- the command line of a run, for a shell ---- */

static const char *const secret_words[] = {
    "password",    "passwd",  "passphrase", "secret", "token",         "credential",
    "credentials", "api_key", "apikey",     "cookie", "authorization", "private_key"};

/* True if one of secret_words is followed by one of `separators`. In a name (separators "._-"), the
 * secret word may also end the text. So "tokens" does not count as "token". */
static bool names_secret(const char *text, const char *separators)
{
    for (size_t i = 0; i < sizeof secret_words / sizeof *secret_words; i++)
        for (const char *at = text; (at = strcasestr(at, secret_words[i]));) {
            at += strlen(secret_words[i]);
            if (*at ? strchr(separators, *at) != NULL : separators[0] == '.') return true;
        }
    return false;
}

/* True if the text has "user:word@" after "://". */
static bool has_login(const char *text)
{
    const char *from = strstr(text, "://");
    size_t host = from ? strcspn(from + 3, "/") : 0;
    return from && memchr(from + 3, '@', host);
}

static bool command_text_is_plain(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=./,:@%")];
}

/* Returns the text quoted as one word of a shell. */
static const char *command_text_quoted(const char *text, struct arena *a)
{
    char *to = arena_alloc(a, 4 * strlen(text) + 3), *at = to;
    if (command_text_is_plain(text)) return text;
    *at++ = '\'';
    for (; *text; text++) {
        size_t n = *text == '\'' ? 4 : 1;
        memcpy(at, n == 4 ? "'\\''" : text, n);
        at += n;
    }
    *at = '\'';
    return to;
}

const char *argument_text(const struct argument *set, bool of_application, struct arena *a)
{
    bool hidden =
        names_secret(set->key, "._-") || names_secret(set->value, "=:") || has_login(set->value);
    const char *value = hidden ? "***" : set->value;
    if (!of_application)
        return arena_printf(a, "--set %s",
                            command_text_quoted(arena_printf(a, "%s=%s", set->key, value), a));
    char *key = arena_strdup(a, set->key);
    for (char *c = key; *c && !strchr(key, '.'); c++)
        if (*c == '_') *c = '-';
    return arena_printf(a, "--%s %s", key, command_text_quoted(value, a));
}

const char *command_text(const struct command_line *c, struct arena *a)
{
    const char *text = c->application
                           ? arena_printf(a, "leat %s", c->application)
                           : arena_printf(a, "leat run %s", command_text_quoted(c->script, a));
    for (size_t i = 0; i < c->n_args; i++)
        text = arena_printf(a, "%s %s", text, argument_text(&c->args[i], c->application, a));
    for (size_t i = 0; i < c->n_plugin_paths; i++)
        text = arena_printf(a, "%s --plugin-path %s", text,
                            command_text_quoted(c->plugin_paths[i], a));
    if (c->state.split)
        text = arena_printf(a, "%s --split %s", text, command_text_quoted(c->state.split, a));
    if (c->state.out)
        text = arena_printf(a, "%s --state %s", text, command_text_quoted(c->state.out, a));
    if (c->state.dir)
        text = arena_printf(a, "%s --state %s", text, command_text_quoted(c->state.dir, a));
    return text;
}

/* ---- problems of a script, in the words of its command line ---- */

enum {
    MESSAGE = 4096,
    SHOWN = 24, /* bytes of the longest value that a message shows next to its key */
    PART = 3    /* fewest bytes of a value that is looked for in quotations */
};

static bool command_text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* True if the value contains `word` as a whole word. */
static bool command_text_has_word(const char *value, size_t len, const char *word, size_t n)
{
    for (size_t i = 0; n && i + n <= len; i++)
        if (!memcmp(value + i, word, n) &&
            (!i || !command_text_is_word(value[i - 1]) || !command_text_is_word(*word)) &&
            (i + n == len || !command_text_is_word(value[i + n]) ||
             !command_text_is_word(word[n - 1])))
            return true;
    return false;
}

/* True if the message says ", not VALUE" of a number, which has no quotes. */
static bool is_number_of(const char *text, const char *value)
{
    const char *at = strstr(text, ", not ");
    size_t n = strlen(value);
    if (!at || !isdigit((unsigned char)value[*value == '-'])) return false;
    at += strlen(", not ");
    return !strncmp(at, value, n) && (!at[n] || strchr(":;,", at[n]));
}

/* True if the message `text` quotes a word of `value`, or if its quotation contains `value` as a
 * word. Example: value awmm, quotation 'learn.awmm'. */
static bool is_quoted(const char *text, const char *value)
{
    size_t len = strlen(value);
    /* Quotations after these words come from the snapshot. */
    const char *there = strstr(text, " here and ");
    for (const char *at = text, *end; (at = strpbrk(at, "'\"")); at = end + 1) {
        end = strchr(at + 1, *at);
        if (!end || (there && at > there)) return false;
        size_t n = (size_t)(end - at - 1);
        if (command_text_has_word(value, len, at + 1, n)) return true;
        if (len >= PART && command_text_has_word(at + 1, n, value, len)) return true;
    }
    return is_number_of(text, value);
}

/* True if `item` is the whole list `value`, or one of its items, or a part of an item such as
 * name=path or name:number. */
static bool has_item(const char *value, const char *item, size_t n)
{
    if (strlen(value) == n && !memcmp(value, item, n)) return true;
    for (const char *at = value, *end;; at = end + 1) {
        at += strspn(at, " ");
        end = at + strcspn(at, ",=:");
        if ((size_t)(end - at) == n && !memcmp(at, item, n)) return true;
        if (!*end) return false;
    }
}

/* True if the message quotes an item of the value, or a text that contains the value. */
static bool is_item_quoted(const char *text, const char *value)
{
    for (const char *at = text, *end; (at = strpbrk(at, "'\"")); at = end + 1) {
        end = strchr(at + 1, *at);
        if (!end) return is_number_of(text, value);
        size_t n = (size_t)(end - at - 1);
        if (n && has_item(value, at + 1, n)) return true;
        if (strlen(value) >= PART && command_text_has_word(at + 1, n, value, strlen(value)))
            return true;
    }
    return is_number_of(text, value);
}

/* True if the text contains an item of the list `value`, as a word. */
static bool contains_item(const char *text, size_t n, const char *value)
{
    for (const char *at = value, *end;; at = end + 1) {
        at += strspn(at, " ");
        end = at + strcspn(at, ",");
        if (command_text_has_word(text, n, at, (size_t)(end - at))) return true;
        if (!*end) return false;
    }
}

/* True if a setting may come from the argument: it contains the argument's value or an item of
 * it. */
static bool comes_from(const struct value *v, const char *value)
{
    if (v->type == VALUE_TEXT)
        return (*value && strstr(v->text, value)) || contains_item(v->text, v->n, value);
    if (v->type == VALUE_INT || v->type == VALUE_FLOAT) {
        double x;
        return quantity_float(value, &x) != QUANTITY_OK || x == v->number;
    }
    for (size_t i = 0; v->type == VALUE_LIST && i < v->n; i++)
        if (comes_from(&v->list[i], value)) return true;
    for (size_t i = 0; v->type == VALUE_LIST && i < v->n_keyed; i++)
        if (has_item(value, v->keyed[i].key, strlen(v->keyed[i].key)) ||
            comes_from(&v->keyed[i].value, value))
            return true;
    return false;
}

/* Returns the setting that the problem is about; NULL if it is unknown. */
static const struct value *blamed_setting(const struct problem *p, const struct graph *g)
{
    for (uint32_t i = 0; p->stage && p->param && i < g->n_nodes; i++) {
        const struct node *node = &g->node[i];
        if (!node->stage || !node->label || strcmp(node->label, p->stage) != 0) continue;
        const struct leat_param *unnamed = params_positional(node->stage);
        for (size_t k = 0; k < node->n_settings; k++) {
            const char *key = node->settings[k].key;
            if (!key && unnamed) key = unnamed->name;
            if (key && !strcmp(key, p->param)) return &node->settings[k].value;
        }
    }
    return NULL;
}

/* True if the problem is about no stage, or one of the stage's settings has the value. */
static bool stage_has(const struct problem *p, const struct graph *g, const char *value)
{
    bool found = !p->stage;
    for (uint32_t i = 0; p->stage && i < g->n_nodes; i++) {
        const struct node *node = &g->node[i];
        if (!node->label || strcmp(node->label, p->stage) != 0) continue;
        for (size_t k = 0; k < node->n_settings; k++)
            found |= comes_from(&node->settings[k].value, value);
    }
    return found;
}

/* True if the argument may be the cause: the message quotes its value, and so does the setting that
 * the message is about. Without a setting a single word of the value is too little. */
static bool may_be_cause(const struct problem *p, const struct graph *g,
                         const struct value *setting, const char *value)
{
    if (!setting) return is_item_quoted(p->text, value) && stage_has(p, g, value);
    return is_quoted(p->text, value) && comes_from(setting, value);
}

/* Considers the arguments that may be the cause. Returns the one whose key is the problem's
 * parameter. If none has this key, returns the only one; NULL if there are several or none. */
static const struct argument *argument_of(const struct problem *p, const struct graph *g,
                                          const struct argument *args, size_t n)
{
    const struct argument *found = NULL;
    const struct value *setting = blamed_setting(p, g);
    size_t many = 0;
    for (size_t i = 0; i < n; i++) {
        if (!may_be_cause(p, g, setting, args[i].value)) continue;
        if (p->param && !strcmp(p->param, args[i].key)) return &args[i];
        found = &args[i];
        many++;
    }
    return many == 1 ? found : NULL;
}

/* Sets p->argument if the problem is at a line of the script. Does nothing if the message already
 * mentions --set. */
static void name_argument(struct arena *arena, struct problem *p, const struct graph *g,
                          const struct argument *args, size_t n)
{
    bool told = p->at.line == 0 || strstr(p->text, "--set");
    const struct argument *a = told ? NULL : argument_of(p, g, args, n);
    if (!a) return;
    const char *quote = strpbrk(a->value, " \t'\"$&|;<>()*?[]{}!\\`#~") ? "'" : "";
    p->argument = strlen(a->value) > SHOWN
                      ? arena_printf(arena, "--set %s", a->key)
                      : arena_printf(arena, "--set %s=%s%s%s", a->key, quote, a->value, quote);
    char words[MESSAGE];
    const char *text = command_words(p->argument, words, sizeof words);
    if (text != p->argument) p->argument = arena_strdup(arena, text);
}

void argument_words(struct diag *d, const struct graph *g, const struct argument *args, size_t n)
{
    char words[MESSAGE];
    for (struct problem *p = d->first; p; p = p->next) {
        name_argument(d->arena, p, g, args, n);
        const char *text = command_words(p->text, words, sizeof words);
        if (text != p->text) p->text = arena_strdup(d->arena, text);
    }
}

/* ---- --log-level STAGE=LEVEL ---- */

void log_levels_check(const struct graph *g)
{
    const char *id;
    size_t n;
    for (size_t i = 0; (id = log_stage_given(i, &n)); i++) {
        bool known = false;
        for (uint32_t k = 0; k < g->n_nodes; k++)
            known |= strlen(g->node[k].id) == n && !memcmp(g->node[k].id, id, n);
        if (!known)
            log_message(LEAT_WARN,
                        "--log-level: the pipeline has no stage '%.*s'; `leat graph` shows all",
                        (int)n, id);
    }
}
