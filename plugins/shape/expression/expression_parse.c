/* expression_parse.c -- compiles text into steps in one pass (grammar: expression.h).
 *
 * The function of each rule pushes one value (expression_build.h). */
#include "expression_parse.h"

#include "expression_names.h"

/* ---- the rules, from the innermost to "or" ---- */

static void parse_push_condition(struct parser *p, bool holds, uint32_t at)
{
    build_number(&p->b, (struct literal){holds, LEAT_NO_INT64, false}, at);
    if (!p->b.failed) build_below(&p->b, 0)->type = EXPRESSION_CONDITIONS;
}

static void parse_name(struct parser *p, const struct word *w)
{
    if (word_is(&p->word, "("))
        calls_parse(p, w);
    else if (word_is(w, "column") && word_is(&p->word, "["))
        build_fail(&p->b, p->word.at,
                   "write a column name with other characters between backquotes, `first name`");
    else if (word_is(w, "true") || word_is(w, "false"))
        parse_push_condition(p, word_is(w, "true"), w->at);
    else
        names_push(&p->b, p->scope, w, &p->later);
}

static bool parse_is_operator_word(const struct word *w)
{
    return word_is(w, "and") || word_is(w, "or") || word_is(w, "not") || word_is(w, "in");
}

static void parse_fail_word(struct parser *p, const struct word *w)
{
    char out[HINTS_BYTES];
    if (w->kind == LEX_END)
        build_fail(&p->b, w->at, "the expression ends where a value is missing");
    else
        build_fail(&p->b, w->at, "'%.*s' stands where a value is missing%s", (int)w->len, w->text,
                   hints_of_word(p, out));
}

static void parse_primary(struct parser *p)
{
    struct word w = p->word;
    if (p->b.failed) return;
    if (w.kind == LEX_END || parse_is_operator_word(&w) ||
        (w.kind == LEX_SIGN && !word_is(&w, "("))) {
        parse_fail_word(p, &w);
        return;
    }
    if (w.kind == LEX_NUMBER) hints_check_number(p, &w);
    words_advance(p);
    if (w.kind == LEX_NUMBER && !isfinite(w.number))
        build_fail(&p->b, w.at, "the number is too large");
    else if (w.kind == LEX_NUMBER)
        build_number(&p->b, (struct literal){w.number, w.integer, w.is_rounded}, w.at);
    else if (w.kind == LEX_TEXT)
        build_text(&p->b, &w);
    else if (w.kind == LEX_COLUMN)
        names_push(&p->b, p->scope, &w, &p->later);
    else if (w.kind == LEX_NAME)
        parse_name(p, &w);
    else {
        parse_or(p);
        words_need(p, ")");
    }
}

static void parse_sign(struct parser *p)
{
    uint32_t at = p->word.at, minus = 0;
    while (words_take(p, "-"))
        minus++;
    bool literal = p->word.kind == LEX_NUMBER;
    if (literal && minus % 2) p->word.number = -p->word.number;
    if (literal && minus % 2 && p->word.integer != LEAT_NO_INT64)
        p->word.integer = -p->word.integer;
    parse_primary(p);
    if (literal) return;
    /* Applies two of an even number of minus signs, which checks the type and keeps the value.
     * Applies one of an odd number. */
    uint32_t times = minus ? 2 - minus % 2 : 0;
    for (uint32_t i = 0; i < times; i++)
        types_calculate(&p->b, &operator_negate, 1, at);
}

struct expression_parse_rule {
    const char *sign;
    const struct expression_function *f;
};

/* Takes an operator of the rule and returns its function. Returns NULL if the next word is no such
 * operator. */
static const struct expression_function *
parse_take_operator(struct parser *p, const struct expression_parse_rule *rule, size_t n,
                    uint32_t *at)
{
    *at = p->word.at;
    for (size_t i = 0; i < n; i++)
        if (words_take(p, rule[i].sign)) return rule[i].f;
    return NULL;
}

/* Parses condition { operator condition }. */
static void parse_chain(struct parser *p, const struct expression_parse_rule *rule,
                        void (*parse)(struct parser *))
{
    uint32_t at;
    parse(p);
    while (!p->b.failed && parse_take_operator(p, rule, 1, &at)) {
        types_want(&p->b, 0, EXPRESSION_CONDITIONS, rule->sign);
        parse(p);
        types_want(&p->b, 0, EXPRESSION_CONDITIONS, rule->sign);
        build_call_plain(&p->b, rule->f, 2, at);
    }
}

