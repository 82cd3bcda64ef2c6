/* frame.h -- what is to be seen, before it is: lines of text in styles, no wider than the terminal.
 *
 * Text of any origin may be put: what could act on a terminal is shown, not done. Without memory
 * the process ends (memory.h). One thread at a time. */
#ifndef LEAT_PROGRAM_CLI_TOP_FRAME_H
#define LEAT_PROGRAM_CLI_TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

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

/* TEXT: no styles. SCREEN: with the sequences that a terminal draws styles by and clears its
 * lines. */
enum frame_kind { FRAME_TEXT, FRAME_SCREEN, FRAME_COLOURS };

struct frame {
    struct arena arena;   /* also of the texts that are put */
    size_t columns, rows; /* how much there is room for     */
    enum frame_kind kind;
    size_t row, column;   /* where the next text goes      */
    size_t line, written; /* where the text so far ends    */
    char *text;
    size_t n, cap;
};

void frame_begin(struct frame *f, enum frame_kind kind, size_t columns, size_t rows);
void frame_free(struct frame *f);

/* Returns the rows that are left, that of the next text included. */
size_t frame_left(const struct frame *f);
/* Puts at most `width` columns of the text, and no more than the line has left. A longer text loses
 * its middle. */
void frame_name(struct frame *f, enum frame_style style, const char *text, size_t width);
void frame_put(struct frame *f, enum frame_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts a text that ends at that column. */
void frame_right(struct frame *f, enum frame_style style, size_t column, const char *text);
/* Goes to that column, if the line is not there yet. */
void frame_to(struct frame *f, size_t column);
/* Puts blocks that fill length (from 0 to width) columns, to an eighth. */
void frame_bar(struct frame *f, enum frame_style style, double length, size_t width);
void frame_line(struct frame *f);
/* Ends the last line of a text. A line end on the last row of a screen would move all rows up. */
void frame_end(struct frame *f);

#endif
