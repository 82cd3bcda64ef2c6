/* application_unite.c -- arguments that a command line gives twice. */
#include "application.h"

#include <string.h>

#include "core/text/plain_text.h"

/* True if the script declares that the argument takes a list. */
static bool unite_is_list(const struct declarations *d, const char *key)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->list[i].name, key))
            return d->list[i].value &&
                   (strchr(d->list[i].value, ',') || !strcmp(d->list[i].value, "FILES"));
    return false;
}

static int unite_refuse(const struct command_line *c, const struct argument *before,
                        const struct argument *now, struct arena *a)
{
    const char *name = c->application;
    plain_text_line(stderr, "leat%s%s: an argument has one value: remove one of %s and %s",
                    name ? " " : "", name ? name : "", argument_text(before, name, a),
                    argument_text(now, name, a));
    return EXIT_CONFIG;
}

/* Returns the earlier argument of the n with this key; NULL if there is none. */
static struct argument *unite_find(struct argument *args, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(args[i].key, key)) return &args[i];
    return NULL;
}

static bool unite_is_needed(const struct command_line *c)
{
    for (size_t i = 0; i < c->n_args; i++)
        if (unite_find(c->args, i, c->args[i].key)) return true;
    return false;
}

int application_unite(struct command_line *c, const char *script, struct arena *a)
{
    struct declarations d = {0};
    size_t n = 0;
    if (script && unite_is_needed(c)) {
        int code = application_arguments(script, c, &d, a);
        if (code != EXIT_DONE) return code;
    }
    for (size_t i = 0; i < c->n_args; i++) {
        const struct argument now = c->args[i];
        struct argument *before = unite_find(c->args, n, now.key);
        if (!before)
            c->args[n++] = now;
        else if (unite_is_list(&d, now.key))
            before->value = arena_printf(a, "%s,%s", before->value, now.value);
        else if (strcmp(before->value, now.value) != 0)
            return unite_refuse(c, before, &now, a);
    }
    c->n_args = n;
    return EXIT_DONE;
}
