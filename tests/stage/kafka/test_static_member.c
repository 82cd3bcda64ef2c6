/* test_static_member.c -- names of members: no two living members have one name. */
#include "kafka/source/static_member.c"
#include "kafka/states/states.c"

#include <signal.h>
#include <sys/wait.h>

#include "support/suite.h"

static const struct consumer_cfg cfg = {.brokers = "b:9092", .group = "g", .instance = "auto"};

static void open_as(struct static_member *m, const char *instance, const char *group)
{
    struct consumer_cfg c = cfg;
    c.instance = instance;
    c.group = group;
    static_member_open(m, &c, "p");
}

START_TEST(members_of_one_place_have_different_names)
{
    struct static_member m[5];
    for (int i = 0; i < 5; i++) {
        static_member_open(&m[i], &cfg, "p");
        ck_assert(static_member_leaves(&m[i]));
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(m[i].name, m[k].name);
    }
    for (int i = 0; i < 5; i++)
        static_member_close(&m[i]);
}
END_TEST

START_TEST(a_name_that_is_free_again_is_the_next_members)
{
    char first[STATIC_MEMBER_NAME];
    struct static_member a, b, c;
    static_member_open(&a, &cfg, "p");
    static_member_open(&b, &cfg, "p");
    memcpy(first, a.made, sizeof first);
    static_member_close(&a);
    static_member_open(&c, &cfg, "p");
    ck_assert_str_eq(c.name, first);
    static_member_close(&b);
    static_member_close(&c);
}
END_TEST

/* A child takes the name, and is killed while it has it. */
START_TEST(a_killed_process_leaves_its_name_to_the_next)
{
    int ready[2], state;
    char took[STATIC_MEMBER_NAME];
    struct static_member m;
    ck_assert(!pipe(ready));
    pid_t child = fork();
    if (!child) {
        static_member_open(&m, &cfg, "p");
        if (write(ready[1], m.made, sizeof m.made) != sizeof m.made) _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], took, sizeof took), sizeof took);
    static_member_open(&m, &cfg, "p");
    ck_assert_str_ne(m.name, took);
    static_member_close(&m);
    ck_assert(!kill(child, SIGKILL) && waitpid(child, &state, 0) == child);
    static_member_open(&m, &cfg, "p");
    ck_assert_str_eq(m.name, took);
    static_member_close(&m);
}
END_TEST

START_TEST(another_group_pipeline_or_cluster_is_another_place)
{
    struct consumer_cfg other = cfg;
    struct static_member m[4];
    other.brokers = "c:9092";
    static_member_open(&m[0], &cfg, "p");
    static_member_open(&m[1], &other, "p");
    open_as(&m[2], "auto", "h");
    static_member_open(&m[3], &cfg, "q");
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(strrchr(m[i].made, '-'), "-0");
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(m[i].name, m[k].name);
    }
    for (int i = 0; i < 4; i++)
        static_member_close(&m[i]);
}
END_TEST

START_TEST(a_given_name_stays_in_the_group_and_none_is_none)
{
    struct static_member m;
    open_as(&m, "mine", "g");
    ck_assert_str_eq(m.name, "mine");
    ck_assert(!static_member_leaves(&m));
    open_as(&m, "none", "g");
    ck_assert(!m.name && !static_member_leaves(&m));
    open_as(&m, "", "g");
    ck_assert(!m.name);
    open_as(&m, "auto", NULL);
    ck_assert(!m.name);
}
END_TEST

START_TEST(the_broker_takes_every_name)
{
    struct static_member m;
    static_member_open(&m, &cfg, "a pipeline, \"quoted\"");
    ck_assert_uint_lt(strlen(m.name), 249);
    for (const char *c = m.name; *c; c++)
        ck_assert(isalnum((unsigned char)*c) || strchr("._-", *c));
    static_member_close(&m);
}
END_TEST

LEAT_SUITE("static_member", members_of_one_place_have_different_names,
           a_name_that_is_free_again_is_the_next_members,
           a_killed_process_leaves_its_name_to_the_next,
           another_group_pipeline_or_cluster_is_another_place,
           a_given_name_stays_in_the_group_and_none_is_none, the_broker_takes_every_name)
