/* test_escape.c -- names of any content in HTML and in Markdown. */
#include "support/suite.h"

#include <string.h>

#include "program/page/escape.h"
#include "support/written.h"

static const char *escaped(void (*escape)(struct text_out *, const char *, size_t), const char *s,
                           size_t n)
{
    struct text_out out = written_begin();
    escape(&out, s, n);
    return written_end(&out);
}

#define HTML(S)     escaped(escape_html, S, sizeof(S) - 1)
#define MARKDOWN(S) escaped(escape_markdown, S, sizeof(S) - 1)

START_TEST(markup_becomes_text)
{
    ck_assert_str_eq(HTML("<script>alert('x')</script>"),
                     "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
    ck_assert_str_eq(HTML("\" onload=\"x&amp;"), "&quot; onload=&quot;x&amp;amp;");
    ck_assert_str_eq(MARKDOWN("<b>a|b</b> `c` [d](e) *f* _g_ \\"),
                     "&lt;b\\>a\\|b&lt;/b\\> \\`c\\` \\[d\\](e) \\*f\\* \\_g\\_ \\\\");
}
END_TEST

START_TEST(ordinary_names_stay_as_they_are)
{
    ck_assert_str_eq(HTML("dep_delay=caf\xc3\xa9 \xe6\x97\xa5"),
                     "dep_delay=caf\xc3\xa9 \xe6\x97\xa5");
    ck_assert_str_eq(MARKDOWN("dep_delay=caf\xc3\xa9"), "dep_delay=caf\xc3\xa9");
}
END_TEST

START_TEST(what_acts_on_its_surroundings_is_shown_by_number)
{
    ck_assert_str_eq(HTML("a\xe2\x80\xae"
                          "b"),
                     "a[U+202E]b");
    ck_assert_str_eq(HTML("a\x1b[2J\n\0z"), "a[U+001B][2J[U+000A][U+0000]z");
    ck_assert_str_eq(HTML("\x7f\xc2\x85\xef\xbf\xbf"), "[U+007F][U+0085][U+FFFF]");
    ck_assert_str_eq(MARKDOWN("a\nb"), "a[U+000A]b");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_replaced_one_by_one)
{
    ck_assert_str_eq(HTML("a\xff\xe2\x80z\xc3"),
                     "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd");
}
END_TEST

START_TEST(a_long_name_keeps_its_ends)
{
    static char name[10000];
    memset(name, 'm', sizeof name);
    memcpy(name, "first", 5);
    memcpy(name + sizeof name - 4, "last", 4);
    const char *text = escaped(escape_html, name, sizeof name);
    ck_assert_uint_lt(strlen(text), ESCAPE_LONGEST + 8);
    ck_assert(!strncmp(text, "first", 5));
    ck_assert_str_eq(text + strlen(text) - 4, "last");
    ck_assert_ptr_nonnull(strstr(text, " \xe2\x80\xa6 "));
    memset(name, 'm', sizeof name);
    ck_assert_uint_eq(strlen(escaped(escape_html, name, ESCAPE_LONGEST)), ESCAPE_LONGEST);
}
END_TEST

START_TEST(the_middle_is_cut_between_characters)
{
    static char name[3 * 1000];
    for (size_t i = 0; i < sizeof name; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 3);
    const char *text = escaped(escape_html, name, sizeof name);
    ck_assert_ptr_null(strstr(text, "\xef\xbf\xbd"));
}
END_TEST

LEAT_SUITE("escape", markup_becomes_text, ordinary_names_stay_as_they_are,
           what_acts_on_its_surroundings_is_shown_by_number,
           bytes_that_are_no_utf8_are_replaced_one_by_one, a_long_name_keeps_its_ends,
           the_middle_is_cut_between_characters)
