/* expression_names.c -- implementation of expression_names.h: columns, @-names, messages. */
#include "expression_names.h"
#include "expression_parse.h"

#include <stdio.h>
#include <string.h>

#include "core/text/nearest.h"

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

enum { NAMES_SHOWN = 20 };

/* The @-names of values of a record that are not columns. */
static const struct {
    const char *name;
    uint32_t column, has;
    enum expression_type type;
    const char *needs;
} given[] = {
    {"@raw", EXPRESSION_RAW, LEAT_HAS_RECORDS, EXPRESSION_TEXTS, "records"},
    {"@label", EXPRESSION_LABEL, LEAT_HAS_LABEL, EXPRESSION_NUMBERS, "labels"},
    {"@timestamp", EXPRESSION_TIME, LEAT_HAS_TIMESTAMP, EXPRESSION_NUMBERS, "times of records"},
};
enum { N_GIVEN = sizeof given / sizeof *given };

/* Writes " (columns: a, b, c)". */
static void names_list_columns(const struct expression_scope *s, char *out, size_t cap)
{
    size_t n = (size_t)snprintf(out, cap, " (columns: %s", s->n_columns ? "" : "none");
    for (uint32_t i = 0; i < s->n_columns && i < NAMES_SHOWN && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "", s->schema->column[i].name);
    if (n < cap && s->n_columns > NAMES_SHOWN)
        n += (size_t)snprintf(out + n, cap - n, " and %u more", s->n_columns - NAMES_SHOWN);
    if (n < cap) snprintf(out + n, cap - n, ")");
}

static const char *names_column_near(const struct expression_scope *s, const char *name)
{
    struct nearest n = nearest_to(name);
    for (uint32_t i = 0; i < s->n_columns; i++)
        nearest_try(&n, s->schema->column[i].name);
    for (size_t i = 0; *name == '@' && i < N_GIVEN; i++)
        nearest_try(&n, given[i].name);
    return n.best;
}

static bool names_is_none_elsewhere(const char *name)
{
    static const char *const words[] = {"nil", "null", "NULL", "None", "NaN", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return true;
    return false;
}

static void names_fail_column(struct building *b, const struct expression_scope *s,
                              const char *name, uint32_t at)
{
    char list[EXPRESSION_WHY - BUILD_NAME_BYTES - 200];
    const struct expression_function *f = function_find(name, strlen(name));
    const char *near = names_column_near(s, name);
    names_list_columns(s, list, sizeof list);
    if (f)
        build_fail(b, at, "there is no column '%s', and a call of the function is written %s", name,
                   f->usage);
    else if (near)
        build_fail(b, at,
                   unquoted_is_name(near) || *near == '@'
                       ? "there is no column '%s': did you mean '%s'?%s"
                       : "there is no column '%s': did you mean `%s`?%s",
                   name, near, list);
    else if (*name == '@')
        build_fail(b, at, "there is no '%s': there are @raw, @label, @timestamp and columns%s",
                   name, list);
    else
        build_fail(b, at, "there is no column '%s'; if it is a text, write it in quotes: '%s'%s",
                   name, name, list);
}

/* Returns the type of column i of the scope. In negotiate, requests a column of the input, which
 * may convert it to another type. */
static enum expression_type names_ask_column(struct building *b, const struct expression_scope *s,
                                             uint32_t i, uint32_t at, uint32_t *index,
                                             struct grouped *form)
{
    *form = (struct grouped){s->schema->column[i].decimal, s->schema->column[i].thousands};
    const char *name = s->schema->column[i].name;
    const struct leat_schema *in = s->negotiation ? s->negotiation->in : s->ctx ? s->ctx->in : NULL;
    int status = LEAT_OK;
    *index = i;
    if (!in || i >= in->n_columns) return expression_type_of_column(s->schema->column[i].type);
    if (s->negotiation)
        status = s->negotiation->column(s->negotiation, s->param, name, EXPRESSION_TAKES, index);
    else
        status = s->ctx->host->column(s->ctx, name, EXPRESSION_TAKES, index);
    if (status == LEAT_OK) return expression_type_of_column(in->column[*index].type);
    build_fail(b, at, "column '%s' is neither text nor a number", name);
    return EXPRESSION_ANY;
}

/* Finds a column by name. Returns EXPRESSION_ANY if the columns are unknown until the input is
 * open, or if the column was refused. */
static enum expression_type names_find_column(struct building *b, const struct expression_scope *s,
                                              const char *name, uint32_t at, uint32_t *index,
                                              struct grouped *form, bool *later)
{
    struct leat_negotiation *n = s->negotiation;
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (!strcmp(s->schema->column[i].name, name))
            return names_ask_column(b, s, i, at, index, form);
    if (n && n->in->open && n->column(n, s->param, name, EXPRESSION_TAKES, index) == LEAT_LATER)
        *later = true;
    else
        names_fail_column(b, s, name, at);
    return EXPRESSION_ANY;
}

/* Returns the index of the name in the table of @-names; N_GIVEN if it is not one, so that it must
 * be a column's. */
static size_t names_given_index(const char *name)
{
    size_t i = 0;
    while (i < N_GIVEN && strcmp(given[i].name, name) != 0)
        i++;
    return i;
}

static bool names_is_column(const struct expression_scope *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (!strcmp(s->schema->column[i].name, name)) return true;
    return false;
}

static enum expression_type names_take_given(struct building *b, const struct expression_scope *s,
                                             size_t i, uint32_t at, uint32_t *index)
{
    const char *name = given[i].name;
    bool has = s->schema->has & given[i].has;
    if (!has && names_is_column(s, name))
        build_fail(b, at, "%s: no earlier stage makes %s; the column of this name is written `%s`",
                   name, given[i].needs, name);
    else if (!has)
        build_fail(b, at, "%s: no earlier stage makes %s", name, given[i].needs);
    *index = given[i].column;
    return given[i].type;
}

/* Fails if the name cannot be a column's, whatever the columns of the input are. */
static void names_check(struct building *b, const struct expression_scope *s, const char *name,
                        uint32_t at)
{
    char cure[HINTS_BYTES];
    if (names_is_column(s, name)) return;
    if (names_is_none_elsewhere(name))
        build_fail(b, at,
                   "there is no column '%s': write is_missing(x), which is true if x has no "
                   "value",
                   name);
    else if (hints_of_sign(name, strlen(name), cure))
        build_fail(b, at, "'%s' is not a column%s", name, cure);
}

void names_push(struct building *b, const struct expression_scope *s, const struct word *w,
                bool *later)
{
    char name[BUILD_NAME_BYTES];
    uint32_t index = 0;
    struct grouped form = {0};
    if (w->len >= sizeof name) {
        build_fail(b, w->at, "a column's name has at most %d bytes", BUILD_NAME_BYTES - 1);
        return;
    }
    name[w->kind == LEX_COLUMN ? word_unquote(w, name) : w->len] = 0;
    if (w->kind != LEX_COLUMN) memcpy(name, w->text, w->len);
    if (w->kind == LEX_NAME) names_check(b, s, name, w->at);
    if (b->failed) return;
    size_t i = w->kind == LEX_NAME ? names_given_index(name) : N_GIVEN;
    enum expression_type type = i < N_GIVEN
                                    ? names_take_given(b, s, i, w->at, &index)
                                    : names_find_column(b, s, name, w->at, &index, &form, later);
    build_column(b, type, index, s->columns, form, w->at);
}
