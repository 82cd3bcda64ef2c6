#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "program/cli/wrap_lines.h"

static char *wrapped(const char *text, size_t width)
{
    char *got = NULL;
    size_t n;
    FILE *f = open_memstream(&got, &n);
    ck_assert_ptr_nonnull(f);
    wrap_lines(f, text, width);
    fclose(f);
    return got;
}

START_TEST(lines_break_at_blanks_and_continue_indented)
{
    static const struct {
        const char *text;
        size_t width;
        const char *shown;
    } cases[] = {
        {"", 10, ""},
        {"\n\n", 10, "\n\n"},
        {"as it  is\n", 9, "as it  is\n"},
        {"one two three four\n", 10, "one two\n  three\n  four\n"},
        {"  one two three\nx\n", 11, "  one two\n    three\nx\n"},
        {"a   b        c\n", 8, "a   b\n  c\n"},
        {"a verylongwordthatstays whole\n", 8, "a\n  verylongwordthatstays\n  whole\n"},
        {"\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n", 6,
         "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = wrapped(cases[i].text, cases[i].width);
        ck_assert_str_eq(got, cases[i].shown);
        free(got);
    }
}
END_TEST

START_TEST(no_line_is_wider_and_no_word_is_lost)
{
    static const char text[] = "    pool of csv (parse.csv) has 4 batches of  1 MB   and more\n";
    for (size_t width = 18; width < 70; width++) {
        char *got = wrapped(text, width), *save = NULL, copy[sizeof text];
        for (char *line = got, *end; (end = strchr(line, '\n')); line = end + 1)
            ck_assert_uint_le(text_width(line, (size_t)(end - line)), width);
        strcpy(copy, text);
        char *at = got;
        for (char *w = strtok_r(copy, " \n", &save); w; w = strtok_r(NULL, " \n", &save)) {
            at = strstr(at, w);
            ck_assert_ptr_nonnull(at);
            at += strlen(w);
        }
        free(got);
    }
}
END_TEST

LEAT_SUITE("wrap_lines", lines_break_at_blanks_and_continue_indented,
           no_line_is_wider_and_no_word_is_lost)
