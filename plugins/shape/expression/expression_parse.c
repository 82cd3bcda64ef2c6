/* expression_parse.c -- text to steps, in one pass (expression.h has the grammar).
 *
 * Each rule leaves one value on the stack. What an operator needs is converted when its operands
 * are known: that of `a < b` on the left lies below the right one then, so a conversion says how
 * deep it works. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expression_inside.h"
#include "expression_lexer.h"
#include "kernels/text/decimal.h"
#include "report/text_out.h"

enum { COPIES_MAX = 1 << 12, BYTES_MAX = 1 << 24, NAMES_SHOWN = 20, NAME_BYTES = 512 };

struct value {
    enum expression_type type;
    struct expression_bound bound; /* of a text                                            */
    int32_t constant;              /* -1: it is none                                       */
    bool is_made;                  /* a text that is no bare column: `<` compares as texts */
    uint32_t at;
};

struct parser {
    const char *text, *next;
    struct word word; /* the one to be parsed */
    struct expression *e;
    const struct expression_scope *scope;
    struct expression_error *error;
    bool failed, later;
    uint32_t nested, n;
    struct value value[EXPRESSION_DEPTH];
};

__attribute__((format(printf, 3, 4))) static void fail(struct parser *p, uint32_t at,
                                                       const char *format, ...)
{
    va_list ap;
    if (p->failed) return;
    p->failed = true;
    p->error->at = at;
    va_start(ap, format);
    vsnprintf(p->error->why, sizeof p->error->why, format, ap);
    va_end(ap);
}

static void advance(struct parser *p)
{
    p->word = lexer_next(p->text, &p->next);
    if (p->word.kind == LEX_UNENDED)
        fail(p, p->word.at, "the quote %c has no second one", p->word.text[-1]);
}

static bool take(struct parser *p, const char *sign)
{
    if (p->failed || !word_is(&p->word, sign)) return false;
    advance(p);
    return true;
}

static void need(struct parser *p, const char *sign)
{
    if (p->failed || take(p, sign)) return;
    if (p->word.kind == LEX_END)
        fail(p, p->word.at, "the expression ends where '%s' is missing", sign);
    else
        fail(p, p->word.at, "'%.*s' stands where '%s' is missing", (int)p->word.len, p->word.text,
             sign);
}

/* ---- steps ---- */

static void add_step(struct parser *p, struct expression_step s)
{
    if (p->failed) return;
    if (p->e->n_steps == EXPRESSION_STEPS)
        fail(p, s.at, "the expression is too long: it has more than %d steps", EXPRESSION_STEPS);
    else
        p->e->step[p->e->n_steps++] = s;
}

static void push(struct parser *p, struct value v)
{
    if (p->failed) return;
    if (p->n == EXPRESSION_DEPTH) {
        fail(p, v.at, "the expression is nested too deep, or a function has too many values");
        return;
    }
    p->value[p->n++] = v;
    if (p->n > p->e->depth) p->e->depth = p->n;
}

static struct expression_bound widen(struct expression_bound a, struct expression_bound b)
{
    uint64_t copies = (uint64_t)a.copies + b.copies, bytes = (uint64_t)a.bytes + b.bytes;
    return (struct expression_bound){copies > COPIES_MAX ? COPIES_MAX : (uint32_t)copies,
                                     bytes > BYTES_MAX ? BYTES_MAX : (uint32_t)bytes};
}

static struct expression_bound times(struct expression_bound a, uint32_t n)
{
    struct expression_bound sum = {0};
    for (uint32_t i = 0; i < n && i < COPIES_MAX; i++)
        sum = widen(sum, a);
    return sum;
}

static struct expression_bound larger(struct expression_bound a, struct expression_bound b)
{
    return (struct expression_bound){a.copies > b.copies ? a.copies : b.copies,
                                     a.bytes > b.bytes ? a.bytes : b.bytes};
}

/* Keeps a constant; its number, or 0 after a failure. */
static uint32_t add_constant(struct parser *p, double number, const char *text, size_t len,
                             uint32_t at)
{
    struct expression *e = p->e;
    if (e->n_constants == EXPRESSION_CONSTANTS || len > EXPRESSION_TEXT - e->n_text)
        fail(p, at, "the expression has too many constants");
    if (p->failed) return 0;
    e->constant[e->n_constants] = (struct expression_constant){number, {e->n_text, (uint32_t)len}};
    if (len) memcpy(e->text + e->n_text, text, len);
    e->n_text += (uint32_t)len;
    return e->n_constants++;
}

