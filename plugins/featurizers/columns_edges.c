/* columns_edges.c -- implementation of columns_edges.h. */
#include "columns_edges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/text/decimal.h"

static const char form[] = "is wrong: write a column and ascending numbers, such as humid=60 70 80";

/* Reads the number of `len` bytes at `word`. Returns false if it is no finite number. */
static bool columns_edges_number(const char *word, size_t len, double *x)
{
    return decimal_whole(word, word + len, x) == DECIMAL_OK && isfinite(*x);
}

const char *columns_edges_read(const char *text, struct columns_edges *e)
{
    const char *sign = strrchr(text, '=');
    *e = (struct columns_edges){.text = text};
    if (!sign || sign == text) return form;
    e->n_name = (uint32_t)(sign - text);
    if (strlen(text) + 4 >= COLUMNS_EDGES_NAME) return "is too long: write at most 500 bytes";
    for (const char *word = sign + 1 + strspn(sign + 1, " "); *word;) {
        size_t len = strcspn(word, " ");
        if (e->n == COLUMNS_EDGES) return "has more than 64 numbers: leave out some";
        if (!columns_edges_number(word, len, &e->at[e->n])) return form;
        if (e->n && !(e->at[e->n] > e->at[e->n - 1])) return form;
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
