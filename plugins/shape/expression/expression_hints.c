/* expression_hints.c -- suggestions for spellings of other languages, such as Lua, and of word
 * processors. */
#include "expression_parse.h"

#include <stdio.h>
#include <string.h>

struct hint {
    const char *written, *cure;
};

static const char *hints_find(const struct hint *hints, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(hints[i].written) == len && !memcmp(hints[i].written, name, len))
            return hints[i].cure;
    return NULL;
}

/* ---- functions ---- */

static const struct hint hints_methods[] = {
    {"sub", "substring(x, first, count)"},
    {"len", "length(x)"},
    {"upper", "upper(x)"},
    {"lower", "lower(x)"},
    {"find", "contains(x, 'part') or starts_with(x, 'part')"},
    {"match", "split(x, separator, n), before(x, part) or after(x, part)"},
    {"gsub", "replace(x, old, new)"},
};
enum { N_METHODS = sizeof hints_methods / sizeof *hints_methods };

static const struct hint hints_functions[] = {
    {"tonumber", "number(x)"},         {"tostring", "text(x)"},   {"type", "is_missing(x)"},
    {"math.tointeger", "floor(x)"},    {"math.fmod", "a % b"},    {"math.sqrt", "sqrt(x)"},
    {"os.date", "substring(x, 1, 4)"}, {"os.time", "parse.time"}, {"ifnull", "coalesce(x, y)"},
    {"nvl", "coalesce(x, y)"},         {"concat", "x .. y"},      {"isnull", "is_missing(x)"},
    {"is_null", "is_missing(x)"},      {"len", "length(x)"},      {"substr", "substring(x, 1, 4)"},
};
enum { N_FUNCTIONS = sizeof hints_functions / sizeof *hints_functions };

const char *hints_of_function(const char *name)
{
    size_t n = strlen(name);
    const char *cure = hints_find(hints_functions, N_FUNCTIONS, name, n);
    if (!cure && !strncmp(name, "string.", 7))
        cure = hints_find(hints_methods, N_METHODS, name + 7, n - 7);
    if (cure || strncmp(name, "math.", 5) != 0) return cure;
    const struct expression_function *f = function_find(name + 5, n - 5);
    return f ? f->usage : NULL;
}

/* ---- signs ---- */

static const struct hint hints_signs[] = {
    {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}, {"\u2212", "-"},  {"\u2013", "-"},
    {"\u00d7", "*"},  {"\u00f7", "/"},  {"\u201c", "\""}, {"\u201d", "\""}, {"\u201e", "\""},
    {"\u2018", "'"},  {"\u2019", "'"},  {"\u00ab", "\""}, {"\u00bb", "\""}, {"\u00a0", "a blank"},
};

bool hints_of_sign(const char *name, size_t len, char out[HINTS_BYTES])
{
    for (size_t i = 0; i < sizeof hints_signs / sizeof *hints_signs; i++) {
        const char *sign = hints_signs[i].written;
        if (!memmem(name, len, sign, strlen(sign))) continue;
        snprintf(out, HINTS_BYTES, ": expressions do not have %s: write %s", sign,
                 hints_signs[i].cure);
        return true;
    }
    return false;
}

static const struct hint hints_words[] = {
    {"=", ": write == for equality"},
    {"<>", ": write !="},
    {"!", ": write not"},
    {"&&", ": write and"},
    {"&", ": write and"},
    {"||", ": write .. to join texts"},
    {"|", ": write or"},
    {"^", ": write x * x, or sqrt(x)"},
    {"#", ": write length(x)"},
    {"{", ": write if(condition, a, b)"},
    {"is", ": write is_missing(x)"},
    {"IS", ": write is_missing(x)"},
    {"AND", ": write and"},
    {"OR", ": write or"},
    {"IN", ": write in"},
    {"like", ": write contains(text, part)"},
};

/* ---- numbers ---- */

static bool hints_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the form of numbers in the input: the form of the first column that declares one. */
static struct grouped hints_form(const struct expression_scope *scope)
{
    for (uint32_t i = 0; i < scope->n_columns; i++) {
        const struct leat_column *c = &scope->schema->column[i];
        if (c->decimal || c->thousands) return (struct grouped){c->decimal, c->thousands};
    }
    return (struct grouped){0};
}

