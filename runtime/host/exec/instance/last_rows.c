/* last_rows.c -- see last_rows.h. */
#include "last_rows.h"

#include <string.h>

#include "host/flow/convert.h"

struct last_rows *last_rows_new(const struct node *sink, struct arena *a)
{
    const struct leat_schema *in = &sink->schema_in;
    if (sink->stage->kind != LEAT_SINK || sink->asked || !in->derived || !in->n_columns)
        return NULL;
    struct last_rows *l = arena_alloc(a, sizeof *l);
    l->n_columns = in->n_columns < LAST_COLUMNS ? in->n_columns : LAST_COLUMNS;
    return l;
}

/* No character is cut in its middle. */
static uint8_t kept_bytes(const char *text, size_t n)
{
    if (n <= LAST_TEXT) return (uint8_t)n;
    n = LAST_TEXT;
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return (uint8_t)n;
}

static void take_cell(struct last_cell *to, const struct leat_batch *b, uint32_t column,
                      uint32_t type, uint32_t r)
{
    char out[CONVERT_TEXT];
    size_t n = 0;
    const char *text = convert_cell(b, column, type, r, out, &n);
    to->has = text != NULL;
    to->len = text ? kept_bytes(text, n) : 0;
    to->cut = to->len < n;
    if (text) memcpy(to->text, text, to->len);
}

void last_rows_take(struct last_rows *l, const struct leat_schema *in, const struct leat_batch *b)
{
    uint32_t first = b->n_sel > LAST_ROWS ? b->n_sel - LAST_ROWS : 0;
    l->n += first;
    for (uint32_t k = first; k < b->n_sel; k++, l->n++)
        for (uint32_t c = 0; c < l->n_columns; c++)
            take_cell(&l->cell[l->n % LAST_ROWS][c], b, c, in->column[c].type, b->sel[k]);
}
