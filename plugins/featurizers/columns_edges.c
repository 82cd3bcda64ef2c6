/* columns_edges.c -- implementation of columns_edges.h. */
#include "columns_edges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text/number_text.h"
#include "kernels/base/feature_id.h"
#include "kernels/text/decimal.h"

static const char form[] = "is wrong: write a column and ascending numbers, such as humid=60 70 80";

/* Reads the number of `len` bytes at `word`. Returns false if it is no finite number. */
static bool columns_edges_number(const char *word, size_t len, double *x)
{
    return decimal_whole(word, word + len, x) == DECIMAL_OK && isfinite(*x);
}

struct exact_number columns_exact_number(const struct grouped *as, const char *p, const char *end,
                                         double x)
{
    int64_t whole;
    bool is_whole = columns_is_large(x) && number_text_int64_as(as, p, end, &whole) > 0;
    return is_whole ? exact_integer(whole) : exact_double(x);
}

const char *columns_edges_read(const char *text, struct columns_edges *e)
{
    const struct grouped plain = {0};
    const char *sign = strrchr(text, '=');
    *e = (struct columns_edges){.text = text};
    if (!sign || sign == text) return form;
    e->n_name = (uint32_t)(sign - text);
    if (strlen(text) + 4 >= COLUMNS_EDGES_NAME) return "is too long: write at most 500 bytes";
    for (const char *word = sign + 1 + strspn(sign + 1, " "); *word;) {
        size_t len = strcspn(word, " ");
        if (e->n == COLUMNS_EDGES) return "has more than 64 numbers: leave out some";
        if (!columns_edges_number(word, len, &e->at[e->n])) return form;
        e->exact[e->n] = columns_exact_number(&plain, word, word + len, e->at[e->n]);
        if (e->n && exact_order(e->exact[e->n], e->exact[e->n - 1]) != 1) return form;
        e->from[e->n] = (uint16_t)(word - text);
        e->len[e->n++] = (uint16_t)len;
        word += len + strspn(word + len, " ");
    }
    return e->n ? NULL : form;
}

uint32_t columns_edges_count(const char *text)
{
    struct columns_edges e;
    return columns_edges_read(text, &e) ? 0 : e.n;
}

const char *columns_edges_feature(const struct columns_edges *e, uint32_t i, bool above,
                                  char name[COLUMNS_EDGES_NAME])
{
    snprintf(name, COLUMNS_EDGES_NAME, "%.*s %s %.*s", (int)e->n_name, e->text, above ? ">=" : "<",
             (int)e->len[i], e->text + e->from[i]);
    return name;
}

bool columns_edges_crossed(uint32_t i, uint32_t n, uint32_t crossed)
{
    if (crossed >= n) return true;
    for (uint32_t k = 0; k < crossed; k++)
        if (i == (2 * k + 1) * n / (2 * crossed)) return true;
    return false;
}

struct columns_feature columns_feature_of(const char *name, uint32_t joint, uint32_t field)
{
    return (struct columns_feature){feature_id_name(name, strlen(name)), joint, field};
}

/* Returns the feature of a side of edge i. */
static struct columns_feature columns_ladder_side(const struct columns_edges *e, uint32_t i,
                                                  bool above, const struct columns_feature *first)
{
    char name[COLUMNS_EDGES_NAME];
    return columns_feature_of(columns_edges_feature(e, i, above, name),
                              first->joint + (above ? LEAT_ABOVE : LEAT_BELOW),
                              first->field + 2 * i + above);
}

void columns_ladder_open(struct columns_ladder *l, const char *text,
                         const struct columns_feature *first, uint32_t crossed, bool rungs)
{
    struct columns_edges e;
    columns_edges_read(text, &e);
    l->n = e.n;
    for (uint32_t i = 0; i < COLUMNS_EDGES; i++)
        l->at[i] = i < e.n ? e.at[i] : (double)INFINITY;
    for (uint32_t i = 0; i < e.n; i++) {
        const struct columns_edge edge = {.step = i + 1,
                                          .crossed = columns_edges_crossed(i, e.n, crossed),
                                          .side = {columns_ladder_side(&e, i, false, first),
                                                   columns_ladder_side(&e, i, true, first)}};
        l->crossed |= edge.crossed;
        l->exact[i] = e.exact[i];
        l->large |= columns_is_large(e.at[i]);
        if (!rungs) l->own[l->n_own++] = edge;
        if (!i) l->rung[0] = edge.side[0];
        l->rung[i + 1] = edge.side[1];
    }
}

uint32_t columns_ladder_exact_step(const struct columns_ladder *l, struct exact_number x)
{
    uint32_t step = 0;
    while (step < l->n && exact_order(x, l->exact[step]) >= 0) /* x is no NaN */
        step++;
    return step;
}
