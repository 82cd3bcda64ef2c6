/* product_named.c -- implementation of product.h: features that parameters name. */
#include "product.h"

#include <stdio.h>
#include <string.h>

#include "core/text/nearest.h"

enum { TEXT = 160, LIST = 400, SHOWN = 8 };

/* Parameter of each side, and name of the side. */
static const char *const product_named_param[2] = {"of_left", "of_right"},
                         *const product_named_where[2] = {"left", "right"};

uint32_t product_named(const struct growing *g, const char *name)
{
    size_t wanted = strlen(name), len;
    char digits[24];
    for (uint32_t f = 0; f < g->table.n; f++) {
        const char *is = growing_name(g, f, digits, &len);
        if (len == wanted && !memcmp(is, name, len)) return f;
    }
    return FEATURE_TABLE_NONE;
}

/* Names of a side for a message. They are the names of columns if features are named column=value,
 * otherwise tokens. */
struct product_named_shown {
    char list[SHOWN][TEXT];
    uint32_t n, more;
};

static void product_named_show(struct product_named_shown *s, const char *name, size_t len)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (strlen(s->list[i]) == len && !memcmp(s->list[i], name, len)) return;
    if (s->n == SHOWN)
        s->more++;
    else if (len < TEXT)
        snprintf(s->list[s->n++], TEXT, "%.*s", (int)len, name);
}

/* Lists the columns of a side. The list is empty if features have no columns. */
static void product_named_show_columns(struct product_named_shown *s, const struct growing *g)
{
    char digits[24];
    size_t len;
    for (uint32_t f = 0; f < g->table.n && !s->more; f++) {
        const char *name = growing_name(g, f, digits, &len), *is = memchr(name, '=', len);
        if (is) product_named_show(s, name, (size_t)(is - name));
    }
}

/* Writes the most similar feature name to `near`. Returns false if none is similar. */
static bool product_named_nearest_feature(const struct growing *g, const char *name,
                                          char near[TEXT])
{
    struct nearest n = nearest_to(name);
    char digits[24], text[TEXT];
    size_t len;
    bool found = false;
    for (uint32_t f = 0; f < g->table.n; f++) {
        const char *is = growing_name(g, f, digits, &len);
        if (len >= TEXT) continue;
        memcpy(text, is, len);
        text[len] = 0;
        n.best = NULL;
        nearest_try(&n, text);
        if (!n.best) continue;
        memcpy(near, text, len + 1);
        found = true;
    }
    return found;
}

/* Writes a suggestion to `near` if no feature of the side has the column in `name`: the same value
 * in the most similar column. If `name` is only a column, suggests a feature of the most similar
 * column. Returns false if no column is similar. */
static bool product_named_nearest_column(const struct product_named_shown *columns,
                                         const char *name, char near[TEXT])
{
    char column[TEXT];
    size_t len = strcspn(name, "=");
    if (len >= TEXT) return false;
    snprintf(column, TEXT, "%.*s", (int)len, name);
    struct nearest n = nearest_to(column);
    for (uint32_t i = 0; i < columns->n; i++) {
        nearest_try(&n, columns->list[i]);
        if (!n.distance && name[len]) return false;
    }
    return n.best && snprintf(near, TEXT, "%s%s", n.best, name[len] ? name + len : "=…") < TEXT;
}

/* Writes the columns in parentheses: (columns: office, payee). Without columns, writes the first
 * tokens: (features: cat, ran). */
static void product_named_write_list(const struct growing *g, struct product_named_shown *s,
                                     char out[LIST])
{
    bool columns = s->n;
    char digits[24];
    size_t len, at;
    for (uint32_t f = 0; !columns && f < g->table.n && !s->more; f++) {
        const char *name = growing_name(g, f, digits, &len);
        product_named_show(s, name, len);
    }
    at = (size_t)snprintf(out, LIST, columns ? " (columns: " : " (features: ");
    for (uint32_t i = 0; i < s->n && at < LIST; i++)
        at += (size_t)snprintf(out + at, LIST - at, "%s%s", i ? ", " : "", s->list[i]);
    if (at < LIST) snprintf(out + at, LIST - at, s->more ? ", …)" : ")");
}

static void product_named_tell_side(struct leat_ctx *ctx, const struct product_model *m, int side,
                                    const char *name)
{
    const struct growing *g = &m->side[side];
    struct product_named_shown shown = {.n = 0};
    char near[TEXT], list[LIST];
    if (product_named(&m->side[1 - side], name) != FEATURE_TABLE_NONE) {
        ctx->host->log(ctx, LEAT_WARN, "%s = '%s': this feature is on the %s side: set %s instead",
                       product_named_param[side], name, product_named_where[1 - side],
                       product_named_param[1 - side]);
        return;
    }
    product_named_show_columns(&shown, g);
    bool found = product_named_nearest_column(&shown, name, near) ||
                 product_named_nearest_feature(g, name, near);
    product_named_write_list(g, &shown, list);
    ctx->host->log(ctx, LEAT_WARN, "%s = '%s': no feature of the %s side has this name%s%s%s%s",
                   product_named_param[side], name, product_named_where[side],
                   found ? ": did you mean '" : "", found ? near : "", found ? "'?" : "", list);
}

bool product_named_tell(struct leat_ctx *ctx, const struct product_model *m,
                        const char *const name[2])
{
    bool told = false;
    for (int s = 0; s < 2; s++) {
        if (!name[s] || !m->side[s].table.n ||
            product_named(&m->side[s], name[s]) != FEATURE_TABLE_NONE)
            continue;
        product_named_tell_side(ctx, m, s, name[s]);
        told = true;
    }
    return told;
}
