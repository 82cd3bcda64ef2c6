/* negotiate_merge.c -- see negotiate_merge.h. */
#include "negotiate_merge.h"

#include <stdbool.h>
#include <string.h>

#include "base/text/grouped.h"
#include "column_type.h"
#include "node_diag.h"

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

void negotiate_merge(struct graph *g, struct node *n, struct diag *d)
{
    for (uint32_t i = 1; i < n->n_in; i++) {
        const struct node *other = &g->node[g->edge[n->in[i]].from];
        if (may_be_same(&n->schema_in, &other->schema_out)) {
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
