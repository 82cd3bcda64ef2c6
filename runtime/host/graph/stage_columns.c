/* stage_columns.c -- implementation of stage_columns.h. */
#include "stage_columns.h"

#include <assert.h>
#include <string.h>

enum {
    SPARE = 64, /* room for conversions, in addition to one per input column */
    ALL = 3     /* most types that a column can be converted to              */
};

static struct leat_column unasked(const struct leat_column *c)
{
    struct leat_column column = *c;
    column.type = 0;
    return column;
}

/* Starts a negotiation. Reuses the node's array of columns if it is long enough. */
static void begin(struct node *n, struct arena *a, uint32_t first, uint32_t conversions)
{
    const struct leat_schema *in = &n->schema_in;
    uint32_t cap = first + conversions;
    assert(first >= in->n_columns);
    if (cap > n->shown_cap) {
        n->shown_column = arena_alloc(a, cap * sizeof *n->shown_column);
        n->shown_cap = cap;
    }
    if (n->shown_cap) memset(n->shown_column, 0, n->shown_cap * sizeof *n->shown_column);
    for (uint32_t i = 0; i < in->n_columns; i++)
        n->shown_column[i] = unasked(&in->column[i]);
    n->shown_in = *in;
    n->shown_in.column = n->shown_column;
    n->converted_from = NULL;
    n->n_conversions = 0;
    n->first_converted = first;
    n->column_index = (struct column_index){0};
}

void stage_columns_begin(struct node *n, struct arena *a, uint32_t first)
{
    begin(n, a, first, n->schema_in.n_columns + SPARE);
}

static bool find_conversion(const struct node *n, uint32_t column, uint32_t type, uint32_t *index)
{
    for (uint32_t k = n->converted_from ? n->converted_from[column] : 0; k;
         k = n->conversion[k - 1].next) {
        *index = n->conversion[k - 1].to;
        if (n->conversion[k - 1].to_type == type) return true;
    }
    return false;
}

static int add_conversion(struct node *n, struct arena *a, uint32_t column, uint32_t type,
                          uint32_t *index)
{
    const struct leat_column *from = &n->schema_in.column[column];
    uint32_t k = n->n_conversions;
    *index = n->first_converted + k;
    if (*index >= n->shown_cap) return LEAT_EFULL;
    if (!n->converted_from)
        n->converted_from = arena_alloc(a, n->schema_in.n_columns * sizeof *n->converted_from);
    if (k == n->conversion_cap)
        n->conversion = arena_grow(a, n->conversion, k, &n->conversion_cap, sizeof *n->conversion);
    n->conversion[k] = (struct conversion){.from = column,
                                           .to = *index,
                                           .from_type = from->type,
                                           .to_type = type,
                                           .form = column_form(from),
                                           .name = from->name,
                                           .next = n->converted_from[column]};
    n->converted_from[column] = ++n->n_conversions;
    n->shown_column[*index] = (struct leat_column){.name = from->name, .type = type};
    return LEAT_OK;
}

int stage_columns_ask(struct node *n, struct arena *a, uint32_t column, uint32_t types,
                      uint32_t *index)
{
    uint32_t from = n->schema_in.column[column].type, type = column_type_choose(from, types);
    if (!type) return LEAT_EARG;
    *index = column;
    if (type == from)
        n->shown_column[column].type = type;
    else if (!find_conversion(n, column, type, index))
        return add_conversion(n, a, column, type, index);
    return LEAT_OK;
}

void stage_columns_take(struct node *n, struct arena *a)
{
    const struct leat_schema *in = &n->schema_in, *shown = &n->shown_out;
    uint32_t kept = shown->n_columns < in->n_columns ? shown->n_columns : in->n_columns;
    n->schema_out = *shown;
    if (n->stage->expand || !kept) return;
    n->schema_out.column = in->column;
    if (shown->column == n->shown_column) return;
    struct leat_column *column = arena_alloc(a, shown->n_columns * sizeof *column);
    memcpy(column, shown->column, kept * sizeof *column);
    for (uint32_t i = 0; i < kept; i++)
        column[i].type = in->column[i].type;
    memcpy(column + kept, shown->column + kept, (shown->n_columns - kept) * sizeof *column);
    n->schema_out.column = column;
}

/* Copies the columns that the stage adds between the input columns and the converted ones. */
void stage_columns_show(struct node *n)
{
    const struct leat_column *column = n->shown_out.column;
    uint32_t in = n->schema_in.n_columns, end = n->schema_out.n_columns;
    n->shown_out = n->schema_out;
    n->shown_out.column = column;
    if (n->stage->expand || !n->n_conversions || end <= in) return;
    assert(end <= n->first_converted);
    memcpy(n->shown_column + in, column + in, (end - in) * sizeof *column);
}

void stage_columns_show_all(struct node *n, struct arena *a)
{
    const struct leat_schema *in = &n->schema_in, *out = &n->schema_out;
    uint32_t first = in->n_columns > out->n_columns ? in->n_columns : out->n_columns, index;
    begin(n, a, first, ALL * in->n_columns);
    n->shown_out = *out;
    column_index_extend(&n->column_index, a, in->column, in->n_columns);
    for (uint32_t i = 0; i < in->n_columns; i++)
        for (uint32_t type = LEAT_TEXT; column_type_is_known(type); type++)
            stage_columns_ask(n, a, i, 1u << type, &index);
}

bool stage_columns_find(const struct node *n, const char *name, uint32_t types, uint32_t *index)
{
    const struct leat_schema *in = &n->schema_in;
    uint32_t column = column_index_find(&n->column_index, in->column, name, strlen(name));
    if (column == COLUMN_NONE) return false;
    uint32_t type = column_type_choose(in->column[column].type, types);
    *index = column;
    if (type == in->column[column].type) return n->shown_in.column[column].type == type;
    return type && find_conversion(n, column, type, index);
}

static bool stage_columns_is_asked(const struct node *n, uint32_t column)
{
    return n->shown_in.column[column].type || (n->converted_from && n->converted_from[column]);
}

bool stage_columns_is_read(const struct graph *g, const struct node *n, uint32_t column)
{
    bool found = g->shows_all || g->inspects;
    for (uint32_t k = 0; k < n->n_out && !found; k++) {
        const struct edge *e = &g->edge[n->out[k]];
        const struct node *to = &g->node[e->to];
        found = (n->kind == NODE_ROUTE && e->by_column == column) ||
                (to->stage && stage_columns_is_asked(to, column));
        if (!found && !(to->stage && to->stage->expand) && column < to->schema_out.n_columns)
            found = stage_columns_is_read(g, to, column);
    }
    return found;
}

struct leat_schema stage_columns_room(const struct node *n)
{
    struct leat_schema s = n->stage->expand ? n->schema_in : n->schema_out;
    for (uint32_t k = 0; k < n->n_conversions; k++) {
        const struct conversion *c = &n->conversion[k];
        if (c->to >= s.n_columns) s.n_columns = c->to + 1;
        if (n->stage->expand)
            s.added_bytes_per_record += column_type_text_bytes(c->from_type, c->to_type);
    }
    return s;
}
