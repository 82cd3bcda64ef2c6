/* exposition.c -- implementation of exposition.h: escapes texts and writes samples. */
#include "exposition.h"

#include <math.h>
#include <string.h>

#include "core/text/utf8.h"

/* Prints a help text. Escapes line feeds, which would end the line. */
static void put_help(struct text_out *o, const char *s)
{
    for (; *s; s++)
        if (*s == '\n')
            text_str(o, "\\n");
        else if (*s == '\\')
            text_str(o, "\\\\");
        else
            text_char(o, *s);
}

void exposition_family(struct exposition *e, const char *name, const char *type, const char *help)
{
    e->name = name;
    text_str(e->out, "# HELP ");
    text_str(e->out, name);
    text_char(e->out, ' ');
    put_help(e->out, help);
    text_str(e->out, "\n# TYPE ");
    text_str(e->out, name);
    text_char(e->out, ' ');
    text_str(e->out, type);
    text_char(e->out, '\n');
}

static void exposition_put_value(struct text_out *o, const char *s)
{
    const size_t n = strlen(s);
    for (size_t i = 0, len; i < n; i += len ? len : 1) {
        len = utf8_length((const unsigned char *)s + i, n - i);
        if (!len)
            text_str(o, UTF8_REPLACEMENT);
        else if (s[i] == '\n')
            text_str(o, "\\n");
        else if (s[i] == '\\' || s[i] == '"')
            text_char(o, '\\'), text_char(o, s[i]);
        else
            text_bytes(o, s + i, len);
    }
}

static void exposition_put_number(struct text_out *o, double x)
{
    if (isnan(x))
        text_str(o, "NaN");
    else if (isinf(x))
        text_str(o, x > 0 ? "+Inf" : "-Inf");
    else
        text_double(o, x);
}

void exposition_sample(struct exposition *e, const struct label *labels, double value)
{
    text_str(e->out, e->name);
    for (const struct label *l = labels; l && l->name; l++) {
        text_char(e->out, l == labels ? '{' : ',');
        text_str(e->out, l->name);
        text_str(e->out, "=\"");
        exposition_put_value(e->out, l->value);
        text_char(e->out, '"');
    }
    text_str(e->out, labels && labels->name ? "} " : " ");
    exposition_put_number(e->out, value);
    text_char(e->out, '\n');
}
