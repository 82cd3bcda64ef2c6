/* test_page.c -- pages of small summaries: content, well-formedness, and harmlessness of any
 * summary. */
#include "support/suite.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/page/page.h"

/* ---- well-formedness ---- */

struct walk {
    const char *at;
    char open[64][32]; /* elements that are not closed yet */
    int depth;
};

static bool is_entity(const char *s)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (int i = 0; i < 5; i++)
        if (!strncmp(s, known[i], strlen(known[i]))) return true;
    return false;
}

/* Returns the end of a tag, after its '>', from the end of its name; NULL if it is not
 * well-formed. */
static const char *attributes_end(const char *s, bool *closed)
{
    while (*s && *s != '>' && *s != '/') {
        if (*s == '<') return NULL;
        if (*s++ != '"') continue;
        s += strcspn(s, "\"<");
        if (*s++ != '"') return NULL;
    }
    *closed = *s == '/';
    s += *closed;
    return *s == '>' ? s + 1 : NULL;
}

static bool walk_tag(struct walk *w)
{
    bool closes = w->at[1] == '/', closed = false;
    const char *name = w->at + 1 + closes;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    const char *end = n && n < 32 ? attributes_end(name + n, &closed) : NULL;
    if (!end) return false;
    w->at = end;
    if (closes)
        return w->depth > 0 && strlen(w->open[--w->depth]) == n &&
               !strncmp(w->open[w->depth], name, n);
    if (closed) return true;
    snprintf(w->open[w->depth++], 32, "%.*s", (int)n, name);
    return w->depth < 64;
}

/* Checks that elements nest, attributes are quoted, '&' begins an entity, and no control occurs. */
static bool is_well_formed(const char *html)
{
    static const char doctype[] = "<!DOCTYPE html>\n";
    struct walk w = {.at = html + sizeof doctype - 1};
    if (strncmp(html, doctype, sizeof doctype - 1)) return false;
    while (*w.at) {
        if (*w.at == '<') {
            if (!walk_tag(&w)) return false;
            continue;
        }
        if (*w.at == '&' && !is_entity(w.at)) return false;
        if ((unsigned char)*w.at < 0x20 && *w.at != '\n') return false;
        w.at++;
    }
    return w.depth == 0;
}

/* ---- pages ---- */

static char *page_of(const json_t *const *summary, size_t n, enum page_format format)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(page_write(out, format, summary, n), 0);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_eq(strlen(text), len);
    return text;
}

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *o = json_loads(text, JSON_ALLOW_NUL, &error);
    ck_assert_msg(o != NULL, "%d: %s", error.line, error.text);
    return o;
}

static const char small[] =
    "{\"pipeline\":\"explain\",\"version\":\"1.2\",\"question\":\"Why?\",\"records\":1000,"
    "\"rejected\":2,\"rejections\":{\"label\":2},\"rejection_examples\":{\"label\":\"a.csv:7: "
    "'x'\"},"
    "\"finished\":\"2026-11-23T10:00:00Z\",\"seed\":1,\"command\":\"leat run explain.lua\","
    "\"event_time\":{\"first\":\"2026-01-01T00:00:00Z\",\"last\":\"2026-01-02T00:00:00Z\"},"
    "\"inputs\":[{\"source\":\"file\",\"records\":1000,\"bytes\":2048,\"names\":[\"a.csv\"]}],"
    "\"answers\":[{\"sink\":\"top\",\"learner\":\"model\",\"title\":\"Apart\",\"examples\":2000,"
    "\"time\":null,\"columns\":[\"relative_risk\",\"relative_risk_low\",\"relative_risk_high\","
    "\"count\"],\"shown\":[\"relative_risk=RR\"],\"rows\":[{\"feature\":\"a=<b>\","
    "\"relative_risk\":8,\"relative_risk_low\":4,\"relative_risk_high\":16,\"count\":9},"
    "{\"feature\":\"c=d\",\"relative_risk\":2,\"relative_risk_low\":2,\"relative_risk_high\":2,"
    "\"count\":5}],\"moments\":[{\"examples\":1000,\"time\":null,\"features\":[\"c=d\",\"old\"]},"
    "{\"examples\":2000,\"time\":null,\"features\":[\"a=<b>\",\"c=d\"]}]}],"
    "\"stages\":[{\"id\":\"model\",\"plugin\":\"learn.awm\",\"in\":1000,\"out\":1000,"
    "\"filtered\":0,\"rejected\":0,\"seconds\":0.5,\"in_order\":true,"
    "\"metrics\":{\"examples\":2000,\"error_rate\":0.25,\"error_rate_constant\":0.5},"
    "\"curve\":[{\"examples\":1000,\"error_rate\":0.3,\"error_rate_since\":0.3},"
    "{\"examples\":2000,\"error_rate\":0.25,\"error_rate_since\":0.2}],"
    "\"reliability\":[{\"predicted\":0.1,\"observed\":0.2}],"
    "\"roc\":[{\"false_positives\":0,\"true_positives\":0},{\"false_positives\":1,"
    "\"true_positives\":1}],\"planned_bytes\":4096,\"parameters\":{\"budget\":\"\\\"8KB\\\"\"},"
    "\"defaults\":{\"budget\":\"\\\"1MB\\\"\"}}],\"plan\":{\"bytes\":65536},"
    "\"warnings\":[\"few records\"]}";