static void push_number(struct parser *p, double x, uint32_t at)
{
    uint32_t k = add_constant(p, x, NULL, 0, at);
    add_step(p, (struct expression_step){
                    .kind = STEP_CONSTANT, .type = EXPRESSION_NUMBERS, .arg = k, .at = at});
    push(p, (struct value){.type = EXPRESSION_NUMBERS, .constant = (int32_t)k, .at = at});
}

static uint32_t add_text(struct parser *p, const struct word *w)
{
    char text[EXPRESSION_TEXT];
    if (w->len <= sizeof text) return add_constant(p, NAN, text, word_unquote(w, text), w->at);
    fail(p, w->at, "the text is longer than %d bytes", EXPRESSION_TEXT);
    return 0;
}

static void push_text(struct parser *p, const struct word *w)
{
    uint32_t k = add_text(p, w);
    add_step(p, (struct expression_step){
                    .kind = STEP_CONSTANT, .type = EXPRESSION_TEXTS, .arg = k, .at = w->at});
    push(p, (struct value){.type = EXPRESSION_TEXTS,
                           .bound = {0, (uint32_t)w->len},
                           .constant = (int32_t)k,
                           .is_made = true,
                           .at = w->at});
}

/* ---- columns ---- */

/* "; the columns are a, b, c" */
static void list_columns(const struct expression_scope *s, char *out, size_t cap)
{
    size_t n = (size_t)snprintf(out, cap, " (columns: %s", s->n_columns ? "" : "none");
    for (uint32_t i = 0; i < s->n_columns && i < NAMES_SHOWN && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "", s->schema->column[i].name);
    if (n < cap && s->n_columns > NAMES_SHOWN)
        n += (size_t)snprintf(out + n, cap - n, " and %u more", s->n_columns - NAMES_SHOWN);
    if (n < cap) snprintf(out + n, cap - n, ")");
}

static const char *column_near(const struct expression_scope *s, const char *name)
{
    struct nearest n = nearest_to(name);
    for (uint32_t i = 0; i < s->n_columns; i++)
        nearest_try(&n, s->schema->column[i].name);
    return n.best;
}

static bool is_none_elsewhere(const char *name)
{
    static const char *const words[] = {"nil", "null", "NULL", "None", "NaN", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return true;
    return false;
}

static void fail_column(struct parser *p, const char *name, uint32_t at)
{
    char list[EXPRESSION_WHY - NAME_BYTES - 200];
    const struct expression_function *f = function_find(name, strlen(name));
    const char *near = column_near(p->scope, name);
    list_columns(p->scope, list, sizeof list);
    if (is_none_elsewhere(name))
        fail(p, at, "there is no column '%s': is_missing(x) asks whether x has no value", name);
    else if (f)
        fail(p, at, "there is no column '%s', and the function is written %s", name, f->usage);
    else if (near)
        fail(p, at, "there is no column '%s': did you mean '%s'?%s", name, near, list);
    else
        fail(p, at, "there is no column '%s'; a text stands in quotes, '%s'%s", name, name, list);
}

/* EXPRESSION_ANY: it is known later, or has been refused. */
static enum expression_type find_column(struct parser *p, const char *name, uint32_t at,
                                        uint32_t *index)
{
    const struct expression_scope *s = p->scope;
    struct leat_negotiation *n = s->negotiation;
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (!strcmp(s->schema->column[i].name, name)) {
            *index = i;
            return (enum expression_type)s->schema->column[i].type;
        }
    if (n && n->in->open && n->column(n, s->param, name, index) == LEAT_LATER)
        p->later = true;
    else
        fail_column(p, name, at);
    return EXPRESSION_ANY;
}

static const struct {
    const char *name;
    uint32_t column, has;
    enum expression_type type;
    const char *needs;
} given[] = {
    {"@raw", EXPRESSION_RAW, LEAT_HAS_RECORDS, EXPRESSION_TEXTS, "records"},
    {"@label", EXPRESSION_LABEL, LEAT_HAS_LABEL, EXPRESSION_NUMBERS, "labels"},
    {"@timestamp", EXPRESSION_TIME, LEAT_HAS_TIMESTAMP, EXPRESSION_NUMBERS, "times of records"},
};

static enum expression_type find_given(struct parser *p, const char *name, uint32_t at,
                                       uint32_t *index)
{
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (strcmp(given[i].name, name)) continue;
        if (!(p->scope->schema->has & given[i].has))
            fail(p, at, "%s: no earlier stage makes %s", name, given[i].needs);
        *index = given[i].column;
        return given[i].type;
    }
    fail(p, at, "there is no '%s': there are @raw, @label and @timestamp", name);
    return EXPRESSION_ANY;
}

