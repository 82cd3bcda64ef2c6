/* negotiate_merge.c -- see negotiate_merge.h. */
#include "negotiate_merge.h"

#include <stdbool.h>
#include <string.h>

#include "core/text/grouped.h"
#include "host/graph/column_type.h"
#include "host/graph/node_diag.h"

enum { SHOWN_BYTES = 100 }; /* of a header in a message */

static bool may_be_same(const struct leat_schema *a, const struct leat_schema *b)
{
    if (a->has == b->has && (a->open || b->open)) return true; /* compared once both are known */
    if (a->has != b->has || a->n_columns != b->n_columns || a->n_fields != b->n_fields)
        return false;
    for (uint32_t i = 0; i < a->n_columns; i++)
        if (strcmp(a->column[i].name, b->column[i].name) || a->column[i].type != b->column[i].type)
            return false;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i], b->fields[i])) return false;
    return true;
}

#define WIDEN(F)                                                                                   \
    if (b->F > a->F) a->F = b->F

static void widen(struct leat_schema *a, const struct leat_schema *b)
{
    WIDEN(examples_per_record);
    WIDEN(entries_per_record);
    WIDEN(entries_per_256_bytes);
    WIDEN(parts_per_record);
    WIDEN(added_bytes_per_record);
    WIDEN(max_record_bytes);
    WIDEN(copies_text);
    WIDEN(added_names);
    WIDEN(extents);
    a->open |= b->open;
    a->derived |= b->derived;
}

/* A text that is a number in one of two ways is one for sure only if both are the same. */
static void join_forms(struct graph *g, struct leat_schema *a, const struct leat_schema *b)
{
    struct leat_column *own = NULL;
    for (uint32_t i = 0; i < a->n_columns && i < b->n_columns; i++) {
        struct grouped x = column_form(&a->column[i]), y = column_form(&b->column[i]);
        if (grouped_is_same(&x, &y)) continue;
        if (!own) own = arena_alloc(g->arena, a->n_columns * sizeof *own);
        if (a->column != own) memcpy(own, a->column, a->n_columns * sizeof *own);
        a->column = own;
        own[i].decimal = LEAT_DECIMAL_UNSURE;
        own[i].thousands = '\0';
    }
}

/* One parser behind sources reads all of them by one header. */
static bool has_same_header(const struct leat_schema *a, const struct leat_schema *b)
{
    return !a->header || !b->header ||
           (a->header_len == b->header_len && !memcmp(a->header, b->header, a->header_len));
}

static void report_headers(const struct graph *g, const struct node *n, const struct node *other,
                           struct diag *d)
{
    const struct leat_schema *a = &n->schema_in, *b = &other->schema_out;
    node_error(
        d, n, NULL,
        "the headers of the merge's inputs differ: '%.*s' of %s, and '%.*s' of %s; give each "
        "input a parser of its own before the merge, whose `columns` say in the same words "
        "what it holds",
        (int)(a->header_len < SHOWN_BYTES ? a->header_len : SHOWN_BYTES), a->header,
        g->node[g->edge[n->in[0]].from].label,
        (int)(b->header_len < SHOWN_BYTES ? b->header_len : SHOWN_BYTES), b->header, other->label);
}

void negotiate_merge(struct graph *g, struct node *n, struct diag *d)
{
    for (uint32_t i = 1; i < n->n_in; i++) {
        const struct node *other = &g->node[g->edge[n->in[i]].from];
        if (!has_same_header(&n->schema_in, &other->schema_out)) {
            report_headers(g, n, other, d);
        } else if (may_be_same(&n->schema_in, &other->schema_out)) {
            widen(&n->schema_in, &other->schema_out);
            join_forms(g, &n->schema_in, &other->schema_out);
        } else
            node_error(d, n, NULL,
                       "the inputs of the merge differ: %s gives %s (%u columns), %s gives %s (%u "
                       "columns)",
                       g->node[g->edge[n->in[0]].from].label,
                       node_diag_has(n->schema_in.has, g->arena), (unsigned)n->schema_in.n_columns,
                       other->label, node_diag_has(other->schema_out.has, g->arena),
                       (unsigned)other->schema_out.n_columns);
    }
}
