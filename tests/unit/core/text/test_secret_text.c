/* test_secret_text.c -- references to secrets in the values of properties. */
#include "core/text/secret_text.h"

#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "support/suite.h"

static char why[300];

static void expands_to(const char *value, const char *wanted)
{
    char *text = secret_expand(value, why, sizeof why);
    ck_assert_msg(text != NULL, "%s: %s", value, why);
    ck_assert_str_eq(text, wanted);
    free(text);
}

static void fails_with(const char *value, const char *text)
{
    ck_assert_ptr_null(secret_expand(value, why, sizeof why));
    ck_assert_msg(strstr(why, text) != NULL, "%s: %s", value, why);
}

START_TEST(a_variable_stands_anywhere_in_a_value)
{
    setenv("LEAT_SECRET", "a${b,=c", 1);
    setenv("LEAT_EMPTY", "", 1);
    expands_to("plain $ {env:X} ${other:y} $", "plain $ {env:X} ${other:y} $");
    expands_to("${env:LEAT_SECRET}", "a${b,=c");
    expands_to("<${env:LEAT_SECRET}|${env:LEAT_EMPTY}|${env:LEAT_SECRET}>", "<a${b,=c||a${b,=c>");
    fails_with("x${env:LEAT_NOWHERE}", "${env:LEAT_NOWHERE}: the environment has no variable");
    fails_with("${env:}", "has no name");
    fails_with("${env:LEAT_SECRET", "no closing }");
}
END_TEST

START_TEST(what_a_variable_holds_is_not_expanded_again)
{
    setenv("LEAT_SECRET", "${env:HOME}", 1);
    expands_to("${env:LEAT_SECRET}", "${env:HOME}");
}
END_TEST

START_TEST(a_file_stands_for_what_it_holds_without_its_last_line_end)
{
    char path[] = "/tmp/leat-secret-XXXXXX", value[100];
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, "two\nlines\r\n", 11), 11);
    snprintf(value, sizeof value, "-${file:%s}-", path);
    expands_to(value, "-two\nlines-");
    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    fails_with(value, "too long, or is not text");
    close(fd);
    unlink(path);
    fails_with(value, "cannot be read: No such file");
}
END_TEST

START_TEST(names_of_secrets_are_known)
{
    static const char *const secret[] = {"sasl.password",
                                         "ssl.key.password",
                                         "ssl.key.pem",
                                         "ssl.keystore.password",
                                         "sasl.oauthbearer.client.secret",
                                         "sasl.oauthbearer.config"};
    static const char *const open[] = {"sasl.username", "ssl.ca.location", "ssl.key.location",
                                       "client.id"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        ck_assert(secret_is_name(secret[i]));
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        ck_assert(!secret_is_name(open[i]));
}
END_TEST

START_TEST(only_the_secret_is_the_secret)
{
    ck_assert(secret_is("sesame", "sesame"));
    ck_assert(!secret_is("sesame", NULL) && !secret_is("sesame", "") &&
              !secret_is("sesame", "sesam") && !secret_is("sesame", "sesames") &&
              !secret_is("sesame", "sesamesesame") && !secret_is("a", "aa") &&
              !secret_is("sesame", "Sesame"));
}
END_TEST

START_TEST(the_token_of_a_bearer_is_found)
{
    ck_assert_str_eq(secret_bearer("Bearer x y"), "x y");
    ck_assert_str_eq(secret_bearer("bearer x"), "x");
    ck_assert(!secret_bearer(NULL) && !secret_bearer("Basic x") && !secret_bearer("Bearer") &&
              !secret_bearer(""));
}
END_TEST

LEAT_SUITE("secret_text", a_variable_stands_anywhere_in_a_value,
           what_a_variable_holds_is_not_expanded_again,
           a_file_stands_for_what_it_holds_without_its_last_line_end, names_of_secrets_are_known,
           only_the_secret_is_the_secret, the_token_of_a_bearer_is_found)
