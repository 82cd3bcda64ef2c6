/* headers.c -- see headers.h. */
#include "headers.h"

#include <string.h>

#include "support/columns.h"

static const char *column_of(const char *wanted)
{
    const char *eq = strchr(wanted, '=');
    return eq ? eq + 1 : wanted;
}

void headers_negotiate(struct leat_negotiation *n, const struct leat_strings *wanted)
{
    for (uint32_t i = 0; i < wanted->n; i++) {
        uint32_t index;
        const char *name = column_of(wanted->v[i]);
        if (!*name || *wanted->v[i] == '=')
            n->diag->error(n->diag, "headers", "'%s' is neither \"column\" nor \"name=column\"",
                           wanted->v[i]);
        else if (n->column(n, "headers", name, &index) == LEAT_OK &&
                 n->in->column[index].type != LEAT_TEXT)
            n->diag->error(n->diag, "headers", "column '%s' holds numbers: a header must be text",
                           name);
    }
}

int headers_open(struct leat_ctx *ctx, struct headers *h, const struct leat_strings *wanted)
{
    if (!wanted->n) return LEAT_OK;
    h->v = ctx->host->alloc(ctx, wanted->n * sizeof *h->v);
    if (!h->v)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %u headers",
                               wanted->n);
    h->n = wanted->n;
    for (uint32_t i = 0; i < h->n; i++) {
        const char *text = wanted->v[i];
        h->v[i] = (struct header){.name = text,
                                  .name_len = (uint32_t)strcspn(text, "="),
                                  .column = columns_find(ctx->in, column_of(text))};
    }
    return LEAT_OK;
}

void headers_close(struct leat_ctx *ctx, struct headers *h)
{
    ctx->host->free(ctx, h->v);
    *h = (struct headers){0};
}

rd_kafka_headers_t *headers_make(const struct headers *h, const struct leat_batch *b, uint32_t r)
{
    rd_kafka_headers_t *list = h->n ? rd_kafka_headers_new(h->n) : NULL;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct header *k = &h->v[i];
        struct leat_str cell = b->column[k->column].text[r];
        if (cell.len != LEAT_NULL)
            rd_kafka_header_add(list, k->name, k->name_len, leat_text(b, cell), cell.len);
    }
    return list;
}