/* Returns the length of a number such as 1.234.567 at s; 0 if there is none. */
static size_t hints_thousands(const char *s)
{
    size_t n = strspn(s, "0123456789"), head = n;
    while (s[n] == '.' && strspn(s + n + 1, "0123456789") == 3)
        n += 4;
    return head && head <= 3 && *s != '0' && n > head && !hints_is_digit(s[n]) ? n : 0;
}

/* Copies n bytes to `to`, except the character `sign`. */
static void hints_without(char *to, const char *s, size_t n, char sign)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] != sign) *to++ = s[i];
    *to = 0;
}

/* True if s begins with the digits of a month. From 10 on, a year of 1900 to 2099 is before it,
 * because other numbers of four digits may have a difference. */
static bool hints_month(const char *s)
{
    bool recent = !strncmp(s, "19", 2) || !strncmp(s, "20", 2);
    return s[5] == '0' || (recent && s[5] == '1' && s[6] <= '2');
}

/* Returns the length of a date such as 2024-03-10, or of a month such as 2024-03, at s; 0 if there
 * is none. */
static size_t hints_date(const char *s)
{
    static const char form[] = "dddd-dd-dd";
    size_t n = 0;
    while (form[n] && (form[n] == 'd' ? hints_is_digit(s[n]) : s[n] == form[n]))
        n++;
    if (n > 7 && form[n]) n = 7;
    bool is_month = n == 7 && hints_month(s) && s[7] != '-';
    return (!form[n] || is_month) && !hints_is_digit(s[n]) ? n : 0;
}

void hints_check_number(struct parser *p, const struct word *w)
{
    char plain[HINTS_BYTES];
    size_t date = hints_date(w->text);
    if (date)
        build_fail(&p->b, w->at,
                   "%.*s without quotes is a difference: write a date as a text: '%.*s' (a "
                   "difference has blanks: 7 - 5)",
                   (int)date, w->text, (int)date, w->text);
    size_t n = hints_thousands(w->text);
    if (!n || n >= sizeof plain || hints_form(p->scope).thousands != '.') return;
    hints_without(plain, w->text, n, '.');
    build_fail(&p->b, w->at,
               "%.*s has a decimal point in an expression: write %s, or %.*s0 for the fraction",
               (int)n, w->text, plain, (int)n, w->text);
}

/* True if exactly three digits follow each comma. */
static bool hints_is_grouped(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == ',' && strspn(s + i + 1, "0123456789") != 3) return false;
    return true;
}

/* Suggests a spelling for 5.000,5 or 5,000. p->word is the first comma. */
static bool hints_of_comma(const struct parser *p, char out[HINTS_BYTES])
{
    const char *comma = p->text + p->word.at, *from = comma;
    char plain[64];
    while (from > p->text && (hints_is_digit(from[-1]) || from[-1] == '.'))
        from--;
    size_t n = (size_t)(comma - from) + strspn(comma, "0123456789,.");
    if (from == comma || !hints_is_digit(comma[1]) || n >= sizeof plain) return false;
    struct grouped form = hints_form(p->scope);
    bool grouped = form.thousands == ',' ||
                   (form.decimal != ',' && !form.thousands && hints_is_grouped(from, n));
    hints_without(plain, from, n, grouped ? ',' : '.');
    char *decimal = strchr(plain, ',');
    if (decimal) *decimal = '.';
    snprintf(out, HINTS_BYTES, ": %.*s is written %s in an expression", (int)n, from, plain);
    return true;
}

/* ---- choice of a hint ---- */

/* Suggests a spelling for a Lua method call such as x:sub(1, 2). p->word is the colon. */
static bool hints_of_method(const struct parser *p, char out[HINTS_BYTES])
{
    struct word name = lexer_look(p->text, p->next);
    const char *cure = hints_find(hints_methods, N_METHODS, name.text, name.len);
    snprintf(out, HINTS_BYTES, ": %s%s",
             cure ? "write " : "write the function before the value, as in ",
             cure ? cure : "lower(x)");
    return true;
}

const char *hints_of_word(const struct parser *p, char out[HINTS_BYTES])
{
    const struct word *w = &p->word;
    const char *cure =
        hints_find(hints_words, sizeof hints_words / sizeof *hints_words, w->text, w->len);
    if (cure) return cure;
    if (word_is(w, ":") && hints_of_method(p, out)) return out;
    if (word_is(w, ",") && hints_of_comma(p, out)) return out;
    if (w->kind == LEX_NAME && hints_of_sign(w->text, w->len, out)) return out;
    return "";
}
