/* proto_schema.c -- implementation of proto_schema.h: a parser by recursive descent. */
#include "proto_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const proto_type_names[] = {"double",
                                        "float",
                                        "int32",
                                        "int64",
                                        "uint32",
                                        "uint64",
                                        "sint32",
                                        "sint64",
                                        "fixed32",
                                        "fixed64",
                                        "sfixed32",
                                        "sfixed64",
                                        "bool",
                                        "string",
                                        "bytes",
                                        "Timestamp",
                                        "enum",
                                        "message",
                                        "a type of another file"};

enum { PROTO_WORD = 256, PROTO_DEEP = 32, PROTO_SCOPE = 1024 };

struct proto_reading {
    struct proto_schema *schema;
    const char *at, *end;
    uint32_t line;
    bool proto3, main;       /* main: the last text */
    uint32_t n_main;         /* its top-level messages so far */
    char word[PROTO_WORD];   /* present token: a word, a number, one other character; "": the end */
    char scope[PROTO_SCOPE]; /* package and messages around; "" or "a.b" */
    char *why;
    size_t cap;
    int deep;
};

static bool proto_fail(struct proto_reading *r, const char *what)
{
    if (!*r->why) snprintf(r->why, r->cap, "line %u: %s", r->line, what);
    return false;
}

static bool proto_no_memory(struct proto_reading *r)
{
    return proto_fail(r, "there is not enough memory for the schema");
}

/* ---- tokens ---- */

static void proto_skip_comment(struct proto_reading *r)
{
    bool block = r->at[1] == '*';
    for (r->at += 2; r->at < r->end; r->at++) {
        if (!block && *r->at == '\n') return;
        if (block && *r->at == '*' && r->at + 1 < r->end && r->at[1] == '/') {
            r->at += 2;
            return;
        }
        r->line += *r->at == '\n';
    }
}

static void proto_skip_blanks(struct proto_reading *r)
{
    for (; r->at < r->end; r->at++) {
        while (r->end - r->at > 1 && *r->at == '/' && (r->at[1] == '/' || r->at[1] == '*'))
            proto_skip_comment(r);
        if (r->at == r->end || !strchr(" \t\r\n\f\v", *r->at) || !*r->at) return;
        r->line += *r->at == '\n';
    }
}

