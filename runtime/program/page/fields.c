/* fields.c -- implementation of fields.h: numbers, texts and times of a summary. */
#include "fields.h"

#include <string.h>

#include "core/report/byte_size.h"

const json_t *field(const json_t *o, const char *key) { return json_object_get(o, key); }

double field_number(const json_t *o, const char *key)
{
    const json_t *v = field(o, key);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *field_text(const json_t *o, const char *key)
{
    const char *text = json_string_value(field(o, key));
    return text ? text : "";
}

struct report_value field_value(const json_t *o, const char *key, enum report_type type)
{
    const json_t *v = field(o, key);
    bool number = json_is_number(v);
    if (type == REPORT_WORD || type == REPORT_NAME)
        return json_is_string(v) ? report_text(json_string_value(v), json_string_length(v))
                                 : report_text(NULL, 0);
    if (type == REPORT_FLAG) return report_count(json_is_true(v));
    double x = number ? json_number_value(v) : (double)NAN;
    if (type == REPORT_COUNT) return report_count(x >= 0 && x < 1.8e19 ? (uint64_t)x : 0);
    return report_number(x);
}

static struct report_value field_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct field_list *l = of;
    const struct report_column *c = &l->list.column[column];
    return field_value(json_array_get(l->rows, row), c->name, c->type);
}

void field_list_make(struct field_list *l, const json_t *rows, const struct report_column *column,
                     uint32_t n_columns)
{
    *l = (struct field_list){.rows = rows};
    l->list = (struct report_list){.column = column,
                                   .n_columns = n_columns,
                                   .n_rows = (uint32_t)json_array_size(rows),
                                   .cell = field_cell,
                                   .of = l};
}

const char *field_count(double n, struct arena *a)
{
    char text[32];
    if (!(n >= 0 && n < 1e18)) return "-";
    return arena_strndup(a, text, text_format_grouped(text, (uint64_t)n));
}

const char *field_counted(double n, const char *what, struct arena *a)
{
    return arena_printf(a, "%s %s%s", field_count(n, a), what, n == 1 ? "" : "s");
}

const char *field_bytes(double n, struct arena *a)
{
    char text[BYTE_SIZE_TEXT];
    return n >= 0 && n < 1e18 ? arena_strdup(a, byte_size((uint64_t)n, text)) : "-";
}

const char *field_span(double seconds, struct arena *a)
{
    if (!(seconds >= 0 && seconds < 1e9)) return "-";
    int s = (int)seconds, minutes = s / 60, hours = minutes / 60;
    if (s < 60) return arena_printf(a, "%d s", s);
    if (minutes < 60) return arena_printf(a, "%d min %02d s", minutes, s % 60);
    if (hours < 48) return arena_printf(a, "%d h %02d min", hours, minutes % 60);
    return arena_printf(a, "%d d %02d h", hours / 24, hours % 24);
}

const char *field_moment(const char *iso, struct arena *a)
{
    enum { DATE = sizeof "2026-11-23" - 1, SECOND = sizeof "2026-11-23T10:00:00" - 1 };
    if (strlen(iso) < SECOND || iso[DATE] != 'T') return iso;
    return arena_printf(a, "%.*s %.*s UTC", DATE, iso, SECOND - DATE - 1, iso + DATE + 1);
}
