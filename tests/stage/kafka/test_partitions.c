/* test_partitions.c -- states of partitions, against the flags of a slow twin.
 *
 * It also tests their offsets when they leave and come back. */
#include "kafka/source/partitions.c"
#include "kafka/states/position.c"

#include "support/random.h"
#include "support/suite.h"

/* A partition that follows the text of partitions.h literally. */
struct flags {
    bool assigned, begun, leaving, at_end, stopped;
};

static void apply(struct flags *f, enum partition_event event)
{
    bool read = f->assigned && f->begun && !f->leaving;
    if (event == PARTITION_ASSIGNED && !f->leaving) *f = (struct flags){.assigned = true};
    if (event == PARTITION_BEGUN && f->assigned) f->begun = true;
    if (event == PARTITION_DELIVERED && read) f->at_end = false;
    if (event == PARTITION_ENDED && read && !f->stopped) f->at_end = true;
    if (event == PARTITION_OUT_OF_RANGE && read) f->stopped = true, f->at_end = false;
    if (event == PARTITION_RESUMED) f->stopped = false;
    if (event == PARTITION_REVOKED && f->begun) f->leaving = true;
    if (event == PARTITION_REVOKED && !f->begun) f->assigned = false;
    if (event == PARTITION_RELEASED) *f = (struct flags){.assigned = false};
}

static enum partition_state state_of(const struct flags *f)
{
    if (!f->assigned) return PARTITION_AWAY;
    if (!f->begun) return PARTITION_STARTING;
    if (f->leaving) return PARTITION_LEAVING;
    if (f->stopped) return PARTITION_STOPPED;
    return f->at_end ? PARTITION_AT_END : PARTITION_READING;
}

START_TEST(a_state_is_what_its_flags_would_be)
{
    uint64_t seed = 7;
    struct flags f = {.assigned = false};
    struct partition p = {.topic = NULL};
    bool seen[PARTITION_STATES][PARTITION_EVENTS] = {{false}};
    for (int i = 0; i < 20000; i++) {
        enum partition_event event = (enum partition_event)below(&seed, PARTITION_EVENTS);
        seen[p.state][event] = true;
        partition_move(&p, event);
        apply(&f, event);
        ck_assert_int_eq(p.state, state_of(&f));
        ck_assert(partition_is_assigned(&p) == f.assigned);
        ck_assert(partition_is_read(&p) == (f.begun && !f.leaving));
    }
    for (int s = 0; s < PARTITION_STATES; s++)
        for (int e = 0; e < PARTITION_EVENTS; e++)
            ck_assert(seen[s][e]);
}
END_TEST

static struct partition *partition_at(struct partitions *all, int64_t next)
{
    int k = partitions_find(all, "payments", 3);
    struct partition *p = &all->v[k];
    partition_move(p, PARTITION_ASSIGNED);
    partition_move(p, PARTITION_BEGUN);
    p->next = next;
    return p;
}

START_TEST(a_released_partition_keeps_its_offsets)
{
    struct partitions all = {0};
    struct partition *p = partition_at(&all, 40);
    p->cut = p->committed_offset = 30;
    partition_move(p, PARTITION_REVOKED);
    ck_assert_int_eq(p->next, 40);
    partition_move(p, PARTITION_RELEASED);
    partition_move(p, PARTITION_RELEASED);
    ck_assert_int_eq(p->next, PARTITION_UNKNOWN);
    ck_assert_int_eq(p->left_next, 40);
    ck_assert_int_eq(p->left_committed, 30);
    partition_forget(p);
    ck_assert_int_eq(p->left_next, PARTITION_UNKNOWN);
    partitions_free(&all);
}
END_TEST

START_TEST(a_leaving_partition_is_committed_and_one_that_is_away_is_not)
{
    struct partitions all = {0};
    struct partition *p = partition_at(&all, 40);
    partitions_cut(&all);
    partition_move(p, PARTITION_REVOKED);
    rd_kafka_topic_partition_list_t *list = partitions_to_commit(&all, 5, 9);
    ck_assert_int_eq(list->cnt, 1);
    ck_assert_int_eq(list->elems[0].offset, 40);
    partitions_committed(&all, list);
    rd_kafka_topic_partition_list_destroy(list);
    ck_assert_ptr_null(partitions_to_commit(&all, 6, 9));
    p->next = 50;
    partitions_cut(&all);
    partition_move(p, PARTITION_RELEASED);
    ck_assert_ptr_null(partitions_to_commit(&all, 7, 9));
    partitions_free(&all);
}
END_TEST

START_TEST(messages_after_the_last_barrier_are_not_committed_when_a_lost_partition_comes_back)
{
    struct partitions all = {0};
    struct partition *p = partition_at(&all, 40);
    const struct last_message before = {59, 7, 8};
    partitions_cut(&all);
    p->next = 60;
    partition_move(p, PARTITION_REVOKED);
    partition_move(p, PARTITION_RELEASED);
    partition_move(p, PARTITION_ASSIGNED);
    partition_move(p, PARTITION_BEGUN);
    partition_continue(p, p->left_next, NULL);
    ck_assert_int_eq(p->next, 60);
    ck_assert_ptr_null(partitions_to_commit(&all, 5, 9));
    ck_assert(!partitions_all_cut(&all));
    partitions_cut(&all);
    rd_kafka_topic_partition_list_t *list = partitions_to_commit(&all, 6, 9);
    ck_assert_int_eq(list->elems[0].offset, 60);
    rd_kafka_topic_partition_list_destroy(list);
    partition_continue(p, 60, &before);
    ck_assert(partitions_all_cut(&all) && p->cut_last.time == 7);
    partitions_free(&all);
}
END_TEST

START_TEST(a_snapshot_brings_offsets_back_and_no_state)
{
    struct partitions all = {0}, back = {0};
    struct partition_table table;
    partition_at(&all, 40);
    ck_assert(partitions_save(&all, &table));
    ck_assert(partitions_load(&back, &table));
    ck_assert_int_eq(back.v[0].next, 40);
    ck_assert_int_eq(back.v[0].state, PARTITION_AWAY);
    partition_table_free(&table);
    partitions_free(&all);
    partitions_free(&back);
}
END_TEST

LEAT_SUITE("partitions", a_state_is_what_its_flags_would_be, a_released_partition_keeps_its_offsets,
           a_leaving_partition_is_committed_and_one_that_is_away_is_not,
           messages_after_the_last_barrier_are_not_committed_when_a_lost_partition_comes_back,
           a_snapshot_brings_offsets_back_and_no_state)
