/* sparse.c -- implementation of sparse.h. */
#include "sparse.h"

#include <string.h>

#include "kernels/text/decimal.h"

enum { SHOWN = 40 }; /* most bytes of a wrong text that a message shows */

const char *const sparse_labels[] = {"binary", "raw", NULL};

static bool read_positive(const struct sparse_cfg *c, double *value)
{
    return decimal_whole(c->positive, c->positive + strlen(c->positive), value) == DECIMAL_OK;
}

int sparse_validate(const void *cfg, struct leat_diag *d)
{
    const struct sparse_cfg *c = cfg;
    double value;
    if (!c->positive) return LEAT_OK;
    if (c->label == SPARSE_RAW)
        d->error(d, "positive", "has no effect with label = \"raw\": leave out one of the two");
    if (!read_positive(c, &value))
        d->error(d, "positive",
                 "'%s' is not a number: give the label as it is in the data, such as \"2\"",
                 c->positive);
    return LEAT_OK;
}

int sparse_open(struct leat_ctx *ctx, void *self)
{
    struct sparse *st = self;
    const struct sparse_cfg *c = ctx->cfg;
    st->has_positive = c->positive && read_positive(c, &st->positive);
    return LEAT_OK;
}

void sparse_negotiate(struct leat_negotiation *n, uint32_t bytes, bool names)
{
    n->out->has |= LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL;
    n->add_bounds(n, &(struct leat_bounds){.examples_per_record = 1,
                                           .entries_per_256_bytes = (256 + bytes - 1) / bytes});
    if (names) n->out->has |= LEAT_HAS_NAMES;
}

bool sparse_take_label(struct leat_ctx *ctx, const struct sparse *st, struct leat_batch *b,
                       uint32_t r, double label)
{
    if (((const struct sparse_cfg *)ctx->cfg)->label == SPARSE_RAW) {
        b->label[r] = (float)label;
    } else if (st->has_positive) {
        b->label[r] = label == st->positive ? 1.0f : -1.0f;
    } else if (label == 1 || label == 0 || label == -1) {
        b->label[r] = label > 0 ? 1.0f : -1.0f;
    } else {
        ctx->host->reject(
            ctx, b, r, LEAT_R_LABEL,
            "label %.9g is not -1, 0 or +1: set positive = \"%.9g\" (or another label) "
            "for two classes, or label = \"raw\" for ratings and regression",
            label, label);
        return false;
    }
    return true;
}

/* ---- names ---- */

struct sparse_names sparse_names_begin(struct leat_batch *b)
{
    return (struct sparse_names){.b = b, .named = b->n_entries, .parts = b->n_parts};
}

/* Marks the entries before `end` as unnamed. Their ids are then shown. */
static void leave_unnamed(struct sparse_names *n, uint32_t end)
{
    if (end > n->named) memset(&n->b->name[n->named], 0, (end - n->named) * sizeof *n->b->name);
    n->named = end;
}

void sparse_name(struct sparse_names *n, size_t entry, struct leat_str text)
{
    uint32_t i = n->b->n_entries + (uint32_t)entry;
    uint32_t part = leat_add_part(n->b, LEAT_NO_FIELD, text);
    leave_unnamed(n, i);
    n->b->name[i] = (struct leat_name){{part}};
    n->named = i + 1;
    n->full |= part == 0;
}

void sparse_names_undo(const struct sparse_names *n) { n->b->n_parts = n->parts; }

/* ---- records ---- */

void sparse_add_example(struct leat_ctx *ctx, struct sparse_names *names, uint32_t r, size_t n)
{
    struct leat_batch *b = names->b;
    if (names->full || leat_add_example(b, r) < 0) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "the batch has no room for more %s",
                          names->full ? "feature names" : "examples");
        sparse_names_undo(names);
        return;
    }
    if (b->name) leave_unnamed(names, b->n_entries + (uint32_t)n);
    b->n_entries += (uint32_t)n;
    b->ex_start[b->n_examples] = b->n_entries;
}

void sparse_reject(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r,
                   const struct sparse_complaint *c, const char *at, size_t len)
{
    size_t column = (size_t)(at - leat_text(b, b->raw[r])) + 1;
    ctx->host->reject(ctx, b, r, c->reason, "%s%.*s%s%s, at byte %zu", c->before,
                      (int)(len < SHOWN ? len : SHOWN), at, len > SHOWN ? "…" : "", c->after,
                      column);
}