static void push_column(struct parser *p, const struct word *w)
{
    char name[NAME_BYTES];
    uint32_t index = 0;
    if (w->len >= sizeof name) {
        fail(p, w->at, "a column's name has at most %d bytes", NAME_BYTES - 1);
        return;
    }
    name[w->kind == LEX_COLUMN ? word_unquote(w, name) : w->len] = 0;
    if (w->kind != LEX_COLUMN) memcpy(name, w->text, w->len);
    enum expression_type type = w->kind == LEX_NAME && *name == '@'
                                    ? find_given(p, name, w->at, &index)
                                    : find_column(p, name, w->at, &index);
    add_step(p, (struct expression_step){
                    .kind = STEP_COLUMN, .type = (uint8_t)type, .arg = index, .at = w->at});
    push(p, (struct value){.type = type,
                           .bound = p->scope->columns,
                           .constant = -1,
                           .is_made = index == EXPRESSION_RAW,
                           .at = w->at});
}

/* ---- types ---- */

static struct value *below(struct parser *p, uint32_t depth)
{
    assert(p->failed || depth < p->n);
    return &p->value[p->n - 1 - depth];
}

static const char *type_text(enum expression_type type)
{
    return type == EXPRESSION_TEXTS     ? "a text"
           : type == EXPRESSION_NUMBERS ? "a number"
                                        : "a condition";
}

static void convert(struct parser *p, uint32_t depth, const struct expression_function *f)
{
    struct value *v = below(p, depth);
    add_step(p, (struct expression_step){.kind = STEP_CALL,
                                         .type = (uint8_t)v->type,
                                         .n = 1,
                                         .depth = (uint8_t)depth,
                                         .at = v->at,
                                         .function = f});
    v->constant = -1;
    v->is_made = true;
    v->type = f == &to_number ? EXPRESSION_NUMBERS : EXPRESSION_TEXTS;
    v->bound = (struct expression_bound){0, f == &to_text ? EXPRESSION_NUMBER : 0};
    p->e->made = widen(p->e->made, v->bound);
}

/* A text that stands in the expression must be a number where one is needed. */
static bool is_number(const struct parser *p, const struct value *v)
{
    double x;
    if (v->constant < 0) return true;
    const char *s = p->e->text + p->e->constant[v->constant].text.off;
    return decimal_whole(s, s + p->e->constant[v->constant].text.len, &x) == DECIMAL_OK;
}

/* The value so deep becomes one of this type; `who` wants it. */
static void want(struct parser *p, uint32_t depth, enum expression_type type, const char *who)
{
    if (p->failed) return;
    struct value *v = below(p, depth);
    if (v->type == type || v->type == EXPRESSION_ANY || type == EXPRESSION_ANY) return;
    if (type == EXPRESSION_CONDITIONS)
        fail(p, v->at, "%s wants a condition, such as x > 0, and this is %s", who,
             type_text(v->type));
    else if (v->type == EXPRESSION_CONDITIONS)
        fail(p, v->at, "%s wants %s, and this is a condition: write if(condition, 1, 0)", who,
             type_text(type));
    else if (type == EXPRESSION_NUMBERS && !is_number(p, v))
        fail(p, v->at, "%s wants a number, and this text is none", who);
    else
        convert(p, depth, type == EXPRESSION_NUMBERS ? &to_number : &to_text);
}

/* The n values on top, from `first` on, must have one type: that of the first which is known. */
static enum expression_type same_type(struct parser *p, uint32_t n, const char *who)
{
    enum expression_type type = EXPRESSION_ANY;
    for (uint32_t i = n; i-- > 0 && !p->failed;) {
        const struct value *v = below(p, i);
        if (type == EXPRESSION_ANY) type = v->type;
        if (v->type != type && v->type != EXPRESSION_ANY)
            fail(p, v->at, "%s wants values of one type, and this is %s beside %s: write %s", who,
                 type_text(v->type), type_text(type),
                 type == EXPRESSION_NUMBERS ? "number(…)" : "text(…)");
    }
    return type;
}