/* Parses number { operator number }. */
static void parse_arithmetic(struct parser *p, const struct expression_parse_rule *rule, size_t n,
                             void (*parse)(struct parser *))
{
    const struct expression_function *f;
    uint32_t at;
    parse(p);
    while (!p->b.failed && (f = parse_take_operator(p, rule, n, &at))) {
        parse(p);
        if (!p->b.failed) types_calculate(&p->b, f, 2, at);
    }
}

static void parse_product(struct parser *p)
{
    static const struct expression_parse_rule rules[] = {{"*", &operator_multiply},
                                                         {"/", &operator_divide},
                                                         {"//", &operator_floor_divide},
                                                         {"%", &operator_modulo}};
    parse_arithmetic(p, rules, 4, parse_sign);
}

static void parse_sum(struct parser *p)
{
    static const struct expression_parse_rule rules[] = {{"+", &operator_add},
                                                         {"-", &operator_subtract}};
    parse_arithmetic(p, rules, 2, parse_product);
}

static void parse_joined(struct parser *p)
{
    uint32_t n = 1, at;
    parse_sum(p);
    for (at = p->word.at; words_take(p, ".."); n++) {
        if (n == 1) types_want(&p->b, 0, EXPRESSION_TEXTS, "..");
        parse_sum(p);
        types_want(&p->b, 0, EXPRESSION_TEXTS, "..");
    }
    if (n > 1) build_call_plain(&p->b, &operator_join, n, at);
}

/* True if one of the two values on top is a text. */
static bool parse_has_text(struct building *b)
{
    return build_below(b, 0)->type == EXPRESSION_TEXTS ||
           build_below(b, 1)->type == EXPRESSION_TEXTS;
}

/* True if one of the two values on top is neither a condition nor of unknown type. */
static bool parse_has_other(struct building *b)
{
    bool has = false;
    for (uint32_t i = 0; i < 2; i++) {
        enum expression_type type = build_below(b, i)->type;
        has = has || (type != EXPRESSION_CONDITIONS && type != EXPRESSION_ANY);
    }
    return has;
}

static void parse_other_side(struct parser *p, const struct expression_function *f, uint32_t at)
{
    bool order = f != &operator_equal && f != &operator_unequal;
    parse_joined(p);
    if (!order) types_join_truth(&p->b);
    types_check_quoted(&p->b, f->name);
    if (p->b.failed) return;
    enum expression_type type = types_compared(&p->b, order);
    if (type == EXPRESSION_CONDITIONS && parse_has_other(&p->b))
        build_fail(&p->b, at, "%s stands between a condition and %s: a condition is true or false",
                   f->name, parse_has_text(&p->b) ? "a text" : "a number");
    if (type == EXPRESSION_NUMBERS && (types_have_integers(&p->b, 2) || exact_is_needed(&p->b))) {
        uint32_t sides = types_exact_sides(&p->b, f->name, order);
        build_call(&p->b, f, 2, EXPRESSION_INTEGERS, sides, 0, at);
        return;
    }
    if (type == EXPRESSION_NUMBERS && !order) exact_check_sides(&p->b);
    types_want(&p->b, 1, type, f->name);
    types_want(&p->b, 0, type, f->name);
    build_call(&p->b, f, 2, type, 0, 0, at);
}

static void parse_member(struct parser *p, bool texts)
{
    struct word w = p->word;
    if (w.kind == LEX_TEXT && texts) {
        words_advance(p);
        build_text_constant(&p->b, &w);
    } else if (w.kind == LEX_TEXT) {
        build_fail(&p->b, w.at, "a text stands among numbers");
    } else if (texts) {
        build_fail(&p->b, w.at, "a text must stand here, because the first value is a text");
    } else {
        build_constant(&p->b, words_number(p), NULL, 0, w.at);
    }
}

/* Parses "(" constant { "," constant } ")". */
static void parse_in(struct parser *p, bool negated, uint32_t at)
{
    words_need(p, "(");
    if (p->b.failed) return;
    bool texts = p->word.kind == LEX_TEXT;
    enum expression_type of = build_below(&p->b, 0)->type;
    bool number = of == EXPRESSION_NUMBERS || of == EXPRESSION_INTEGERS || of == EXPRESSION_EXACT;
    if (texts && number)
        build_fail(&p->b, p->word.at, "a text stands among numbers: write numbers without quotes");
    enum expression_type type = texts                           ? EXPRESSION_TEXTS
                                : types_have_integers(&p->b, 1) ? EXPRESSION_INTEGERS
                                                                : EXPRESSION_NUMBERS;
    uint32_t first = p->b.e->n_constants;
    do
        parse_member(p, texts);
    while (words_take(p, ","));
    words_need(p, ")");
    if (p->b.failed) return;
    bool exact = type == EXPRESSION_NUMBERS && exact_wants_members(&p->b, first, at);
    if (p->b.failed) return;
    if (exact && of == EXPRESSION_TEXTS)
        build_conversion(&p->b, 0, &to_exact);
    else if (!exact)
        types_want(&p->b, 0, type, "in");
    build_call(&p->b, exact ? &operator_in_exact : &operator_in, 1, type, first,
               p->b.e->n_constants - first, at);
    if (negated) build_call_plain(&p->b, &operator_not, 1, at);
}

