/* line_out.h -- makes lines of text, and returns them to the caller of a decoder. */
#ifndef LEAT_COMMON_INPUTS_LINE_OUT_H
#define LEAT_COMMON_INPUTS_LINE_OUT_H

#include "core/report/text_out.h"
#include "grown.h"

enum { LINE_OUT_PIECE = 4096 };

struct line_out {
    struct grown text; /* lines that are not returned yet */
    size_t limit;      /* most bytes of text */
    bool is_long;      /* the line has more bytes than `limit` */
    struct text_out out;
    char part[LINE_OUT_PIECE];
};

void line_out_init(struct line_out *l, size_t limit);
void line_out_free(struct line_out *l);
/* Begins a line, which is then written to l->out. */
void line_out_begin(struct line_out *l);
/* Ends the line. Returns false if it is too long, or there is no memory. */
bool line_out_end(struct line_out *l);
/* Drops the text that is not returned yet. */
void line_out_drop(struct line_out *l);
/* True if there is text to return. */
static inline bool line_out_has(const struct line_out *l) { return l->text.n > 0; }
/* Returns as much of the text as fits. */
enum outcome line_out_return(struct line_out *l, struct decoder_step *s);

#endif