/* ---- calls ---- */

static struct expression_bound replaced(const struct parser *p, const struct value *v)
{
    uint32_t grows = 2;
    if (v[1].constant >= 0 && v[2].constant >= 0) {
        uint32_t old = p->e->constant[v[1].constant].text.len;
        uint32_t new = p->e->constant[v[2].constant].text.len;
        grows = old && new > old ? (new + old - 1) / old : 1;
    }
    return times(v[0].bound, grows);
}

/* v: the n operands */
static struct expression_bound result_bound(struct parser *p, const struct expression_function *f,
                                            const struct value *v, uint32_t n)
{
    struct expression_bound sum = {0}, most = {0};
    for (uint32_t i = 0; i < n; i++) {
        sum = widen(sum, v[i].bound);
        most = larger(most, v[i].bound);
    }
    if (f->bound == BOUND_SLICE) return v[0].bound;
    if (f->bound == BOUND_EITHER) return most;
    if (f->bound == BOUND_CONSTANT || f->bound == BOUND_NUMBER)
        return (struct expression_bound){0, 2 * EXPRESSION_NUMBER};
    if (f->bound == BOUND_NONE) return (struct expression_bound){0};
    struct expression_bound made = f->bound == BOUND_CASE   ? times(v[0].bound, 2)
                                   : f->bound == BOUND_JOIN ? sum
                                                            : replaced(p, v);
    p->e->made = widen(p->e->made, made);
    return made;
}

static enum expression_type given_type(char letter, enum expression_type of)
{
    return letter == 't'   ? EXPRESSION_TEXTS
           : letter == 'n' ? EXPRESSION_NUMBERS
           : letter == 'c' ? EXPRESSION_CONDITIONS
                           : of;
}

/* The n values on top become one. `type` is that of operands `a`. */
static void call(struct parser *p, const struct expression_function *f, uint32_t n,
                 enum expression_type type, uint32_t first_constant, uint32_t n_constants,
                 uint32_t at)
{
    if (p->failed) return;
    struct value *v = &p->value[p->n - n];
    add_step(p, (struct expression_step){.kind = STEP_CALL,
                                         .type = (uint8_t)type,
                                         .n = (uint8_t)n,
                                         .arg = first_constant,
                                         .n_constants = n_constants,
                                         .at = at,
                                         .function = f});
    v[0] = (struct value){.type = given_type(f->gives, type),
                          .bound = result_bound(p, f, v, n),
                          .constant = -1,
                          .is_made = true,
                          .at = at};
    p->n -= n - 1;
}

static void call_plain(struct parser *p, const struct expression_function *f, uint32_t n,
                       uint32_t at)
{
    call(p, f, n, EXPRESSION_NUMBERS, 0, 0, at);
}

static void parse_or(struct parser *p);

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
    if (!first && !(edge > before)) fail(p, at, "the edges of bucket must ascend");
    if (first)
        text[n++] = '<';
    else {
        n = text_format_double(text, before);
        memcpy(text + n, "..", 2);
        n += 2;
    }
    n += text_format_double(text + n, edge);
    add_constant(p, edge, text, n, at);
}

static double signed_number(struct parser *p)
{
    bool minus = take(p, "-");
    double x = p->word.number;
    if (p->word.kind != LEX_NUMBER) {
        fail(p, p->word.at, "a number must stand here, such as 1000 or 1e6");
        return 0;
    }
    advance(p);
    return minus ? -x : x;
}

static uint32_t parse_edges(struct parser *p, uint32_t *n)
{
    uint32_t first = p->e->n_constants, at;
    double edge = 0, before = 0;
    char text[2 + TEXT_NUMBER] = ">=";
    do {
        at = p->word.at;
        edge = signed_number(p);
        add_bucket(p, edge, before, p->e->n_constants == first, at);
        before = edge;
    } while (take(p, ","));
    add_constant(p, (double)INFINITY, text, 2 + text_format_double(text + 2, edge), at);
    *n = p->e->n_constants - first;
    return first;
}

static void fail_count(struct parser *p, const struct expression_function *f, uint32_t at)
{
    fail(p, at, "%s has too %s values: write %s", f->name, word_is(&p->word, ",") ? "many" : "few",
         f->usage);
}

