/* expression_exact_run.c -- texts as numbers, of which those that a double may not have are
 * integers: cells of the type EXACT (expression.h). */
#include "expression_inside.h"

#include "core/text/number_text.h"

void run_to_exact(const struct call *c, union leat_cells *arg)
{
    const struct grouped form = form_of_arg(c->step->arg);
    struct leat_str text[EXPRESSION_BLOCK];
    uint16_t *mark = expression_marks(arg[0]);
    for (uint32_t i = 0; i < c->n; i++)
        text[i] = arg[0].text[i];
    run_to_number(c, arg);
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t whole;
        mark[i] = 0;
        if (!(fabs(arg[0].number[i]) >= EXPRESSION_WHOLE)) continue;
        const char *s = leat_text(c->b, text[i]);
        mark[i] = number_text_int64_as(&form, s, s + text[i].len, &whole) > 0;
        if (mark[i]) arg[0].int64[i] = whole;
    }
}
