/* expression_calls.c -- reads words for the parser, and parses calls of functions.
 *
 * A function's `takes` says whether an operand is an expression or a constant. The edges of
 * bucket() are constants. */
#include "expression_parse.h"

#include <stdio.h>
#include <string.h>

#include "core/report/text_out.h"

/* ---- words ---- */

void words_advance(struct parser *p)
{
    p->word = lexer_next(p->text, &p->next);
    if (p->word.kind == LEX_UNENDED)
        build_fail(&p->b, p->word.at, "the quote %c is not closed", p->word.text[-1]);
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

/* ---- calls ---- */

/* Returns the letter for operand i in f->takes; 0 if f takes no more operands. */
static char calls_operand(const struct expression_function *f, uint32_t i)
{
    const char *t = f->takes;
    for (;; t++) {
        if (*t == '[') continue;
        if (!*t || !i) return *t;
        if (t[1] == '+') return *t;
        i--;
    }
}

static uint32_t calls_fewest(const struct expression_function *f)
{
    return (uint32_t)strcspn(f->takes, "[+");
}

/* Adds an edge of bucket(), and the label of the numbers from the previous edge `before` to it.
 * Edges are constants in ascending order. */
static void calls_add_bucket(struct parser *p, double edge, double before, bool first, uint32_t at)
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

static uint32_t calls_parse_edges(struct parser *p, uint32_t *n)
{
    uint32_t first = p->b.e->n_constants, at;
    double edge = 0, before = 0;
    char text[2 + TEXT_NUMBER] = ">=";
    do {
        at = p->word.at;
        struct literal x = words_number(p);
        if (x.is_rounded) exact_fail(&p->b, at);
        edge = x.number;
        calls_add_bucket(p, edge, before, p->b.e->n_constants == first, at);
        before = edge;
    } while (words_take(p, ","));
    build_constant(&p->b, (struct literal){(double)INFINITY, LEAT_NO_INT64, false}, text,
                   2 + text_format_double(text + 2, edge), at);
    *n = p->b.e->n_constants - first;
    return first;
}

static void calls_fail_count(struct parser *p, const struct expression_function *f, uint32_t at)
{
    build_fail(&p->b, at, "%s has too %s values: write %s", f->name,
               word_is(&p->word, ",") ? "many" : "few", f->usage);
}

/* Parses the operands that may be any expression. Returns their number. */
static uint32_t calls_parse_operands(struct parser *p, const struct expression_function *f)
{
    uint32_t n = 0;
    if (word_is(&p->word, ")")) return 0;
    do {
        parse_or(p);
        if (p->b.failed) return n;
        types_want_operand(&p->b, calls_operand(f, n), f->name);
        n++;
    } while (calls_operand(f, n) && calls_operand(f, n) != 'N' && words_take(p, ","));
    return n;
}

static void calls_parse_call(struct parser *p, const struct expression_function *f, uint32_t at)
{
    uint32_t first = 0, constants = 0, alike = 0, n = calls_parse_operands(p, f);
    bool edges = n && calls_operand(f, n) == 'N' && words_take(p, ",");
    if (edges) first = calls_parse_edges(p, &constants);
    if (n + edges < calls_fewest(f) || word_is(&p->word, ",")) calls_fail_count(p, f, at);
    words_need(p, ")");
    for (uint32_t i = 0; i < n; i++)
        alike += calls_operand(f, i) == 'a' || calls_operand(f, i) == 'i';
    types_settle_exact(&p->b, alike, f);
    if (!p->b.failed) types_join_integers(&p->b, alike, f->name);
    enum expression_type type = alike ? types_same(&p->b, alike, f->name) : EXPRESSION_NUMBERS;
    build_call(&p->b, f, n, type, first, constants, at);
}

/* Parses number(x) or text(x). If x already has that type, adds no step. */
static void calls_parse_conversion(struct parser *p, const struct expression_function *f,
                                   uint32_t at)
{
    parse_or(p);
    words_need(p, ")");
    if (p->b.failed) return;
    struct value *v = build_below(&p->b, 0);
    enum expression_type to = types_given(f->gives, EXPRESSION_ANY);
    if (to == EXPRESSION_TEXTS) types_want(&p->b, 0, to, f->name);
    if (v->type == EXPRESSION_TEXTS && to == EXPRESSION_NUMBERS) {
        build_call_plain(&p->b, f, 1, at);
        v->type = EXPRESSION_EXACT;
    }
    if (v->type == EXPRESSION_CONDITIONS) v->type = to;
    v->is_made = true;
}

void calls_parse(struct parser *p, const struct word *name)
{
    char text[BUILD_NAME_BYTES], names[BUILD_NAME_BYTES];
    const struct expression_function *f = function_find(name->text, name->len);
    snprintf(text, sizeof text, "%.*s", (int)name->len, name->text);
    const char *cure = f ? NULL : hints_of_function(text), *near = f ? NULL : function_near(text);
    if (cure) build_fail(&p->b, name->at, "there is no function '%s': write %s", text, cure);
    if (!f && near)
        build_fail(&p->b, name->at, "there is no function '%s': did you mean '%s'?", text, near);
    if (!f)
        build_fail(&p->b, name->at, "there is no function '%s' (functions: %s)", text,
                   function_names(names, sizeof names));
    if (p->b.failed) return;
    words_advance(p);
    if (f->run == run_number || f->run == run_to_text)
        calls_parse_conversion(p, f, name->at);
    else
        calls_parse_call(p, f, name->at);
}