static const char small_markdown[] =
    "# Why?\n\nleat report, pipeline explain\n\n"
    "model is wrong on 25.0 % of the 2,000 records, the best constant on 50.0 %.\n\n"
    "1,000 records of a.csv (2048 B), 2 rejected; event time 2026-01-01 00:00:00 UTC to 2026-01-02 "
    "00:00:00 UTC; run of 2026-11-23 10:00:00 UTC.\n\n"
    "## Apart\n\nmodel, 2,000 examples\n\n"
    "| \\# | feature | RR |\n| ---: | --- | ---: |\n"
    "| 1 | a=&lt;b\\> | 4–16 ? |\n| 2 | c=d | 2 |\n\n"
    "> The true value lies between the two numbers, which are the ends of the bar; a question mark "
    "means that they are far apart.\n\n"
    "> **Warning:** few records\n\n"
    "## How well it predicts\n\n"
    "Each example was predicted before it was learned; constant predicts without any feature\n\n"
    "| learner | error | examples |\n| --- | ---: | ---: |\n"
    "| model | 0.2500 | 2,000 |\n| constant | 0.5000 | - |\n\n"
    "> Error: the share of wrong predictions.\n\n"
    "## What entered and left\n\nmodel: the first 2 at 2 moments, from 1,000 to 2,000\n\n"
    "| last rank | feature | entered (examples) | left (examples) | best rank |\n"
    "| ---: | --- | ---: | ---: | ---: |\n"
    "| 1 | a=&lt;b\\> | 2,000 | - | 1 |\n| 2 | c=d | 1,000 | - | 1 |\n| - | old | 1,000 | 2,000 "
    "| 2 |\n\n";

