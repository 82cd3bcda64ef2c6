/* fit_made.c -- implementation of fit_made.h. */
#include "fit_made.h"

#include <stdlib.h>
#include <string.h>

/* Schema that is being written. */
struct fit_making {
    const struct fit_language *language;
    const struct fit_column *column;
    uint32_t n;
    bool *done; /* the column has its field */
    FILE *to;
    struct fit_faults *faults;
};

/* Writes the fields of the columns whose names begin with those n bytes of column `first`. record:
 * the name of their record. */
static void fit_make_fields(struct fit_making *m, uint32_t first, size_t n, const char *record);

static void fit_begin_record(const struct fit_making *m, const char *record)
{
    const struct fit_around *around = &m->language->record;
    fprintf(m->to, "%s%s%s", around->before, record, around->behind);
}

/* Writes the record whose name is the part [begin, end) of the name of column i. */
static void fit_make_record(struct fit_making *m, uint32_t i, size_t begin, size_t end,
                            const char *record)
{
    size_t cap = strlen(record) + end - begin + 2;
    char *inner = malloc(cap);
    if (!inner) {
        fit_no_memory(m->faults);
        m->done[i] = true;
        return;
    }
    snprintf(inner, cap, "%s.%.*s", record, (int)(end - begin), m->column[i].name + begin);
    fit_begin_record(m, inner);
    fit_make_fields(m, i, end + 1, inner);
    fputs(m->language->record_end, m->to);
    free(inner);
}

/* Returns the bytes of the name of the next field in the rest of a column's name; 0 if it cannot
 * be one. */
static size_t fit_name_length(const struct fit_language *l, const char *rest)
{
    for (const char *p = rest;; p++) {
        size_t n = strcspn(p, ".");
        if (!l->is_name(p, n)) return l->demands ? 0 : strlen(rest);
        if (l->demands || !p[n]) return strcspn(rest, ".");
        p += n;
    }
}

static void fit_make_field(struct fit_making *m, uint32_t i, size_t begin, const char *record)
{
    const struct fit_language *l = m->language;
    const char *name = m->column[i].name + begin, *shown = fit_column_shown(&m->column[i]);
    size_t n = fit_name_length(l, name);
    if (!n) {
        fit_fault(m->faults,
                  "column '%.200s' cannot be a field, because %s: write \"NAME=%.200s\" in "
                  "`columns`",
                  shown, l->demands ? l->demands : "it has no name", shown);
        m->done[i] = true;
        return;
    }
    fputs(l->field.before, m->to);
    l->write(m->to, name, n);
    fputs(l->field.behind, m->to);
    if (name[n])
        fit_make_record(m, i, begin, begin + n, record);
    else {
        fprintf(m->to, "%s%s%s", l->value.before, l->type[m->column[i].kind], l->value.behind);
        m->done[i] = true;
    }
    fputs(l->field_end, m->to);
}

static void fit_make_fields(struct fit_making *m, uint32_t first, size_t n, const char *record)
{
    const char *between = "";
    for (uint32_t i = first; i < m->n; i++) {
        if (m->done[i] || strncmp(m->column[i].name, m->column[first].name, n) != 0) continue;
        fputs(between, m->to);
        fit_make_field(m, i, n, record);
        between = ",";
    }
}

char *fit_schema_made(const struct fit_language *language, const struct fit_column *column,
                      uint32_t n, const char *name, struct fit_faults *faults)
{
    char *text = NULL;
    size_t bytes;
    struct fit_making m = {.language = language, .column = column, .n = n, .faults = faults};
    uint32_t before = faults->n;
    m.done = calloc(n + 1, sizeof *m.done);
    m.to = m.done ? open_memstream(&text, &bytes) : NULL;
    if (m.to) {
        fit_begin_record(&m, name);
        fit_make_fields(&m, 0, 0, name);
        fputs(language->record_end, m.to);
    }
    if (!m.to || fclose(m.to)) fit_no_memory(faults);
    free(m.done);
    if (faults->n == before) return text;
    free(text);
    return NULL;
}
