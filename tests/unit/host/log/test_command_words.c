/* test_command_words.c -- a stage's messages about parameters, in words of the command line. */
#include "host/log/command_words.h"
#include "support/suite.h"

static const char *const NAMES[] = {"header", "short", "delimiter", "min_count"};

static void says(const char *text, const char *expected)
{
    char words[80];
    command_words_take(NAMES, sizeof NAMES / sizeof *NAMES);
    ck_assert_str_eq(command_words(text, words, sizeof words), expected);
}

START_TEST(arguments_are_set_as_they_are_given)
{
    says("set header = false and `columns`", "--set header=false and `columns`");
    says("4 fields (or set short = \"fill\")", "4 fields (or --set short=fill)");
    says("set min_count = 2.5.", "--set min_count=2.5.");
    says("set delimiter = \";\"", "--set delimiter=';'");
    says("set header = true and short = \"fill\" and x = 1",
         "--set header=true and --set short=fill and x = 1");
    says("set short = \"fill\" or set header = true", "--set short=fill or --set header=true");
}
END_TEST

START_TEST(all_else_stays)
{
    static const char *const same[] = {"set bias = \"none\"", "set short = \"a\" or \"b\"",
                                       "reset header = true", "set header",
                                       "set header = ",       "set header = \"",
                                       "--set header = x",    ""};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        says(same[i], same[i]);
}
END_TEST

START_TEST(what_does_not_fit_stays)
{
    char words[16];
    const char *text = "set header = false";
    command_words_take(NAMES, 1);
    ck_assert_ptr_eq(command_words(text, words, sizeof words), text);
    command_words_take(NULL, 0);
    ck_assert_ptr_eq(command_words(text, words, sizeof words), text);
}
END_TEST

START_TEST(an_application_has_options)
{
    command_words_use_options(true);
    says("give --set min_count=VALUE, or --set a='b c'", "give --min-count VALUE, or --a 'b c'");
    says("set header = false and short = \"fill\"", "--header false and --short fill");
    says("--set min_count: no", "--min-count: no");
    says("--set min_count", "--min-count");
    says("merge --set model.max_features=9", "merge --set model.max_features=9");
    says("--set takes key=value", "--set takes key=value");
    command_words_use_options(false);
    says("give --set min_count=VALUE", "give --set min_count=VALUE");
}
END_TEST

LEAT_SUITE("command_words", arguments_are_set_as_they_are_given, all_else_stays,
           what_does_not_fit_stays, an_application_has_options)
