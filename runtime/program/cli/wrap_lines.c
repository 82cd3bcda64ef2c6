/* wrap_lines.c -- implementation of wrap_lines.h. */
#include "wrap_lines.h"

#include <string.h>

#include "core/report/text_out.h"

/* Prints a word and the blanks before it; starts a new line if the word does not fit. Returns the
 * column after the word. */
static size_t wrap_put_word(FILE *out, const char *s, size_t blanks, size_t n, size_t at,
                            size_t indent, size_t width)
{
    size_t wide = text_width(s + blanks, n);
    if (at && at + blanks + wide > width) {
        fprintf(out, "\n%*s", (int)indent, "");
        at = indent;
        s += blanks;
        blanks = 0;
    }
    fwrite(s, 1, blanks + n, out);
    return at + blanks + wide;
}

static void wrap_line(FILE *out, const char *s, size_t n, size_t width)
{
    size_t indent = 2, at = 0, i = 0;
    while (i < n && s[i] == ' ')
        i++;
    indent += i;
    for (i = 0; i < n;) {
        size_t blanks = 0, word = 0;
        while (i + blanks < n && s[i + blanks] == ' ')
            blanks++;
        while (i + blanks + word < n && s[i + blanks + word] != ' ')
            word++;
        at = wrap_put_word(out, s + i, blanks, word, at, indent, width);
        i += blanks + word;
    }
}

void wrap_lines(FILE *out, const char *text, size_t width)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (text_width(text, n) > width)
            wrap_line(out, text, n, width);
        else
            fwrite(text, 1, n, out);
        fputc('\n', out);
        text += n + (text[n] == '\n');
    }
}