/* Those that are no constants. Returns how many there are. */
static uint32_t parse_operands(struct parser *p, const struct expression_function *f)
{
    uint32_t n = 0;
    if (word_is(&p->word, ")")) return 0;
    do {
        parse_or(p);
        if (p->failed) return n;
        if (operand(f, n) != 'a') want(p, 0, given_type(operand(f, n), EXPRESSION_ANY), f->name);
        n++;
    } while (operand(f, n) && operand(f, n) != 'N' && take(p, ","));
    return n;
}

static void parse_call(struct parser *p, const struct expression_function *f, uint32_t at)
{
    uint32_t first = 0, constants = 0, alike = 0, n = parse_operands(p, f);
    bool edges = n && operand(f, n) == 'N' && take(p, ",");
    if (edges) first = parse_edges(p, &constants);
    if (n + edges < fewest(f) || word_is(&p->word, ",")) fail_count(p, f, at);
    need(p, ")");
    for (uint32_t i = 0; i < n; i++)
        alike += operand(f, i) == 'a';
    enum expression_type type = alike ? same_type(p, alike, f->name) : EXPRESSION_NUMBERS;
    call(p, f, n, type, first, constants, at);
}

/* number(x) and text(x), of what may be one already. */
static void parse_conversion(struct parser *p, const struct expression_function *f, uint32_t at)
{
    parse_or(p);
    need(p, ")");
    if (p->failed) return;
    struct value *v = below(p, 0);
    enum expression_type to = given_type(f->gives, EXPRESSION_ANY);
    if (to == EXPRESSION_TEXTS) want(p, 0, to, f->name);
    if (v->type == EXPRESSION_TEXTS && to == EXPRESSION_NUMBERS) call_plain(p, f, 1, at);
    v->type = v->type == EXPRESSION_ANY ? EXPRESSION_ANY : to;
    v->is_made = true;
}

static void parse_function(struct parser *p, const struct word *name)
{
    char text[NAME_BYTES], names[NAME_BYTES];
    const struct expression_function *f = function_find(name->text, name->len);
    snprintf(text, sizeof text, "%.*s", (int)name->len, name->text);
    const char *near = f ? NULL : function_near(text);
    if (!f && near) fail(p, name->at, "there is no function '%s': did you mean '%s'?", text, near);
    if (!f)
        fail(p, name->at, "there is no function '%s' (functions: %s)", text,
             function_names(names, sizeof names));
    if (p->failed) return;
    advance(p);
    if (f->run == run_number || f->run == run_to_text)
        parse_conversion(p, f, name->at);
    else
        parse_call(p, f, name->at);
}

/* ---- the rules, from the last to the first ---- */

static void push_condition(struct parser *p, bool holds, uint32_t at)
{
    push_number(p, holds, at);
    if (!p->failed) below(p, 0)->type = EXPRESSION_CONDITIONS;
}

static void parse_name(struct parser *p, const struct word *w)
{
    if (word_is(&p->word, "("))
        parse_function(p, w);
    else if (word_is(w, "true") || word_is(w, "false"))
        push_condition(p, word_is(w, "true"), w->at);
    else
        push_column(p, w);
}

static bool is_operator_word(const struct word *w)
{
    return word_is(w, "and") || word_is(w, "or") || word_is(w, "not") || word_is(w, "in");
}

static void fail_word(struct parser *p, const struct word *w)
{
    if (w->kind == LEX_END)
        fail(p, w->at, "the expression ends where a value is missing");
    else
        fail(p, w->at, "'%.*s' stands where a value is missing", (int)w->len, w->text);
}

static void parse_primary(struct parser *p)
{
    struct word w = p->word;
    if (p->failed) return;
    if (w.kind == LEX_END || is_operator_word(&w) || (w.kind == LEX_SIGN && !word_is(&w, "("))) {
        fail_word(p, &w);
        return;
    }
    advance(p);
    if (w.kind == LEX_NUMBER && !isfinite(w.number))
        fail(p, w.at, "the number is too large");
    else if (w.kind == LEX_NUMBER)
        push_number(p, w.number, w.at);
    else if (w.kind == LEX_TEXT)
        push_text(p, &w);
    else if (w.kind == LEX_COLUMN)
        push_column(p, &w);
    else if (w.kind == LEX_NAME)
        parse_name(p, &w);
    else {
        parse_or(p);
        need(p, ")");
    }
}

