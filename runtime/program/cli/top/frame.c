/* frame.c -- see frame.h. */
#include "frame.h"

#include <stdarg.h>
#include <string.h>

#include "core/report/text_out.h"

void frame_begin(struct frame *f, size_t columns, size_t rows)
{
    *f = (struct frame){.columns = columns, .rows = rows};
}

void frame_free(struct frame *f) { arena_free(&f->arena); }

size_t frame_left(const struct frame *f) { return f->row < f->rows ? f->rows - f->row : 0; }

/* The text has no more columns than the line has left. */
static void add(struct frame *f, enum frame_style style, const char *text, size_t n)
{
    if (!n || !frame_left(f)) return;
    if (f->n == f->cap) f->span = arena_grow(&f->arena, f->span, f->n, &f->cap, sizeof *f->span);
    f->span[f->n++] = (struct frame_span){f->row, f->column, n, text, style};
    f->column += text_width(text, n);
}

struct shown {
    struct arena *arena;
    char *text;
    size_t n;
};

static int keep(void *to, const char *bytes, size_t n)
{
    struct shown *s = to;
    char *grown = arena_alloc(s->arena, s->n + n + 1);
    if (s->n) memcpy(grown, s->text, s->n);
    memcpy(grown + s->n, bytes, n);
    s->text = grown;
    s->n += n;
    return 0;
}

void frame_name(struct frame *f, enum frame_style style, const char *text, size_t width)
{
    char buf[256];
    struct shown s = {.arena = &f->arena};
    struct text_out out = {.buf = buf, .cap = sizeof buf, .drain = keep, .to = &s};
    size_t left = f->column < f->columns ? f->columns - f->column : 0;
    if (width > left) width = left;
    if (!width || !frame_left(f)) return;
    text_shown(&out, text, strlen(text), width);
    text_flush(&out);
    add(f, style, s.text, s.n);
}

void frame_put(struct frame *f, enum frame_style style, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    frame_name(f, style, arena_vprintf(&f->arena, format, args), f->columns);
    va_end(args);
}

void frame_right(struct frame *f, enum frame_style style, size_t column, const char *text)
{
    size_t width = text_width(text, strlen(text));
    if (width < column) frame_to(f, column - width);
    frame_name(f, style, text, f->columns);
}

void frame_to(struct frame *f, size_t column)
{
    if (column > f->columns) column = f->columns;
    if (column > f->column) f->column = column;
}

void frame_bar(struct frame *f, enum frame_style style, double length, size_t width)
{
    static const char eighth[] = "\xe2\x96\x88"; /* a full block; \x89 to \x8f: 7/8 to 1/8 */
    if (!(length > 0)) return;
    size_t eighths = length < (double)width ? (size_t)(length * 8 + 0.5) : width * 8;
    if (!eighths) eighths = 1;
    size_t left = f->column < f->columns ? f->columns - f->column : 0;
    if (eighths > left * 8) eighths = left * 8;
    size_t n = (eighths + 7) / 8;
    char *text = arena_alloc(&f->arena, 3 * n + 1);
    for (size_t k = 0; k < n; k++)
        memcpy(text + 3 * k, eighth, 3);
    if (eighths % 8) text[3 * n - 1] = (char)((unsigned char)text[3 * n - 1] + 8 - eighths % 8);
    add(f, style, text, 3 * n);
}

void frame_line(struct frame *f)
{
    f->row++;
    f->column = 0;
}

void frame_print(const struct frame *f, FILE *out)
{
    size_t row = 0, column = 0;
    for (size_t k = 0; k < f->n; k++) {
        const struct frame_span *s = &f->span[k];
        for (; row < s->row; row++, column = 0)
            fputc('\n', out);
        fprintf(out, "%*s%.*s", (int)(s->column - column), "", (int)s->n, s->text);
        column = s->column + text_width(s->text, s->n);
    }
    if (f->n) fputc('\n', out);
}
