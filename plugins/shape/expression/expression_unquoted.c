/* expression_unquoted.c -- see expression_unquoted.h. */
#include "expression_unquoted.h"

#include <stdio.h>
#include <string.h>

#include "expression_build.h"

bool unquoted_is_name(const char *name)
{
    struct word w = lexer_look(name, name);
    return w.kind == LEX_NAME && *name != '@' && w.len == strlen(name);
}

static bool stands_unquoted(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at && (at == text || at[-1] != '`');
}

void unquoted_hint(const char *text, const struct expression_scope *scope,
                   struct expression_error *error)
{
    size_t n = strlen(error->why);
    for (uint32_t i = 0; i < scope->n_columns; i++) {
        const char *name = scope->schema->column[i].name;
        if (unquoted_is_name(name) || !*name || !stands_unquoted(text, name)) continue;
        char written[BUILD_NAME_BYTES + 2];
        snprintf(written, sizeof written, "`%s`", name);
        if (!strstr(error->why, written))
            snprintf(error->why + n, sizeof error->why - n, "; column '%s' is written %s", name,
                     written);
        return;
    }
}
