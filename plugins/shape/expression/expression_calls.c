/* expression_calls.c -- see expression_calls.h. */
#include "expression_calls.h"

#include <stdio.h>
#include <string.h>

#include "expression_exact.h"
#include "expression_parse.h"
#include "expression_types.h"
#include "core/report/text_out.h"

/* What operand number i of f is: a letter of f->takes; 0: it takes no more. */
static char operand(const struct expression_function *f, uint32_t i)
{
    const char *t = f->takes;
    for (;; t++) {
        if (*t == '[') continue;
        if (!*t || !i) return *t;
        if (t[1] == '+') return *t;
        i--;
    }
}

static uint32_t fewest(const struct expression_function *f)
{
    return (uint32_t)strcspn(f->takes, "[+");
}

/* The edges of bucket: ascending constants, each with the label of what is below it. */
static void add_bucket(struct parser *p, double edge, double before, bool first, uint32_t at)
{
    char text[3 * TEXT_NUMBER];
    size_t n = 0;
    if (!first && !(edge > before)) build_fail(&p->b, at, "the edges of bucket must ascend");
    if (first)
        text[n++] = '<';
    else {
        n = text_format_double(text, before);
        memcpy(text + n, "..", 2);
        n += 2;
    }
    n += text_format_double(text + n, edge);
    build_constant(&p->b, (struct literal){edge, LEAT_NO_INT64, false}, text, n, at);
}

static uint32_t parse_edges(struct parser *p, uint32_t *n)
{
    uint32_t first = p->b.e->n_constants, at;
    double edge = 0, before = 0;
    char text[2 + TEXT_NUMBER] = ">=";
    do {
        at = p->word.at;
        struct literal x = words_number(p);
        if (x.is_rounded) exact_fail(&p->b, at);
        edge = x.number;
        add_bucket(p, edge, before, p->b.e->n_constants == first, at);
        before = edge;
    } while (words_take(p, ","));
    build_constant(&p->b, (struct literal){(double)INFINITY, LEAT_NO_INT64, false}, text,
                   2 + text_format_double(text + 2, edge), at);
    *n = p->b.e->n_constants - first;
    return first;
}

static void fail_count(struct parser *p, const struct expression_function *f, uint32_t at)
{
    build_fail(&p->b, at, "%s has too %s values: write %s", f->name,
               word_is(&p->word, ",") ? "many" : "few", f->usage);
}

/* Those that are no constants. Returns how many there are. */
static uint32_t parse_operands(struct parser *p, const struct expression_function *f)
{
    uint32_t n = 0;
    if (word_is(&p->word, ")")) return 0;
    do {
        parse_or(p);
        if (p->b.failed) return n;
        if (operand(f, n) == 'i' && build_below(&p->b, 0)->type != EXPRESSION_INTEGERS)
            types_want(&p->b, 0, EXPRESSION_NUMBERS, f->name);
        else if (operand(f, n) != 'a' && operand(f, n) != 'i')
            types_want(&p->b, 0, types_given(operand(f, n), EXPRESSION_ANY), f->name);
        n++;
    } while (operand(f, n) && operand(f, n) != 'N' && words_take(p, ","));
    return n;
}

static void parse_call(struct parser *p, const struct expression_function *f, uint32_t at)
{
    uint32_t first = 0, constants = 0, alike = 0, n = parse_operands(p, f);
    bool edges = n && operand(f, n) == 'N' && words_take(p, ",");
    if (edges) first = parse_edges(p, &constants);
    if (n + edges < fewest(f) || word_is(&p->word, ",")) fail_count(p, f, at);
    words_need(p, ")");
    for (uint32_t i = 0; i < n; i++)
        alike += operand(f, i) == 'a' || operand(f, i) == 'i';
    if (!p->b.failed) types_join_integers(&p->b, alike, f->name);
    enum expression_type type = alike ? types_same(&p->b, alike, f->name) : EXPRESSION_NUMBERS;
    build_call(&p->b, f, n, type, first, constants, at);
}

/* number(x) and text(x), of what may be one already. */
static void parse_conversion(struct parser *p, const struct expression_function *f, uint32_t at)
{
    parse_or(p);
    words_need(p, ")");
    if (p->b.failed) return;
    struct value *v = build_below(&p->b, 0);
    enum expression_type to = types_given(f->gives, EXPRESSION_ANY);
    if (to == EXPRESSION_TEXTS) types_want(&p->b, 0, to, f->name);
    if (v->type == EXPRESSION_TEXTS && to == EXPRESSION_NUMBERS) build_call_plain(&p->b, f, 1, at);
    if (v->type != EXPRESSION_ANY && v->type != EXPRESSION_INTEGERS) v->type = to;
    v->is_made = true;
}

void calls_parse(struct parser *p, const struct word *name)
{
    char text[BUILD_NAME_BYTES], names[BUILD_NAME_BYTES];
    const struct expression_function *f = function_find(name->text, name->len);
    snprintf(text, sizeof text, "%.*s", (int)name->len, name->text);
    const char *near = f ? NULL : function_near(text);
    if (!f && near)
        build_fail(&p->b, name->at, "there is no function '%s': did you mean '%s'?", text, near);
    if (!f)
        build_fail(&p->b, name->at, "there is no function '%s' (functions: %s)", text,
                   function_names(names, sizeof names));
    if (p->b.failed) return;
    words_advance(p);
    if (f->run == run_number || f->run == run_to_text)
        parse_conversion(p, f, name->at);
    else
        parse_call(p, f, name->at);
}
