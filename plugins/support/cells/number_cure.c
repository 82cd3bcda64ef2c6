/* number_cure.c -- see number_cure.h. */
#include "number_cure.h"

#include <string.h>

#include "base/text/grouped.h"
#include "kernels/text/decimal.h"

enum { UNIT_MAX = 8 };

/* Can a number begin like this? Most texts that are none cannot, and are looked at no further. */
static bool begins(const char *text, size_t n)
{
    size_t sign = n && (*text == '-' || *text == '+');
    return n > sign && memchr("0123456789.,", text[sign], 12);
}

static bool is_of(const struct grouped *form, const char *text, size_t n)
{
    char plain[GROUPED_MAX];
    double x;
    size_t len = grouped_plain(form, text, n, plain);
    return len && decimal_whole(plain, plain + len, &x) == DECIMAL_OK;
}

const char *number_cure(const char *text, size_t n)
{
    static const struct {
        struct grouped form;
        const char *cure;
    } forms[] = {
        {{',', '\0'}, "set decimal = \",\" if that comma is before a fraction"},
        {{',', '.'}, "set decimal = \",\" and thousands = \".\" if it is one"},
        {{'.', ','}, "set thousands = \",\" if it is one"},
        {{',', ' '}, "set decimal = \",\" and thousands = \" \" if it is one"},
        {{'.', '\''}, "set thousands = \"'\" if it is one"},
    };
    if (!begins(text, n)) return NULL;
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
        {{',', ' '}, "set thousands = \" \" if it is one"},
        {{',', '\''}, "set thousands = \"'\" if it is one"},
    };
    if (!begins(text, n)) return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].form.decimal == decimal && is_of(&forms[i].form, text, n))
            return forms[i].cure;
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

size_t number_unit(const char *text, size_t n)
{
    size_t digits = n, at;
    double x;
    while (digits && is_letter(text[digits - 1]))
        digits--;
    at = digits;
    while (digits && text[digits - 1] == ' ')
        digits--;
    bool unit = at < n && n - at <= UNIT_MAX && digits && begins(text, digits);
    if (n - at == 1 && !strchr("smhdkKMGB%", text[at])) unit = false; /* more likely a slip */
    return unit && decimal_whole(text, text + digits, &x) == DECIMAL_OK ? at : n;
}
