/* line_out.c -- implementation of line_out.h. */
#include "line_out.h"

#include <stdlib.h>
#include <string.h>

static int line_out_add(void *to, const char *bytes, size_t n)
{
    struct line_out *l = to;
    if (!grown_room(&l->text, n, l->limit)) return l->is_long = true;
    memcpy(l->text.v + l->text.n, bytes, n);
    l->text.n += n;
    return 0;
}

void line_out_init(struct line_out *l, size_t limit)
{
    l->limit = limit;
    l->out =
        (struct text_out){.buf = l->part, .cap = sizeof l->part, .drain = line_out_add, .to = l};
}

void line_out_free(struct line_out *l) { free(l->text.v); }

void line_out_begin(struct line_out *l)
{
    l->is_long = false;
    l->out.n = 0;
    l->out.failed = 0;
}

bool line_out_end(struct line_out *l)
{
    text_char(&l->out, '\n');
    return !text_flush(&l->out);
}

void line_out_drop(struct line_out *l) { l->text.n = l->text.at = 0; }

enum outcome line_out_return(struct line_out *l, struct decoder_step *s)
{
    size_t rest = grown_rest(&l->text), n = rest < s->n_out ? rest : s->n_out;
    memcpy(s->out, l->text.v + l->text.at, n);
    l->text.at += n;
    if (l->text.at == l->text.n) line_out_drop(l);
    step_advance(s, 0, n);
    return ON;
}