static void parse_sign(struct parser *p)
{
    uint32_t at = p->word.at, minus = 0;
    while (take(p, "-"))
        minus++;
    parse_primary(p);
    if (minus) want(p, 0, EXPRESSION_NUMBERS, "-");
    if (minus % 2) call_plain(p, &operator_negate, 1, at);
}

struct rule {
    const char *sign;
    const struct expression_function *f;
};

/* The operator that stands here; NULL: none of these does. */
static const struct expression_function *take_operator(struct parser *p, const struct rule *rule,
                                                       size_t n, uint32_t *at)
{
    *at = p->word.at;
    for (size_t i = 0; i < n; i++)
        if (take(p, rule[i].sign)) return rule[i].f;
    return NULL;
}

/* operand { operator operand }, all of one type. */
static void parse_chain(struct parser *p, const struct rule *rule, size_t n,
                        enum expression_type type, void (*parse)(struct parser *))
{
    const struct expression_function *f;
    uint32_t at;
    parse(p);
    while (!p->failed && (f = take_operator(p, rule, n, &at))) {
        want(p, 0, type, f->name);
        parse(p);
        want(p, 0, type, f->name);
        call_plain(p, f, 2, at);
    }
}

static void parse_product(struct parser *p)
{
    static const struct rule rules[] = {
        {"*", &operator_multiply}, {"/", &operator_divide}, {"%", &operator_modulo}};
    parse_chain(p, rules, 3, EXPRESSION_NUMBERS, parse_sign);
}

static void parse_sum(struct parser *p)
{
    static const struct rule rules[] = {{"+", &operator_add}, {"-", &operator_subtract}};
    parse_chain(p, rules, 2, EXPRESSION_NUMBERS, parse_product);
}

static void parse_joined(struct parser *p)
{
    uint32_t n = 1, at;
    parse_sum(p);
    for (at = p->word.at; take(p, ".."); n++) {
        if (n == 1) want(p, 0, EXPRESSION_TEXTS, "..");
        parse_sum(p);
        want(p, 0, EXPRESSION_TEXTS, "..");
    }
    if (n > 1) call_plain(p, &operator_join, n, at);
}

/* As what the two on top are compared. */
static enum expression_type compared_as(struct parser *p, bool order)
{
    const struct value *a = below(p, 1), *b = below(p, 0);
    bool conditions = a->type == EXPRESSION_CONDITIONS || b->type == EXPRESSION_CONDITIONS;
    if (conditions && !order) return EXPRESSION_CONDITIONS;
    if (a->type != EXPRESSION_TEXTS || b->type != EXPRESSION_TEXTS) return EXPRESSION_NUMBERS;
    return order && !a->is_made && !b->is_made ? EXPRESSION_NUMBERS : EXPRESSION_TEXTS;
}

static void parse_other_side(struct parser *p, const struct expression_function *f, uint32_t at)
{
    bool order = f != &operator_equal && f != &operator_unequal;
    parse_joined(p);
    if (p->failed) return;
    enum expression_type type = compared_as(p, order);
    want(p, 1, type, f->name);
    want(p, 0, type, f->name);
    call(p, f, 2, type, 0, 0, at);
}

static void parse_member(struct parser *p, bool texts)
{
    struct word w = p->word;
    if (w.kind == LEX_TEXT && texts) {
        advance(p);
        add_text(p, &w);
    } else if (w.kind == LEX_TEXT) {
        fail(p, w.at, "a text stands beside numbers");
    } else if (texts) {
        fail(p, w.at, "a text must stand here, as the first value is one");
    } else {
        double x = signed_number(p);
        add_constant(p, x, NULL, 0, w.at);
    }
}

/* "(" constant { "," constant } ")" */
static void parse_in(struct parser *p, bool negated, uint32_t at)
{
    need(p, "(");
    if (p->failed) return;
    bool texts = p->word.kind == LEX_TEXT;
    want(p, 0, texts ? EXPRESSION_TEXTS : EXPRESSION_NUMBERS, "in");
    uint32_t first = p->e->n_constants;
    do
        parse_member(p, texts);
    while (take(p, ","));
    need(p, ")");
    call(p, &operator_in, 1, texts ? EXPRESSION_TEXTS : EXPRESSION_NUMBERS, first,
         p->e->n_constants - first, at);
    if (negated) call_plain(p, &operator_not, 1, at);
}

