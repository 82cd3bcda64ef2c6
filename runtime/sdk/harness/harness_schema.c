/* harness_schema.c -- the schemas before and after the stage. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness_impl.h"

/* struct leat_diag and struct leat_negotiation of the stage, each followed by its harness. */
struct diag_of {
    struct leat_diag base;
    struct harness *h;
};
struct negotiation_of {
    struct leat_negotiation base;
    struct harness *h;
};

static void add_in_column(struct harness *h, const char *name, uint32_t type)
{
    harness_must(h, h->in.n_columns < HARNESS_COLUMNS, "more than %d columns", HARNESS_COLUMNS);
    h->impl->in_column[h->in.n_columns++] =
        (struct leat_column){.name = harness_keep(h, name, strlen(name)), .type = type};
    h->in.column = h->impl->in_column;
    h->in.has |= LEAT_HAS_COLUMNS;
    h->impl->negotiated = false;
}

void harness_column(struct harness *h, const char *name, enum leat_column_type type)
{
    add_in_column(h, name, type);
}

void harness_has(struct harness *h, uint32_t has)
{
    h->in.has |= has;
    h->impl->negotiated = false;
}

uint32_t harness_field(struct harness *h, const char *name)
{
    harness_must(h, h->in.n_fields < HARNESS_FIELDS, "more than %d fields", HARNESS_FIELDS);
    h->impl->in_field[h->in.n_fields] = harness_keep(h, name, strlen(name));
    h->in.fields = h->impl->in_field;
    return h->in.n_fields++;
}

static void diag_error(struct leat_diag *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    harness_say(((struct diag_of *)d)->h, param, format, args);
    va_end(args);
    ((struct diag_of *)d)->h->errors++;
}

static void diag_warn(struct leat_diag *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    harness_say(((struct diag_of *)d)->h, param, format, args);
    va_end(args);
    ((struct diag_of *)d)->h->warnings++;
}

int harness_columns_make(struct harness *h, const char *name, uint32_t types, uint32_t *index)
{
    const uint32_t liked[] = {LEAT_TEXT, LEAT_NUMBER, LEAT_INT64, LEAT_TIME, LEAT_BOOLEAN};
    uint32_t type = LEAT_BYTES;
    for (size_t i = sizeof liked / sizeof *liked; i-- > 0;)
        if (types & 1u << liked[i]) type = liked[i];
    add_in_column(h, name, type);
    return LEAT_LATER;
}

static int harness_schema_find_column(struct leat_negotiation *n, const char *param,
                                      const char *name, uint32_t types, uint32_t *index)
{
    return harness_columns_ask(n, ((struct negotiation_of *)n)->h, param, name, types, index);
}

static int harness_schema_add_column(struct leat_negotiation *n, const char *name, size_t len,
                                     uint32_t type, uint32_t *index)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    uint32_t i = n->out->n_columns;
    if (index) *index = i;
    for (uint32_t j = 0; j < i; j++)
        if (strlen(n->out->column[j].name) == len && !memcmp(n->out->column[j].name, name, len)) {
            n->diag->error(n->diag, NULL, "there are two columns named '%.*s'", (int)len, name);
            return LEAT_EARG;
        }
    if (i >= HARNESS_COLUMNS) {
        harness_breach(h, BREACH_MISUSE, "more than %d columns", HARNESS_COLUMNS);
        return LEAT_ENOMEM;
    }
    h->impl->out_column[i] = (struct leat_column){.name = harness_keep(h, name, len), .type = type};
    n->out->n_columns++;
    n->out->has |= LEAT_HAS_COLUMNS;
    return LEAT_OK;
}

static void harness_schema_set_number_form(struct leat_negotiation *n, uint32_t index, char decimal,
                                           char thousands)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    if (index >= n->out->n_columns) {
        harness_breach(h, BREACH_MISUSE, "number_form of column %u, which does not exist", index);
        return;
    }
    h->impl->out_column[index].decimal = decimal;
    h->impl->out_column[index].thousands = thousands;
}

/* A batch of the harness has whole examples. */
static int harness_schema_leave_pairs(struct leat_negotiation *n, const uint32_t *joint)
{
    return LEAT_LATER;
}

static int harness_schema_mark(struct leat_negotiation *n, uint32_t field, enum leat_mark mark)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    if (field >= n->out->n_fields) {
        harness_breach(h, BREACH_MISUSE, "mark of field %u, which does not exist", field);
        return LEAT_EARG;
    }
    h->impl->out_mark[field] = (uint8_t)mark;
    n->out->mark = h->impl->out_mark;
    n->out->n_marks = n->out->n_fields;
    return LEAT_OK;
}

