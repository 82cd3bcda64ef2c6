/* frame.h -- what is to be seen, before it is: lines of text in styles, no wider than the terminal.
 *
 *     row 0   |span|span      |span|
 *     row 1   |span        |
 *
 * Text of any origin may be put: what could act on a terminal is shown, not done. Without memory
 * the process ends (memory.h). One thread at a time. */
#ifndef LEAT_PROGRAM_CLI_TOP_FRAME_H
#define LEAT_PROGRAM_CLI_TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "host/memory/arena.h"

enum frame_style {
    FRAME_PLAIN,
    FRAME_STRONG,
    FRAME_FAINT,
    FRAME_HEADING,
    FRAME_POSITIVE,
    FRAME_NEGATIVE,
    FRAME_WARNING,
    FRAME_STYLES
};

struct frame_span {
    size_t row, column, n; /* n bytes of UTF-8 */
    const char *text;
    enum frame_style style;
};

struct frame {
    struct arena arena;
    size_t columns, rows; /* how much there is room for */
    size_t row, column;   /* where the next text goes   */
    struct frame_span *span;
    size_t n, cap;
};

void frame_begin(struct frame *f, size_t columns, size_t rows);
void frame_free(struct frame *f);

/* Rows that are left, that of the next text included. */
size_t frame_left(const struct frame *f);
/* At most `width` columns of the text, and what the line has left: the middle of a longer one is
 * left out. */
void frame_name(struct frame *f, enum frame_style style, const char *text, size_t width);
void frame_put(struct frame *f, enum frame_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, ending at that column. */
void frame_right(struct frame *f, enum frame_style style, size_t column, const char *text);
/* Goes to that column, if the line is not there yet. */
void frame_to(struct frame *f, size_t column);
/* Characters that fill length (from 0 to width) columns, to an eighth. */
void frame_bar(struct frame *f, enum frame_style style, double length, size_t width);
void frame_line(struct frame *f);

/* As lines of text. */
void frame_print(const struct frame *f, FILE *out);

#endif
