/* libffm.c -- see libffm.h for the grammar. Not here: what a label means (the stage decides). */
#include "libffm.h"

#include "decimal.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool is_boundary(const char *p, const char *end) { return p == end || is_blank(*p); }

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* The word at p, or what is left of it, is wrong. */
static enum libffm_status wrong(struct libffm_row *row, enum libffm_status status, const char *p,
                                const char *end)
{
    row->at = p;
    while (!is_boundary(p, end))
        p++;
    row->at_len = (size_t)(p - row->at);
    return status;
}

/* Digits and ":" at p. Returns what follows; NULL: something else is there. */
static inline const char *number_colon(const char *p, const char *end, uint64_t *n)
{
    const char *q = decimal_u64(p, end, n);
    return q && q < end && *q == ':' ? q + 1 : NULL;
}

/* The entry at *p; *p moves behind it. */
static inline enum libffm_status entry(const char **p, const char *end, struct libffm_row *row)
{
    uint64_t field, index;
    float value;
    const char *begin = *p, *second = number_colon(begin, end, &field);
    if (!second) return wrong(row, LIBFFM_FIELD, begin, end);
    const char *third = number_colon(second, end, &index);
    if (!third) return wrong(row, LIBFFM_INDEX, second, end);
    enum decimal_status status = decimal_parse_float(third, end, &value, p);
    if (status == DECIMAL_NONE || !is_boundary(*p, end))
        return wrong(row, LIBFFM_VALUE, third, end);
    if (status != DECIMAL_OK) return wrong(row, LIBFFM_VALUE_NONFINITE, third, end);
    if (row->n == row->cap) return wrong(row, LIBFFM_FULL, begin, end);
    row->id[row->n] = libffm_id(field, index);
    row->value[row->n] = value;
    if (row->name) row->name(row->self, row->n, begin, (size_t)(third - 1 - begin));
    row->n++;
    return LIBFFM_OK;
}

static enum libffm_status label(const char **p, const char *end, struct libffm_row *row)
{
    const char *begin = *p;
    enum decimal_status status = decimal_parse(begin, end, &row->label, p);
    if (status == DECIMAL_NONE || !is_boundary(*p, end))
        return wrong(row, LIBFFM_LABEL, begin, end);
    if (status == DECIMAL_NONFINITE || fabs(row->label) >= DECIMAL_FLOAT_END)
        return wrong(row, LIBFFM_LABEL_NONFINITE, begin, end);
    return LIBFFM_OK;
}

enum libffm_status libffm_parse(const char *p, const char *end, struct libffm_row *row)
{
    row->n = 0;
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    p = skip_blanks(p, end);
    if (p == end) return LIBFFM_NOTHING;
    enum libffm_status status = label(&p, end, row);
    for (p = skip_blanks(p, end); status == LIBFFM_OK && p < end; p = skip_blanks(p, end))
        status = entry(&p, end, row);
    return status;
}
