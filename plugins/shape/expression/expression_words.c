/* expression_words.c -- see expression_words.h. */
#include "expression_words.h"

void words_advance(struct parser *p)
{
    p->word = lexer_next(p->text, &p->next);
    if (p->word.kind == LEX_UNENDED)
        build_fail(&p->b, p->word.at, "the quote %c has no second one", p->word.text[-1]);
}

bool words_take(struct parser *p, const char *sign)
{
    if (p->b.failed || !word_is(&p->word, sign)) return false;
    words_advance(p);
    return true;
}

void words_need(struct parser *p, const char *sign)
{
    if (p->b.failed || words_take(p, sign)) return;
    if (p->word.kind == LEX_END)
        build_fail(&p->b, p->word.at, "the expression ends where '%s' is missing", sign);
    else
        build_fail(&p->b, p->word.at, "'%.*s' stands where '%s' is missing", (int)p->word.len,
                   p->word.text, sign);
}

struct literal words_number(struct parser *p)
{
    bool minus = words_take(p, "-");
    struct literal x = {p->word.number, p->word.integer, p->word.is_rounded};
    if (p->word.kind != LEX_NUMBER) {
        build_fail(&p->b, p->word.at, "a number must stand here, such as 1000 or 1e6");
        return (struct literal){0, LEAT_NO_INT64, false};
    }
    words_advance(p);
    if (minus) x.number = -x.number;
    if (minus && x.integer != LEAT_NO_INT64) x.integer = -x.integer;
    return x;
}