START_TEST(a_page_in_markdown_says_what_the_summary_has)
{
    json_t *o = parsed(small);
    char *text = page_of(&(const json_t *){o}, 1, PAGE_MARKDOWN);
    text[sizeof small_markdown - 1] = 0;
    ck_assert_str_eq(text, small_markdown);
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(a_page_has_every_part)
{
    static const char *const parts[] = {"<title>Why?</title>",
                                        "<h1>Why?</h1>",
                                        "a=<wbr/>&lt;b&gt;",
                                        "class=\"range wide\"",
                                        "4\xe2\x80\x93"
                                        "16 ?",
                                        "What entered and left",
                                        "class=\"ranks\"",
                                        "Error rate over the run",
                                        "Calibration",
                                        "ROC curve",
                                        "a.csv:7: &#39;x&#39;",
                                        "&quot;8KB&quot;",
                                        "&quot;1MB&quot;",
                                        "64.0 KB",
                                        "leat run explain.lua",
                                        "leat 1.2, seed 1"};
    json_t *o = parsed(small);
    char *text = page_of(&(const json_t *){o}, 1, PAGE_HTML);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s is missing", parts[i]);
    ck_assert(is_well_formed(text));
    ck_assert_ptr_null(strstr(text, "<script"));
    ck_assert_ptr_null(strstr(text, "http"
                                    "s:"));
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(the_same_summary_gives_the_same_bytes)
{
    json_t *o = parsed(small);
    for (enum page_format f = 0; f < PAGE_FORMATS; f++) {
        char *a = page_of(&(const json_t *){o}, 1, f), *b = page_of(&(const json_t *){o}, 1, f);
        ck_assert_str_eq(a, b);
        free(a);
        free(b);
    }
    json_decref(o);
}
END_TEST

START_TEST(several_summaries_are_one_page)
{
    json_t *o = parsed(small);
    const json_t *two[] = {o, o};
    char *text = page_of(two, 2, PAGE_HTML);
    ck_assert(is_well_formed(text));
    const char *first = strstr(text, "<h1>");
    ck_assert_ptr_nonnull(strstr(first + 1, "<h1>"));
    ck_assert_ptr_nonnull(strstr(text, "id=\"t4\"")); /* ids are not repeated */
    free(text);
    json_decref(o);
}
END_TEST

static const char evil[] = "\\u0000\\u001b<script>&\\\"'`|\\u202e]]>--><!--\\ud83d\\ude00";

/* Returns a copy in which every text is hostile. */
static json_t *hostile(const json_t *o)
{
    json_t *copy = json_object(), *v;
    const char *key;
    size_t i;
    if (json_is_string(o)) {
        char text[sizeof evil + 2];
        snprintf(text, sizeof text, "\"%s\"", evil);
        json_decref(copy);
        return json_loads(text, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    }
    if (json_is_array(o)) {
        json_decref(copy);
        copy = json_array();
        json_array_foreach((json_t *)o, i, v) { json_array_append_new(copy, hostile(v)); }
        return copy;
    }
    if (!json_is_object(o)) {
        json_decref(copy);
        return json_deep_copy(o);
    }
    json_object_foreach((json_t *)o, key, v) { json_object_set_new(copy, key, hostile(v)); }
    return copy;
}

START_TEST(hostile_texts_stay_texts)
{
    json_t *o = parsed(small), *bad = hostile(o);
    char *text = page_of(&(const json_t *){bad}, 1, PAGE_HTML);
    ck_assert(is_well_formed(text));
    ck_assert_ptr_null(strstr(text, "<script"));
    ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
    free(text);
    text = page_of(&(const json_t *){bad}, 1, PAGE_MARKDOWN);
    ck_assert_ptr_null(strstr(text, "<script"));
    free(text);
    json_decref(bad);
    json_decref(o);
}
END_TEST

/* Replaces member number *left of o, counted through all nested members, by `by`. */
static void replace(json_t *o, int *left, json_t *by)
{
    const char *key;
    void *next;
    json_t *v;
    size_t i;
    json_object_foreach_safe(o, next, key, v)
    {
        if ((*left)-- == 0) json_object_set(o, key, by);
        if (*left >= 0) replace(json_object_get(o, key), left, by);
    }
    json_array_foreach(o, i, v)
    {
        if ((*left)-- == 0) json_array_set(o, i, by);
        if (*left >= 0) replace(json_array_get(o, i), left, by);
    }
}

START_TEST(members_of_other_types_do_no_harm)
{
    json_t *by[] = {json_null(), json_integer(-7), json_real(1e300), json_string("x"),
                    json_true(), json_object(),    json_array()};
    for (int k = 0; k < 7; k++)
        for (int member = 0, done = 0; !done; member++) {
            json_t *o = parsed(small);
            int left = member;
            replace(o, &left, by[k]);
            done = left >= 0;
            if (!page_fault(o)) {
                char *text = page_of(&(const json_t *){o}, 1, PAGE_HTML);
                ck_assert_msg(is_well_formed(text), "member %d by %d", member, k);
                free(text);
            }
            json_decref(o);
        }
    for (int k = 0; k < 7; k++)
        json_decref(by[k]);
}
END_TEST

START_TEST(a_curve_of_one_value_has_a_scale)
{
    static const char *const rates[] = {"0", "1e300", "1e16", "-1e300", "5e-324"};
    for (int i = 0; i < 5; i++) {
        json_t *o =
            json_pack("{s:s, s:[{s:s, s:{s:i}, s:[{s:i, s:f}, {s:i, s:f}]}]}", "pipeline", "p",
                      "stages", "id", "m", "metrics", "error_rate", 0, "curve", "examples", 1,
                      "error_rate", atof(rates[i]), "examples", 2, "error_rate", atof(rates[i]));
        ck_assert_ptr_nonnull(o);
        char *text = page_of(&(const json_t *){o}, 1, PAGE_HTML);
        ck_assert_msg(is_well_formed(text), "%s", rates[i]);
        ck_assert_ptr_nonnull(strstr(text, "class=\"grid\""));
        free(text);
        json_decref(o);
    }
}
END_TEST

/* The page omits a sink that shows a learner, because that sink writes answers. */
START_TEST(what_sinks_wrote_and_where_is_said)
{
    json_t *o =
        parsed("{\"pipeline\":\"p\",\"answers\":[{\"sink\":\"top\",\"rows\":[]}],\"stages\":["
               "{\"id\":\"file2\",\"plugin\":\"sink.file\",\"out\":1234,"
               "\"parameters\":{\"path\":\"\\\"m.csv\\\"\"}},"
               "{\"id\":\"rest\",\"plugin\":\"sink.file\",\"out\":5,"
               "\"defaults\":{\"path\":\"\\\"-\\\"\"}},"
               "{\"id\":\"lost\",\"plugin\":\"sink.null\",\"out\":6},"
               "{\"id\":\"top\",\"plugin\":\"sink.top\",\"out\":7,"
               "\"parameters\":{\"path\":\"\\\"t\\\"\"}}]}");
    char *text = page_of(&(const json_t *){o}, 1, PAGE_MARKDOWN);
    ck_assert_ptr_nonnull(strstr(text, "## What was written\n\n| written to | sink | rows |\n"
                                       "| --- | --- | ---: |\n| m.csv | file2 | 1,234 |\n"
                                       "| standard output | rest | 5 |\n\n"));
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(figures_of_stages_are_shown)
{
    json_t *o = parsed(
        "{\"pipeline\":\"p\",\"stages\":["
        "{\"id\":\"risk\",\"plugin\":\"eval.risk\",\"metrics\":{\"correlation\":0.75,\"kept\":0,"
        "\"odd\":\"x\",\"n\":4},"
        "\"figures\":{\"correlation\":{\"unit\":\"1\"},\"n\":{\"unit\":\"rows\"}}},"
        "{\"plugin\":\"eval.none\",\"metrics\":{\"nameless\":1}},"
        "{\"id\":\"m\",\"metrics\":{\"auc\":0.5},\"curve\":[]}]}");
    char *text = page_of(&(const json_t *){o}, 1, PAGE_MARKDOWN);
    ck_assert_ptr_nonnull(strstr(text, "Figures of stages\n\n"
                                       "| stage | figure | value | unit |\n"
                                       "| --- | --- | ---: | --- |\n"
                                       "| risk | correlation | 0.75 |  |\n"
                                       "| risk | n | 4 | rows |\n"));
    ck_assert_ptr_null(strstr(text, "| auc |"));
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(the_last_rows_of_what_stages_made_are_shown)
{
    json_t *o = parsed(
        "{\"pipeline\":\"p\",\"stages\":["
        "{\"id\":\"file2\",\"plugin\":\"sink.file\",\"out\":1234,"
        "\"parameters\":{\"path\":\"\\\"m.csv\\\"\"},"
        "\"last_rows\":{\"columns\":[\"sum_x\",\"<b>\"],\"rows\":[[\"1.5\",null],"
        "[\"70000000000\",\"|\"]],"
        "\"more_columns\":2}},"
        "{\"id\":\"few\",\"plugin\":\"sink.file\",\"out\":1,"
        "\"parameters\":{\"path\":\"\\\"f\\\"\"},"
        "\"last_rows\":{\"columns\":[\"a\"],\"rows\":[[\"x\"]]}},"
        "{\"id\":\"odd\",\"plugin\":\"sink.file\",\"out\":1,"
        "\"parameters\":{\"path\":\"\\\"o\\\"\"},"
        "\"last_rows\":{\"columns\":[7,{}],\"rows\":[7,[[]],{}]}},"
        "{\"id\":\"none\",\"plugin\":\"sink.null\",\"out\":1,\"last_rows\":{\"columns\":[\"a\"],"
        "\"rows\":[[\"y\"]]}}]}");
    char *text = page_of(&(const json_t *){o}, 1, PAGE_MARKDOWN);
    ck_assert_ptr_nonnull(strstr(text,
                                 "The last 2 of 1,234 rows in m.csv, without 2 further columns\n\n"
                                 "| sum_x | &lt;b\\> |\n| --- | --- |\n| 1.5 | - |\n"
                                 "| 70000000000 | \\| |\n"));
    ck_assert_ptr_nonnull(strstr(text, "All rows in f\n\n| a |\n| --- |\n| x |\n"));
    ck_assert_ptr_null(strstr(text, "| y |"));
    free(text);
    text = page_of(&(const json_t *){o}, 1, PAGE_HTML);
    ck_assert(is_well_formed(text));
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(what_is_missing_is_left_out_and_said)
{
    json_t *o = parsed("{\"pipeline\":\"p\",\"stages\":[{\"id\":\"m\",\"metrics\":{\"rmse\":1}}],"
                       "\"answers\":[{\"rows\":[]}]}");
    char *text = page_of(&(const json_t *){o}, 1, PAGE_HTML);
    ck_assert(is_well_formed(text));
    ck_assert_ptr_nonnull(strstr(text, "no learning curves"));
    ck_assert_ptr_nonnull(strstr(text, "no command line"));
    ck_assert_ptr_null(strstr(text, "What entered and left"));
    free(text);
    json_decref(o);
}
END_TEST

START_TEST(what_is_no_summary_is_refused)
{
    json_t *empty = json_object(), *none = parsed("{\"pipeline\":\"p\",\"stages\":[]}"),
           *good = parsed(small);
    ck_assert_ptr_nonnull(page_fault(empty));
    ck_assert_ptr_nonnull(page_fault(none));
    ck_assert_ptr_null(page_fault(good));
    json_decref(empty);
    json_decref(none);
    json_decref(good);
}
END_TEST

START_TEST(a_name_ends_in_its_format)
{
    ck_assert_int_eq(page_format_of("a.html"), PAGE_HTML);
    ck_assert_int_eq(page_format_of("a.b.HTM"), PAGE_HTML);
    ck_assert_int_eq(page_format_of("/x/a.md"), PAGE_MARKDOWN);
    ck_assert_int_eq(page_format_of("a.pdf"), PAGE_FORMATS);
    ck_assert_int_eq(page_format_of(".md"), PAGE_FORMATS);
    ck_assert_int_eq(page_format_of(""), PAGE_FORMATS);
}
END_TEST

START_TEST(an_output_that_fails_is_an_error)
{
    json_t *o = parsed(small);
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    setvbuf(full, NULL, _IONBF, 0);
    ck_assert_int_ne(page_write(full, PAGE_HTML, &(const json_t *){o}, 1), 0);
    fclose(full);
    json_decref(o);
}
END_TEST

LEAT_SUITE("page", a_page_in_markdown_says_what_the_summary_has, a_page_has_every_part,
           the_same_summary_gives_the_same_bytes, several_summaries_are_one_page,
           hostile_texts_stay_texts, members_of_other_types_do_no_harm,
           a_curve_of_one_value_has_a_scale, what_is_missing_is_left_out_and_said,
           what_sinks_wrote_and_where_is_said, the_last_rows_of_what_stages_made_are_shown,
           figures_of_stages_are_shown, what_is_no_summary_is_refused, a_name_ends_in_its_format,
           an_output_that_fails_is_an_error)