static bool proto_is_of_word(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* Reads the next token into r->word. A string is its first quote; its characters are dropped, but
 * those of `syntax` are kept behind the quote. */
static void proto_next(struct proto_reading *r)
{
    size_t n = 0;
    proto_skip_blanks(r);
    *r->word = 0;
    if (r->at == r->end) return;
    char quote = *r->at;
    if (quote == '"' || quote == '\'') {
        r->word[n++] = *r->at++;
        for (; r->at < r->end && *r->at != quote && *r->at != '\n'; r->at++) {
            if (*r->at == '\\' && r->at + 1 < r->end) r->at++;
            if (n < PROTO_WORD - 1) r->word[n++] = *r->at;
        }
        r->at += r->at < r->end;
    } else if (proto_is_of_word(*r->at)) {
        for (; r->at < r->end && proto_is_of_word(*r->at); r->at++)
            if (n < PROTO_WORD - 1) r->word[n++] = *r->at;
    } else
        r->word[n++] = *r->at++;
    r->word[n] = 0;
}

static bool proto_is(const struct proto_reading *r, const char *word)
{
    return !strcmp(r->word, word);
}

static bool proto_take(struct proto_reading *r, const char *word)
{
    char what[PROTO_WORD + 64];
    if (proto_is(r, word)) {
        proto_next(r);
        return true;
    }
    snprintf(what, sizeof what, "'%s' is expected, not '%.100s'", word, r->word);
    return proto_fail(r, what);
}

/* Passes over a statement: to the ; behind it, or over its braces. */
static bool proto_skip(struct proto_reading *r)
{
    int deep = 0;
    for (; *r->word; proto_next(r)) {
        deep += proto_is(r, "{") - proto_is(r, "}");
        if (deep < 0) return proto_fail(r, "a } has no {");
        if (!deep && (proto_is(r, ";") || proto_is(r, "}"))) {
            proto_next(r);
            return true;
        }
    }
    return proto_fail(r, "the text ends in a statement");
}

/* Passes over [options]. */
static bool proto_skip_options(struct proto_reading *r)
{
    int deep = 0;
    if (!proto_is(r, "[")) return true;
    for (; *r->word; proto_next(r)) {
        deep += proto_is(r, "[") - proto_is(r, "]");
        if (!deep) {
            proto_next(r);
            return true;
        }
    }
    return proto_fail(r, "the text ends in options");
}

/* Reads a whole number, with its sign. */
static bool proto_number(struct proto_reading *r, int64_t *out)
{
    bool negative = proto_is(r, "-");
    char *end;
    if (negative) proto_next(r);
    *out = strtoll(r->word, &end, 0);
    if (!*r->word || *end) return proto_fail(r, "a number is expected");
    if (negative) *out = -*out;
    proto_next(r);
    return true;
}

/* ---- names ---- */

/* Returns the present word with the scope before it, and moves on. */
static char *proto_scoped(struct proto_reading *r)
{
    size_t n = strlen(r->scope) + strlen(r->word) + 2;
    char *name = proto_is_of_word(*r->word) ? malloc(n) : NULL;
    if (name) snprintf(name, n, "%s%s%s", r->scope, *r->scope ? "." : "", r->word);
    if (!name) proto_fail(r, "a name is expected");
    proto_next(r);
    return name;
}

/* ---- enums ---- */

static bool proto_read_symbol(struct proto_reading *r, struct proto_enum *e)
{
    int64_t number;
    if (proto_is(r, "option") || proto_is(r, "reserved")) return proto_skip(r);
    struct proto_symbol *grown = realloc(e->symbol, (e->n + 1) * sizeof *grown);
    if (!grown) return proto_no_memory(r);
    e->symbol = grown;
    grown[e->n] = (struct proto_symbol){strdup(r->word), 0};
    if (!grown[e->n++].name) return proto_no_memory(r);
    proto_next(r);
    if (!proto_take(r, "=") || !proto_number(r, &number)) return false;
    grown[e->n - 1].number = (int32_t)number;
    return proto_skip_options(r) && proto_take(r, ";");
}

static bool proto_read_enum(struct proto_reading *r)
{
    struct proto_schema *s = r->schema;
    struct proto_enum **grown = realloc(s->symbols, (s->n_enums + 1) * sizeof *grown);
    struct proto_enum *e = grown ? calloc(1, sizeof *e) : NULL;
    if (grown) s->symbols = grown;
    if (!e) return proto_no_memory(r);
    s->symbols[s->n_enums++] = e;
    proto_next(r);
    e->name = proto_scoped(r);
    bool good = e->name && proto_take(r, "{");
    while (good && *r->word && !proto_is(r, "}"))
        good = proto_is(r, ";") ? (proto_next(r), true) : proto_read_symbol(r, e);
    return good && proto_take(r, "}");
}

/* ---- messages ---- */

static bool proto_read_message(struct proto_reading *r);

static enum proto_type proto_type_of(const char *name)
{
    int type = 0;
    while (type <= PROTO_BYTES && strcmp(proto_type_names[type], name) != 0)
        type++;
    return type <= PROTO_BYTES ? (enum proto_type)type : PROTO_UNKNOWN;
}

static struct proto_field *proto_add_field(struct proto_reading *r, struct proto_message *m)
{
    struct proto_field *grown = realloc(m->field, (m->n + 1) * sizeof *grown);
    if (!grown) {
        proto_no_memory(r);
        return NULL;
    }
    m->field = grown;
    grown[m->n] = (struct proto_field){.presence = r->proto3 ? PROTO_IMPLICIT : PROTO_OPTIONAL};
    return &grown[m->n++];
}

/* Reads the type of a field; of a map only that it is one. */
static bool proto_read_type(struct proto_reading *r, struct proto_field *f)
{
    bool map = proto_is(r, "map");
    f->type_name = strdup(r->word);
    f->type = proto_type_of(r->word);
    proto_next(r);
    if (!map || !proto_is(r, "<")) return f->type_name || proto_no_memory(r);
    f->repeated = true;
    f->type = PROTO_UNKNOWN;
    while (*r->word && !proto_is(r, ">"))
        proto_next(r);
    return proto_take(r, ">");
}

/* True if the last field of the message has a name and a number of its own. */
static bool proto_is_new(const struct proto_message *m)
{
    const struct proto_field *last = &m->field[m->n - 1];
    for (const struct proto_field *f = m->field; f < last; f++)
        if (f->number == last->number || !strcmp(f->name, last->name)) return false;
    return true;
}

static bool proto_read_field(struct proto_reading *r, struct proto_message *m, uint32_t oneof)
{
    int64_t number;
    struct proto_field *f = proto_add_field(r, m);
    if (!f) return false;
    f->oneof = oneof;
    bool optional = proto_is(r, "optional"), required = proto_is(r, "required");
    f->repeated = proto_is(r, "repeated");
    if (optional || required || f->repeated) proto_next(r);
    if (optional || oneof) f->presence = PROTO_OPTIONAL;
    if (required) f->presence = PROTO_REQUIRED;
    bool group = proto_is(r, "group");
    if (!proto_read_type(r, f)) return false;
    f->name = strdup(r->word);
    proto_next(r);
    if (!f->name) return proto_no_memory(r);
    if (!proto_take(r, "=") || !proto_number(r, &number)) return false;
    if (number < 1 || number > 536870911) return proto_fail(r, "the number of a field is wrong");
    if (number >= 19000 && number <= 19999)
        return proto_fail(r, "the numbers of fields 19000 to 19999 are reserved");
    f->number = (uint32_t)number;
    if (!proto_is_new(m)) return proto_fail(r, "two fields of a message have one name or number");
    if (!proto_skip_options(r)) return false;
    return group ? proto_skip(r) : proto_take(r, ";");
}

static bool proto_read_oneof(struct proto_reading *r, struct proto_message *m)
{
    uint32_t oneof = ++m->n_oneofs;
    proto_next(r);
    proto_next(r); /* its name */
    if (!proto_take(r, "{")) return false;
    while (*r->word && !proto_is(r, "}")) {
        bool other = proto_is(r, "option") || proto_is(r, ";");
        if (!(other ? proto_skip(r) : proto_read_field(r, m, oneof))) return false;
    }
    return proto_take(r, "}");
}

static bool proto_read_member(struct proto_reading *r, struct proto_message *m)
{
    if (proto_is(r, "message")) return proto_read_message(r);
    if (proto_is(r, "enum")) return proto_read_enum(r);
    if (proto_is(r, "oneof")) return proto_read_oneof(r, m);
    if (proto_is(r, "option") || proto_is(r, "reserved") || proto_is(r, "extensions") ||
        proto_is(r, "extend") || proto_is(r, ";"))
        return proto_skip(r);
    return proto_read_field(r, m, 0);
}

static bool proto_read_body(struct proto_reading *r, struct proto_message *m)
{
    if (!proto_take(r, "{")) return false;
    while (*r->word && !proto_is(r, "}"))
        if (!proto_read_member(r, m)) return false;
    return proto_take(r, "}");
}

static bool proto_read_message(struct proto_reading *r)
{
    struct proto_schema *s = r->schema;
    struct proto_message **grown = realloc(s->message, (s->n_messages + 1) * sizeof *grown);
    struct proto_message *m = grown ? calloc(1, sizeof *m) : NULL;
    size_t outer = strlen(r->scope);
    if (grown) s->message = grown;
    if (!m) return proto_no_memory(r);
    s->message[s->n_messages++] = m;
    m->index = r->main && !r->deep ? r->n_main++ : UINT32_MAX;
    proto_next(r);
    m->name = proto_scoped(r);
    if (!m->name) return false;
    if (strlen(m->name) >= PROTO_SCOPE || r->deep == PROTO_DEEP)
        return proto_fail(r, "messages are nested too deeply");
    strcpy(r->scope, m->name);
    r->deep++;
    bool good = proto_read_body(r, m);
    r->deep--;
    r->scope[outer] = 0;
    return good;
}

/* ---- files ---- */

static bool proto_read_statement(struct proto_reading *r)
{
    if (proto_is(r, "message")) return proto_read_message(r);
    if (proto_is(r, "enum")) return proto_read_enum(r);
    if (proto_is(r, "syntax") || proto_is(r, "edition")) {
        proto_next(r);
        if (!proto_take(r, "=")) return false;
        r->proto3 = proto_is(r, "\"proto3") || proto_is(r, "'proto3");
        return proto_skip(r);
    }
    if (proto_is(r, "package")) {
        proto_next(r);
        snprintf(r->scope, PROTO_SCOPE, "%s", r->word);
        return proto_skip(r);
    }
    static const char *const known[] = {"import", "option", "service", "extend", ";"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (proto_is(r, known[i])) return proto_skip(r);
    return proto_fail(r, "it is not the text of a .proto file");
}

static bool proto_read_text(struct proto_reading *r, const struct proto_text *text)
{
    r->at = text->text;
    r->end = r->at + text->n;
    r->line = 1;
    r->proto3 = false;
    *r->scope = 0;
    for (proto_next(r); *r->word;)
        if (!proto_read_statement(r)) return false;
    return true;
}

/* ---- types ---- */

/* Finds the type with this whole name. */
static bool proto_link_to(const struct proto_schema *s, struct proto_field *f, const char *name)
{
    for (uint32_t i = 0; i < s->n_messages; i++)
        if (!strcmp(s->message[i]->name, name)) {
            f->type = PROTO_MESSAGE;
            f->message = s->message[i];
            return true;
        }
    for (uint32_t i = 0; i < s->n_enums; i++)
        if (!strcmp(s->symbols[i]->name, name)) {
            f->type = PROTO_ENUM;
            f->symbols = s->symbols[i];
            return true;
        }
    if (strcmp(name, "google.protobuf.Timestamp") != 0) return false;
    f->type = PROTO_TIMESTAMP;
    return true;
}

/* Finds the type of a field of message m: by its name in m, then in what is around it. */
static void proto_find_type(const struct proto_schema *s, const struct proto_message *m,
                            struct proto_field *f)
{
    char name[PROTO_SCOPE + PROTO_WORD];
    size_t n = strlen(m->name);
    if (f->type_name[0] == '.') {
        proto_link_to(s, f, f->type_name + 1);
        return;
    }
    for (;;) {
        snprintf(name, sizeof name, "%.*s%s%s", (int)n, m->name, n ? "." : "", f->type_name);
        if (proto_link_to(s, f, name) || !n) return;
        while (n && m->name[n - 1] != '.')
            n--;
        n -= n > 0;
    }
}

/* Sets the type of a field. A message has presence in any case. */
static void proto_link_field(const struct proto_schema *s, const struct proto_message *m,
                             struct proto_field *f)
{
    if (f->type == PROTO_UNKNOWN && !f->repeated) proto_find_type(s, m, f);
    bool message = f->type == PROTO_MESSAGE || f->type == PROTO_TIMESTAMP;
    if (message && f->presence == PROTO_IMPLICIT) f->presence = PROTO_OPTIONAL;
}

struct proto_schema *proto_schema_read(const struct proto_text *text, uint32_t n, char *why,
                                       size_t cap)
{
    struct proto_reading r = {.schema = calloc(1, sizeof *r.schema), .why = why, .cap = cap};
    *why = 0;
    bool good = r.schema || proto_no_memory(&r);
    for (uint32_t i = 0; good && i < n; i++) {
        r.main = i + 1 == n;
        good = proto_read_text(&r, &text[i]);
    }
    for (uint32_t i = 0; good && i < r.schema->n_messages; i++)
        for (uint32_t k = 0; k < r.schema->message[i]->n; k++)
            proto_link_field(r.schema, r.schema->message[i], &r.schema->message[i]->field[k]);
    if (good) return r.schema;
    proto_schema_free(r.schema);
    return NULL;
}

static void proto_free_message(struct proto_message *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        free(m->field[i].name);
        free(m->field[i].type_name);
    }
    free(m->field);
    free(m->name);
    free(m);
}

static void proto_free_enum(struct proto_enum *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        free(e->symbol[i].name);
    free(e->symbol);
    free(e->name);
    free(e);
}

void proto_schema_free(struct proto_schema *s)
{
    if (!s) return;
    for (uint32_t i = 0; i < s->n_messages; i++)
        proto_free_message(s->message[i]);
    for (uint32_t i = 0; i < s->n_enums; i++)
        proto_free_enum(s->symbols[i]);
    free(s->message);
    free(s->symbols);
    free(s);
}

const struct proto_message *proto_schema_message(const struct proto_schema *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_messages; i++) {
        const struct proto_message *m = s->message[i];
        const char *dot = strrchr(m->name, '.');
        if (m->index == UINT32_MAX || (!name && m->index)) continue;
        if (!name || !strcmp(m->name, name) || (dot && !strcmp(dot + 1, name))) return m;
    }
    return NULL;
}
