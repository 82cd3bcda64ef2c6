/* frame.c -- see frame.h. */
#include "frame.h"

#include <stdarg.h>
#include <string.h>

#include "core/report/text_out.h"

static int frame_append(void *to, const char *bytes, size_t n)
{
    struct frame *f = to;
    while (f->n + n > f->cap)
        f->text = arena_grow(&f->arena, f->text, f->n, &f->cap, 1);
    memcpy(f->text + f->n, bytes, n);
    f->n += n;
    return 0;
}

static void frame_sequence(struct frame *f, const char *text)
{
    if (f->kind != FRAME_TEXT) frame_append(f, text, strlen(text));
}

void frame_begin(struct frame *f, enum frame_kind kind, size_t columns, size_t rows)
{
    *f = (struct frame){.kind = kind, .columns = columns, .rows = rows};
    frame_sequence(f, "\x1b[H\x1b[K");
}

void frame_free(struct frame *f) { arena_free(&f->arena); }

size_t frame_left(const struct frame *f) { return f->row < f->rows ? f->rows - f->row : 0; }

static void frame_set(struct frame *f, enum frame_style style)
{
    static const char *const set[2][FRAME_STYLES] = {
        {"", "\x1b[1m", "\x1b[2m", "\x1b[4m", "", "", "\x1b[1m"},
        {"", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[32m", "\x1b[31m", "\x1b[1;33m"}};
    frame_sequence(f, set[f->kind == FRAME_COLOURS][style]);
}

/* Goes to where the next text goes: over the rows between, and blanks. */
static void frame_reach(struct frame *f)
{
    for (; f->line < f->row; f->line++) {
        frame_append(f, "\n", 1);
        frame_sequence(f, "\x1b[K");
        f->written = 0;
    }
    for (; f->written < f->column; f->written++)
        frame_append(f, " ", 1);
}

void frame_name(struct frame *f, enum frame_style style, const char *text, size_t width)
{
    char buf[256];
    struct text_out out = {.buf = buf, .cap = sizeof buf, .drain = frame_append, .to = f};
    size_t left = f->column < f->columns ? f->columns - f->column : 0;
    if (width > left) width = left;
    if (!width || !*text || !frame_left(f)) return;
    frame_reach(f);
    frame_set(f, style);
    size_t from = f->n;
    text_shown(&out, text, strlen(text), width);
    text_flush(&out);
    f->written = f->column += text_width(f->text + from, f->n - from);
    if (style != FRAME_PLAIN) frame_sequence(f, "\x1b[m");
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
    text[3 * n] = 0;
    frame_name(f, style, text, n);
}

void frame_line(struct frame *f)
{
    f->row++;
    f->column = 0;
}

void frame_end(struct frame *f)
{
    if (f->n && f->kind == FRAME_TEXT) frame_append(f, "\n", 1);
}
