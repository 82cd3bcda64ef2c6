/* headers.c -- implementation of headers.h. */
#include "headers.h"

#include <stdbool.h>
#include <string.h>

#include "common/cells/columns.h"
#include "common/registry/framing.h"

static const char *headers_column_of(const char *wanted)
{
    const char *eq = strchr(wanted, '=');
    return eq ? eq + 1 : wanted;
}

static bool headers_is_all(const char *wanted) { return !strcmp(wanted, "*"); }

void headers_negotiate(struct leat_negotiation *n, const struct leat_strings *wanted)
{
    for (uint32_t i = 0; i < wanted->n; i++) {
        uint32_t index;
        const char *name = headers_column_of(wanted->v[i]);
        if (headers_is_all(wanted->v[i])) {
            if (!(n->in->has & LEAT_HAS_HEADERS))
                n->diag->error(n->diag, "headers",
                               "'*' keeps the headers of messages, but no earlier stage makes "
                               "headers: read from source.kafka, or leave '*' out");
        } else if (!*name || *wanted->v[i] == '=')
            n->diag->error(n->diag, "headers",
                           "'%s' must have the form \"column\" or \"name=column\"", wanted->v[i]);
        else
            n->column(n, "headers", name, HEADERS_TAKES, &index);
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
        h->v[i] = (struct header){
            .name = headers_is_all(text) ? NULL : text,
            .name_len = (uint32_t)strcspn(text, "="),
            .column = headers_is_all(text)
                          ? 0
                          : columns_known(ctx, headers_column_of(text), HEADERS_TAKES)};
    }
    return LEAT_OK;
}

void headers_close(struct leat_ctx *ctx, struct headers *h)
{
    ctx->host->free(ctx, h->v);
    *h = (struct headers){0};
}

/* Adds the headers of the original message, except headers that describe a dead letter (leat.*), or
 * the schema of another value. */
static void headers_add_all(const struct headers *all, rd_kafka_headers_t *list,
                            const struct leat_batch *b, uint32_t r)
{
    const char *text = leat_text(b, b->headers[r]);
    uint32_t n = b->headers[r].len;
    struct leat_header h;
    while (leat_next_header(&text, &n, &h))
        if ((h.n_name < 5 || memcmp(h.name, "leat.", 5) != 0) &&
            !(all->new_value && framing_is_header(h.name, h.n_name)))
            rd_kafka_header_add(list, h.name, h.n_name, h.value, h.value ? (ssize_t)h.n_value : 0);
}

rd_kafka_headers_t *headers_make(const struct headers *h, const struct leat_batch *b, uint32_t r)
{
    const uint32_t count = h->n + h->n_more;
    rd_kafka_headers_t *list = count ? rd_kafka_headers_new(count) : NULL;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct header *k = &h->v[i];
        if (!k->name) {
            headers_add_all(h, list, b, r);
            continue;
        }
        struct leat_str cell = b->column[k->column].text[r];
        if (cell.len != LEAT_NULL)
            rd_kafka_header_add(list, k->name, k->name_len, leat_text(b, cell), cell.len);
    }
    for (uint32_t i = 0; i < h->n_more; i++)
        rd_kafka_header_add(list, h->more[i].name, h->more[i].n_name, h->more[i].value,
                            h->more[i].n_value);
    return list;
}
