/* test_answers.c -- the table of brokers' errors, beside the list of errors that librdkafka has. */
#include "kafka/client/answers.c"

#include <string.h>

#include "support/suite.h"

static const struct rd_kafka_err_desc *all;
static size_t n_all;

static void list_all(void) { rd_kafka_get_err_descs(&all, &n_all); }

static bool answers_name_has(size_t i, const char *part)
{
    return all[i].name && strstr(all[i].name, part);
}

START_TEST(no_error_is_there_twice)
{
    const size_t n = sizeof answers / sizeof *answers;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_int_ne(answers[i].err, answers[k].err);
}
END_TEST

/* A missing right is final, whichever it is: the names of later versions follow the same form. */
START_TEST(each_missing_right_is_final)
{
    size_t rights = 0;
    list_all();
    for (size_t i = 0; i < n_all; i++) {
        if (!answers_name_has(i, "AUTHORIZATION_FAILED")) continue;
        rights++;
        if (!answers_name_has(i, "DELEGATION_TOKEN"))
            ck_assert_msg(answer_is_final(all[i].code), "%s", all[i].name);
    }
    ck_assert_uint_ge(rights, 4);
}
END_TEST

/* Errors about leaders and coordinators concern the present. */
START_TEST(a_broker_that_does_not_lead_is_waited_for)
{
    size_t n = 0;
    list_all();
    for (size_t i = 0; i < n_all; i++) {
        bool about_now = answers_name_has(i, "LEADER") || answers_name_has(i, "COORD");
        if (!about_now || all[i].code < 0 || answers_name_has(i, "FENCED")) continue;
        if (answers_name_has(i, "PREFERRED") || answers_name_has(i, "ELIGIBLE")) continue;
        n += answer_kind(all[i].code) == ANSWER_WAIT;
        ck_assert_msg(!answer_is_final(all[i].code), "%s", all[i].name);
    }
    ck_assert_uint_ge(n, 5);
}
END_TEST

START_TEST(what_is_not_in_the_table_is_not_final)
{
    ck_assert_int_eq(answer_kind(12345), ANSWER_OTHER);
    ck_assert(!answer_is_final(12345));
    ck_assert_str_eq(answer_advice(12345), "");
}
END_TEST

LEAT_SUITE("answers", no_error_is_there_twice, each_missing_right_is_final,
           a_broker_that_does_not_lead_is_waited_for, what_is_not_in_the_table_is_not_final)