static void harness_schema_add_bounds(struct leat_negotiation *n, const struct leat_bounds *made)
{
    bounds_add(n->out, n->in, made);
}

static int harness_schema_add_field(struct leat_negotiation *n, const char *name)
{
    struct harness *h = ((struct negotiation_of *)n)->h;
    if (n->out->n_fields == HARNESS_FIELDS) return LEAT_ENOMEM;
    h->impl->out_field[n->out->n_fields] = harness_keep(h, name, strlen(name));
    return (int)n->out->n_fields++;
}

const char *const harness_answers[2] = {"weight", "count"};

static int harness_schema_name_answer(struct leat_negotiation *n, const char *const **names,
                                      uint32_t *count)
{
    *names = harness_answers;
    *count = sizeof harness_answers / sizeof *harness_answers;
    return LEAT_OK;
}

/* Sets the output schema before negotiation: that of a stage that changes nothing. If the stage
 * makes new records, they have none of the input columns. */
static void begin_schema(struct harness *h)
{
    struct harness_impl *m = h->impl;
    const uint32_t kept = LEAT_HAS_RECORDS | LEAT_HAS_KEY | LEAT_HAS_TIMESTAMP;
    h->out = h->in;
    if (h->stage->expand)
        h->out = (struct leat_schema){.size = sizeof h->out, .has = h->in.has & kept, .derived = 1};
    memcpy(m->out_column, m->in_column, sizeof m->in_column);
    memcpy(m->out_field, m->in_field, sizeof m->in_field);
    h->out.column = m->out_column;
    h->out.fields = m->out_field;
    memset(m->out_mark, 0, sizeof m->out_mark);
    if (h->in.n_marks) memcpy(m->out_mark, h->in.mark, h->in.n_marks);
    if (h->in.n_marks) h->out.mark = m->out_mark;
    h->out.has |= h->stage->makes;
}

int harness_negotiate(struct harness *h)
{
    h->said[0] = 0;
    h->errors = h->warnings = 0;
    struct diag_of diag = {{sizeof diag.base, 0, diag_error, diag_warn}, h};
    harness_must(h, !(h->stage->needs & ~h->in.has),
                 "the input does not have all that the stage needs");
    if (h->stage->validate) harness_returned(h, "validate", h->stage->validate(h->cfg, &diag.base));
    harness_columns_begin(h, HARNESS_COLUMNS);
    begin_schema(h);
    struct negotiation_of n = {.base = {.size = sizeof n.base,
                                        .in = &h->impl->node.shown_in,
                                        .out = &h->out,
                                        .diag = &diag.base,
                                        .column = harness_schema_find_column,
                                        .add_column = harness_schema_add_column,
                                        .add_field = harness_schema_add_field,
                                        .answer = harness_schema_name_answer,
                                        .add_bounds = harness_schema_add_bounds,
                                        .number_form = harness_schema_set_number_form,
                                        .leave_pairs = harness_schema_leave_pairs,
                                        .mark = harness_schema_mark,
                                        .framing = &h->framing},
                               .h = h};
    if (!h->errors && h->stage->negotiate) {
        int s = harness_returned(h, "negotiate", h->stage->negotiate(h->cfg, &n.base));
        if (s < 0 && !h->errors)
            harness_breach(h, BREACH_RETURNED, "negotiate returned %d without an error", s);
    }
    h->impl->negotiated = true;
    return h->errors;
}

/* Negotiates again until no request adds a column to the input. Columns that the stage adds come
 * after those of the input, so their indexes are known only then. */
static int harness_schema_negotiate_all(struct harness *h)
{
    uint32_t before;
    int errors;
    do {
        before = h->in.n_columns;
        errors = harness_negotiate(h);
    } while (h->in.n_columns > before);
    return errors;
}

int harness_discover(struct harness *h)
{
    h->impl->discovers = true;
    int errors = harness_schema_negotiate_all(h);
    h->impl->discovers = false;
    return errors;
}

struct leat_plan harness_plan(struct harness *h)
{
    struct leat_plan plan = {.size = sizeof plan, .split = h->split};
    int s =
        h->stage->plan ? h->stage->plan(h->cfg, &h->impl->node.shown_in, &h->out, &plan) : LEAT_OK;
    if (harness_returned(h, "plan", s) < 0)
        harness_breach(h, BREACH_RETURNED, "plan returned %d: %.255s", s, plan.note);
    return plan;
}
