/* harness_columns.c -- see harness_columns.h. */
#include "harness_columns.h"

#include <string.h>

#include "host/flow/convert.h"
#include "harness_inside.h"

void harness_columns_begin(struct harness *h, uint32_t first)
{
    struct node *n = &h->impl->node;
    n->stage = h->stage;
    n->schema_in = h->in;
    stage_columns_begin(n, &h->impl->arena, first);
}

int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index)
{
    struct node *node = &h->impl->node;
    column_index_extend(&node->column_index, &h->impl->arena, h->in.column, h->in.n_columns);
    *index = column_index_find(&node->column_index, h->in.column, name, strlen(name));
    h->impl->last_asked = *index;
    if (*index == COLUMN_NONE && h->in.open) return LEAT_LATER;
    if (*index == COLUMN_NONE && h->impl->discovers)
        return harness_columns_make(h, name, types, index);
    if (*index == COLUMN_NONE) {
        n->diag->error(n->diag, param, "there is no column '%s'", name);
        return LEAT_EARG;
    }
    const char *holds = column_type_plural(h->in.column[*index].type);
    int status = stage_columns_ask(node, &h->impl->arena, *index, types, index);
    if (status < 0)
        n->diag->error(n->diag, param, "column '%s' holds %s, and the stage takes %s", name, holds,
                       column_types_text(types, &h->impl->arena));
    return status;
}

int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index)
{
    if (stage_columns_find(&h->impl->node, name, types, index)) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG, "column '%s' was not asked for", name);
}

uint32_t harness_columns_room(const struct harness *h)
{
    const struct node *n = &h->impl->node;
    uint32_t columns = h->stage->expand ? h->in.n_columns : h->out.n_columns;
    return n->n_conversions ? n->first_converted + n->n_conversions : columns;
}

uint32_t harness_columns_bytes(const struct harness *h)
{
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < h->impl->node.n_conversions; k++)
        bytes += column_type_text_bytes(h->impl->node.conversion[k].from_type,
                                        h->impl->node.conversion[k].to_type);
    return bytes;
}

union leat_cells *harness_columns_show(struct harness *h)
{
    const struct node *n = &h->impl->node;
    union leat_cells *all = h->b.column;
    for (uint32_t k = 0; k < n->n_conversions; k++)
        convert_column(&h->ctx, &n->conversion[k], &h->b);
    for (uint32_t c = 0; c < harness_columns_room(h); c++)
        h->impl->shown[c] = all[c];
    for (uint32_t c = 0; c < h->in.n_columns; c++)
        if (!n->shown_in.column[c].type) h->impl->shown[c].text = NULL;
    h->b.column = h->impl->shown;
    return all;
}
