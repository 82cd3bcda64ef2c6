/* number_cure.c -- implementation of number_cure.h: tries number formats and units on a text. */
#include "number_cure.h"

#include <stdio.h>
#include <string.h>

#include "number_text.h"

enum { UNIT_MAX = 8, SHOWN_NAME = 60 /* most bytes of a column's name in a message */ };

/* True if a number can begin like this text. Most texts that are no numbers fail here, which saves
 * further checks. */
static bool number_cure_begins(const char *text, size_t n)
{
    size_t sign = n && (*text == '-' || *text == '+');
    return n > sign && memchr("0123456789.,", text[sign], 12);
}

static bool is_of(const struct grouped *form, const char *text, size_t n)
{
    char plain[GROUPED_MAX];
    double x;
    size_t len = grouped_plain(form, text, n, plain);
    return len && number_text_double(plain, plain + len, &x) > 0;
}

const char *number_cure(const char *text, size_t n)
{
    static const struct {
        struct grouped form;
        const char *cure;
    } forms[] = {
        {{',', '\0'}, "set decimal = \",\" if that comma is before a fraction"},
        {{',', '.'}, "set decimal = \",\" and thousands = \".\" if it is a number"},
        {{'.', ','}, "set thousands = \",\" if it is a number"},
        {{',', ' '}, "set decimal = \",\" and thousands = \" \" if it is a number"},
        {{'.', '\''}, "set thousands = \"'\" if it is a number"},
    };
    if (!number_cure_begins(text, n)) return NULL;
    if (is_of(&forms[0].form, text, n) && is_of(&forms[2].form, text, n))
        return "set thousands = \",\" if that comma is between thousands, or decimal = \",\" if it "
               "is before a fraction";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (is_of(&forms[i].form, text, n)) return forms[i].cure;
    return NULL;
}

const char *number_group_cure(char decimal, const char *text, size_t n)
{
    static const struct {
        struct grouped form;
        const char *cure;
    } forms[] = {
        {{',', '.'}, "set thousands = \".\" if that dot is between thousands"},
        {{',', ' '}, "set thousands = \" \" if it is a number"},
        {{',', '\''}, "set thousands = \"'\" if it is a number"},
    };
    if (!number_cure_begins(text, n)) return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].form.decimal == decimal && is_of(&forms[i].form, text, n))
            return forms[i].cure;
    return NULL;
}

static bool number_cure_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

size_t number_unit(const char *text, size_t n)
{
    size_t digits = n, at;
    double x;
    while (digits && number_cure_is_letter(text[digits - 1]))
        digits--;
    at = digits;
    while (digits && text[digits - 1] == ' ')
        digits--;
    bool unit = at < n && n - at <= UNIT_MAX && digits && number_cure_begins(text, digits);
    if (n - at == 1 && !strchr("smhdkKMGB%", text[at])) unit = false; /* probably a typing error */
    return unit && number_text_double(text, text + digits, &x) > 0 ? at : n;
}

/* ---- numbers that are too large for a double ---- */

static bool is_digits(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    return i == n;
}

/* True for a decimal number that is larger than the largest double: a number with an exponent, such
 * as "1e400", or hundreds of digits. */
static bool is_beyond(const char *text, size_t n)
{
    double x;
    size_t e = 0, sign, point;
    while (e < n && text[e] != 'e' && text[e] != 'E')
        e++;
    if (e < n) {
        sign = e + 1 < n && text[e + 1] == '+';
        return n > e + 1 + sign && is_digits(text + e + 1 + sign, n - e - 1 - sign) &&
               number_text_double(text, text + e, &x) > 0 && x != 0;
    }
    sign = n && (*text == '-' || *text == '+');
    for (point = sign; point < n && text[point] != '.';)
        point++;
    return n > sign && is_digits(text + sign, point - sign) &&
           (point == n || is_digits(text + point + 1, n - point - 1));
}

bool number_is_too_large(const struct grouped *form, const char *text, size_t n)
{
    char plain[GROUPED_MAX];
    double x;
    if (!grouped_is_plain(form)) {
        n = grouped_plain(form, text, n, plain);
        text = plain;
    }
    return n && number_text_double(text, text + n, &x) < 0 && is_beyond(text, n);
}

/* ---- whole messages about a refused text ---- */

static const char *settings_of(const struct number_refused *w)
{
    return w->form.thousands ? NULL
           : w->form.decimal ? number_group_cure(w->form.decimal, w->text, w->n)
                             : number_cure(w->text, w->n);
}

/* Writes the part of the message that suggests settings; "" if none would help. */
static void write_cure(const struct number_refused *w, char *to, size_t cap)
{
    const int column = (int)(w->n_column < SHOWN_NAME ? w->n_column : SHOWN_NAME);
    const char *settings = settings_of(w);
    size_t unit = number_unit(w->text, w->n);
    *to = '\0';
    if (!w->column) return;
    if (settings && w->form.decimal)
        snprintf(to, cap, ": for parse.csv %s", settings);
    else if (settings)
        snprintf(to, cap,
                 ": for parse.csv give numbers = { \"%.*s\" }, and %s; for other formats "
                 "convert it with shape.set, by replace and number",
                 column, w->column, settings);
    else if (unit < w->n)
        snprintf(to, cap,
                 ": remove the unit, by shape.set { \"%.*s = number(replace(%.*s, '%.*s', ''))\" }",
                 column, w->column, column, w->column, (int)(w->n - unit), w->text + unit);
}

const char *number_refusal(const struct number_refused *what, char to[NUMBER_REFUSAL], bool *cured)
{
    char cure[NUMBER_REFUSAL / 2 + 80], form[GROUPED_NAME];
    *cured = true;
    if (number_is_too_large(&what->form, what->text, what->n)) return NUMBER_TOO_LARGE;
    write_cure(what, cure, sizeof cure);
    *cured = *cure != '\0';
    snprintf(to, NUMBER_REFUSAL, "not a number%s%s", grouped_name(&what->form, form), cure);
    return to;
}
