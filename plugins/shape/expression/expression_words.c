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

double words_number(struct parser *p, int64_t *integer)
{
    bool minus = words_take(p, "-");
    double x = p->word.number;
    *integer = minus && p->word.integer != LEAT_NO_INT64 ? -p->word.integer : p->word.integer;
    if (p->word.kind != LEX_NUMBER) {
        build_fail(&p->b, p->word.at, "a number must stand here, such as 1000 or 1e6");
        return 0;
    }
    words_advance(p);
    return minus ? -x : x;
}