static const struct expression_parse_rule parse_comparisons[] = {
    {"==", &operator_equal},   {"!=", &operator_unequal},  {"~=", &operator_unequal},
    {"<=", &operator_at_most}, {">=", &operator_at_least}, {"<", &operator_less},
    {">", &operator_greater}};
enum { N_COMPARISONS = sizeof parse_comparisons / sizeof *parse_comparisons };

static void parse_fail_rest(struct parser *p)
{
    char out[HINTS_BYTES];
    const char *cure = hints_of_word(p, out);
    build_fail(&p->b, p->word.at, "'%.*s' has no meaning here%s", (int)p->word.len, p->word.text,
               *cure ? cure : ": an operator or the end of the expression must stand here");
}

static void parse_comparison(struct parser *p)
{
    uint32_t at;
    parse_joined(p);
    const struct expression_function *f =
        parse_take_operator(p, parse_comparisons, N_COMPARISONS, &at);
    if (f) {
        parse_other_side(p, f, at);
        if (parse_take_operator(p, parse_comparisons, N_COMPARISONS, &at))
            build_fail(&p->b, at, "a comparison has only two sides: write a < b and b < c");
    } else if (words_take(p, "in")) {
        parse_in(p, false, at);
    } else if (word_is(&p->word, "not")) {
        words_advance(p);
        words_need(p, "in");
        parse_in(p, true, at);
    } else if (word_is(&p->word, "=") || word_is(&p->word, "<>")) {
        parse_fail_rest(p);
    }
}

static void parse_not(struct parser *p)
{
    uint32_t at = p->word.at, n = 0;
    while (words_take(p, "not"))
        n++;
    parse_comparison(p);
    if (n) types_want(&p->b, 0, EXPRESSION_CONDITIONS, "not");
    if (n % 2) build_call_plain(&p->b, &operator_not, 1, at);
}

static void parse_and(struct parser *p)
{
    static const struct expression_parse_rule rules[] = {{"and", &operator_and}};
    parse_chain(p, rules, parse_not);
}

void parse_or(struct parser *p)
{
    static const struct expression_parse_rule rules[] = {{"or", &operator_or}};
    if (p->nested++ == EXPRESSION_DEPTH)
        build_fail(&p->b, p->word.at, "the expression is nested too deep");
    else
        parse_chain(p, rules, parse_and);
    p->nested--;
}

/* ---- the whole expression ---- */

bool expression_compile(struct expression *e, const char *text,
                        const struct expression_scope *scope, struct expression_error *error,
                        bool *later)
{
    struct parser p = {.text = text, .next = text, .scope = scope, .b = {.e = e, .error = error}};
    e->n_steps = e->n_constants = e->n_text = e->depth = 0;
    e->made = (struct expression_bound){0};
    words_advance(&p);
    parse_or(&p);
    if (p.word.kind != LEX_END) parse_fail_rest(&p);
    if (e->n_steps > 1) exact_check(&p.b); /* a single constant may still become an integer */
    if (p.b.failed) unquoted_hint(text, scope, error);
    if (p.b.failed) return false;
    *later |= p.later;
    e->type = p.b.value[0].type;
    e->bound = p.b.value[0].bound;
    e->form = p.b.value[0].form;
    return true;
}

bool expression_convert(struct expression *e, enum expression_type to,
                        struct expression_error *error)
{
    struct building b = {.e = e, .error = error, .n = 1};
    if (e->type == EXPRESSION_ANY) return true;
    if (e->type == to) {
        exact_check(&b);
        return !b.failed;
    }
    bool constant = e->n_steps == 1 && e->step[0].kind == STEP_CONSTANT;
    b.value[0] = (struct value){.type = e->type,
                                .bound = e->bound,
                                .constant = constant ? (int32_t)e->step[0].arg : -1,
                                .form = e->form};
    if (e->type == EXPRESSION_CONDITIONS && to == EXPRESSION_NUMBERS)
        b.value[0].type = EXPRESSION_NUMBERS;
    types_want(&b, 0, to, "the column");
    e->type = b.value[0].type;
    e->bound = b.value[0].bound;
    e->form = b.value[0].form;
    exact_check(&b);
    return !b.failed;
}

uint32_t expression_character(const char *text, uint32_t at)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < at; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}
