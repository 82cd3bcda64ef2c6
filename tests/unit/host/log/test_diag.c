/* test_diag.c -- problems come in the order of the script; suggestions are similar names. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log/diag.h"

static char *printed(const struct diag *d)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    diag_print(d, out);
    fclose(out);
    return text;
}

static void add(struct diag *d, const char *file, int line, const char *text)
{
    diag_add(d, DIAG_ERROR, (struct location){file, line}, NULL, NULL, "%s", text);
}

START_TEST(a_problem_is_one_line_with_place_severity_stage_and_text)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    diag_add(&d, DIAG_ERROR, (struct location){"x.lua", 7}, "model (learn.awm)", "width",
             "width is %d", 3);
    diag_add(&d, DIAG_WARNING, (struct location){"x.lua", 0}, NULL, NULL, "no line");
    diag_add(&d, DIAG_WARNING, (struct location){NULL, 9}, NULL, NULL, "no file");
    char *text = printed(&d);
    ck_assert_ptr_nonnull(strstr(text, "x.lua:7: error: model (learn.awm): width is 3\n"));
    ck_assert_ptr_nonnull(strstr(text, "x.lua: warning: no line\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nwarning: no file\n"));
    ck_assert_uint_eq(d.errors, 1);
    ck_assert_uint_eq(d.warnings, 2);
    free(text);
    arena_free(&a);
}
END_TEST

START_TEST(a_problem_keeps_the_name_of_a_parameter_that_is_gone)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    char name[] = "budget";
    diag_add(&d, DIAG_ERROR, (struct location){0}, "awm (learn.awm)", name, "is 8 here");
    memset(name, 'x', strlen(name));
    char *text = printed(&d);
    ck_assert_str_eq(text, "error: awm (learn.awm): budget: is 8 here\n");
    free(text);
    arena_free(&a);
}
END_TEST

START_TEST(a_problem_names_its_parameter_once)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    diag_add(&d, DIAG_ERROR, (struct location){0}, "csv (parse.csv)", "quote", "is empty");
    diag_add(&d, DIAG_ERROR, (struct location){0}, "csv (parse.csv)", "quote", "quote is empty");
    diag_add(&d, DIAG_ERROR, (struct location){0}, "csv (parse.csv)", "quote", "quotes are empty");
    diag_add(&d, DIAG_ERROR, (struct location){0}, "csv (parse.csv)", "quote", "unknown: 'quote'");
    char *text = printed(&d);
    ck_assert_str_eq(text, "error: csv (parse.csv): quote: is empty\n"
                           "error: csv (parse.csv): quote is empty\n"
                           "error: csv (parse.csv): quote: quotes are empty\n"
                           "error: csv (parse.csv): unknown: 'quote'\n");
    free(text);
    arena_free(&a);
}
END_TEST

START_TEST(problems_are_printed_by_file_then_line_then_arrival)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    add(&d, "b.lua", 2, "5");
    add(&d, "a.lua", 30, "3");
    add(&d, "a.lua", 4, "1");
    add(&d, "b.lua", 1, "4");
    add(&d, "a.lua", 4, "2");
    add(&d, "b.lua", 2, "6");
    char *text = printed(&d);
    ck_assert_str_eq(text, "a.lua:4: error: 1\na.lua:4: error: 2\na.lua:30: error: 3\n"
                           "b.lua:1: error: 4\nb.lua:2: error: 5\nb.lua:2: error: 6\n");
    free(text);
    arena_free(&a);
}
END_TEST

START_TEST(the_order_of_arrival_does_not_change_the_order_of_lines)
{
    uint64_t seed = 88172645463325252;
    struct arena a = {0};
    struct diag d = {.arena = &a};
    for (int i = 0; i < 500; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        char text[8];
        snprintf(text, sizeof text, "%d", i);
        add(&d, seed & 1 ? "a.lua" : "b.lua", 1 + (int)(seed >> 8) % 50, text);
    }
    size_t n = 0;
    for (const struct problem *p = d.first; p; p = p->next, n++) {
        if (!p->next) continue;
        int files = strcmp(p->at.file, p->next->at.file);
        ck_assert(files < 0 || (files == 0 && p->at.line <= p->next->at.line));
    }
    ck_assert_uint_eq(n, 500);
    arena_free(&a);
}
END_TEST

START_TEST(texts_are_copied)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    char text[] = "before";
    add(&d, NULL, 0, text);
    strcpy(text, "after!");
    ck_assert_str_eq(d.first->text, "before");
    arena_free(&a);
}
END_TEST

static const char *const words[] = {"width", "depth", "lambda", "budget", "names", "window"};
static const char *suggest(const char *word)
{
    return diag_suggest(word, words, sizeof words / sizeof *words);
}

START_TEST(slips_of_the_keyboard_find_the_word)
{
    static const struct {
        const char *slip, *want;
    } slips[] = {{"wdith", "width"},   {"widht", "width"},  {"with", "width"},
                 {"widthh", "width"},  {"lamda", "lambda"}, {"lambada", "lambda"},
                 {"bugdet", "budget"}, {"dpeth", "depth"},  {"names", "names"},
                 {"name", "names"},    {"widnow", "window"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const char *got = suggest(slips[i].slip);
        ck_assert_msg(got && !strcmp(got, slips[i].want), "%s: %s", slips[i].slip,
                      got ? got : "none");
    }
}
END_TEST

START_TEST(the_beginning_of_a_word_finds_it)
{
    ck_assert_str_eq(suggest("bud"), "budget");
    ck_assert_str_eq(suggest("LAMB"), "lambda");
    ck_assert_str_eq(suggest("budget_bytes"), "budget");
}
END_TEST

START_TEST(nothing_is_suggested_for_words_that_are_far_from_all)
{
    static const char *const far[] = {"xylophone", "regularisation", "zq", "aaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        ck_assert_msg(!suggest(far[i]), "%s: %s", far[i], suggest(far[i]));
    ck_assert_ptr_null(diag_suggest("word", NULL, 0));
}
END_TEST

START_TEST(words_longer_than_any_table_are_compared_without_harm)
{
    char giant[5000];
    memset(giant, 'w', sizeof giant - 1);
    giant[sizeof giant - 1] = 0;
    const char *const candidates[] = {giant, "width"};
    ck_assert_ptr_null(diag_suggest("depth", candidates, 2));
    ck_assert_str_eq(diag_suggest("widht", candidates, 2), "width");
    ck_assert_ptr_null(diag_suggest(giant, candidates + 1, 1));
    suggest("");
}
END_TEST

/* Every word one edit away from a candidate of five letters or more finds a candidate. */
START_TEST(any_single_edit_of_a_long_word_is_near)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t n = strlen(words[w]);
        for (size_t i = 0; i < n; i++) {
            char dropped[16], doubled[16], changed[16], swapped[16];
            snprintf(dropped, sizeof dropped, "%.*s%s", (int)i, words[w], words[w] + i + 1);
            snprintf(doubled, sizeof doubled, "%.*s%s", (int)i + 1, words[w], words[w] + i);
            strcpy(changed, words[w]);
            changed[i] = 'q';
            strcpy(swapped, words[w]);
            if (i + 1 < n) swapped[i] = words[w][i + 1], swapped[i + 1] = words[w][i];
            const char *const slips[] = {dropped, doubled, changed, swapped};
            for (size_t k = 0; k < 4; k++) {
                const char *got = suggest(slips[k]);
                ck_assert_msg(got && !strcmp(got, words[w]), "%s: %s", slips[k],
                              got ? got : "none");
            }
        }
    }
}
END_TEST

LEAT_SUITE("diag", a_problem_is_one_line_with_place_severity_stage_and_text,
           a_problem_keeps_the_name_of_a_parameter_that_is_gone, a_problem_names_its_parameter_once,
           problems_are_printed_by_file_then_line_then_arrival,
           the_order_of_arrival_does_not_change_the_order_of_lines, texts_are_copied,
           slips_of_the_keyboard_find_the_word, the_beginning_of_a_word_finds_it,
           nothing_is_suggested_for_words_that_are_far_from_all,
           words_longer_than_any_table_are_compared_without_harm,
           any_single_edit_of_a_long_word_is_near)