static const struct rule comparisons[] = {{"==", &operator_equal},    {"!=", &operator_unequal},
                                          {"~=", &operator_unequal},  {"<=", &operator_at_most},
                                          {">=", &operator_at_least}, {"<", &operator_less},
                                          {">", &operator_greater}};
enum { N_COMPARISONS = sizeof comparisons / sizeof *comparisons };

static void parse_comparison(struct parser *p)
{
    uint32_t at;
    parse_joined(p);
    const struct expression_function *f = take_operator(p, comparisons, N_COMPARISONS, &at);
    if (f) {
        parse_other_side(p, f, at);
        if (take_operator(p, comparisons, N_COMPARISONS, &at))
            fail(p, at, "a comparison has two sides: write a < b and b < c");
    } else if (take(p, "in")) {
        parse_in(p, false, at);
    } else if (word_is(&p->word, "not")) {
        advance(p);
        need(p, "in");
        parse_in(p, true, at);
    }
}

static void parse_not(struct parser *p)
{
    uint32_t at = p->word.at, n = 0;
    while (take(p, "not"))
        n++;
    parse_comparison(p);
    if (n) want(p, 0, EXPRESSION_CONDITIONS, "not");
    if (n % 2) call_plain(p, &operator_not, 1, at);
}

static void parse_and(struct parser *p)
{
    static const struct rule rules[] = {{"and", &operator_and}};
    parse_chain(p, rules, 1, EXPRESSION_CONDITIONS, parse_not);
}

static void parse_or(struct parser *p)
{
    static const struct rule rules[] = {{"or", &operator_or}};
    if (p->nested++ == EXPRESSION_DEPTH)
        fail(p, p->word.at, "the expression is nested too deep");
    else
        parse_chain(p, rules, 1, EXPRESSION_CONDITIONS, parse_and);
    p->nested--;
}

/* ---- all ---- */

/* What other languages write. */
static const char *hint(const struct word *w)
{
    static const char *const hints[][2] = {{"=", ": equality is written =="},
                                           {"<>", ": write !="},
                                           {"!", ": write not"},
                                           {"&&", ": write and"},
                                           {"&", ": write and"},
                                           {"||", ": texts are joined by .."},
                                           {"|", ": write or"},
                                           {"//", ": write floor(a / b)"},
                                           {"is", ": write is_missing(x)"},
                                           {"IS", ": write is_missing(x)"},
                                           {"AND", ": write and"},
                                           {"OR", ": write or"},
                                           {"IN", ": write in"},
                                           {"like", ": write contains(text, part)"}};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (word_is(w, hints[i][0])) return hints[i][1];
    return ": an operator or the end of the expression must stand here";
}

bool expression_compile(struct expression *e, const char *text,
                        const struct expression_scope *scope, struct expression_error *error,
                        bool *later)
{
    struct parser p = {.text = text, .next = text, .e = e, .scope = scope, .error = error};
    e->n_steps = e->n_constants = e->n_text = e->depth = 0;
    e->made = (struct expression_bound){0};
    advance(&p);
    parse_or(&p);
    if (p.word.kind != LEX_END)
        fail(&p, p.word.at, "'%.*s' has no meaning here%s", (int)p.word.len, p.word.text,
             hint(&p.word));
    if (p.failed) return false;
    *later |= p.later;
    e->type = p.value[0].type;
    e->bound = p.value[0].bound;
    return true;
}

bool expression_convert(struct expression *e, enum expression_type to,
                        struct expression_error *error)
{
    struct parser p = {.e = e, .error = error, .n = 1};
    if (e->type == to || e->type == EXPRESSION_ANY) return true;
    bool constant = e->n_steps == 1 && e->step[0].kind == STEP_CONSTANT;
    p.value[0] = (struct value){
        .type = e->type, .bound = e->bound, .constant = constant ? (int32_t)e->step[0].arg : -1};
    if (e->type == EXPRESSION_CONDITIONS) p.value[0].type = EXPRESSION_NUMBERS;
    want(&p, 0, to, "the column");
    e->type = p.value[0].type;
    e->bound = p.value[0].bound;
    return !p.failed;
}

uint32_t expression_character(const char *text, uint32_t at)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < at; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}
