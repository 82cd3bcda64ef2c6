/* test_groups.c -- groups.c against a linear search of a list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/window/groups.h"
#include "support/suite.h"

enum { KEY = 12, CELL = 16, MAX = 60, PANES = 9, STEPS = 20000 };

/* The naive twin: groups in order of arrival. */
struct naive {
    int64_t pane;
    char key[KEY + 1];
    uint64_t count;
};
struct list {
    struct naive all[MAX];
    uint32_t n;
};

static struct naive *naive_find(struct list *l, int64_t pane, const char *key)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->all[i].pane == pane && !strcmp(l->all[i].key, key)) return &l->all[i];
    return NULL;
}

static uint32_t naive_panes(const struct list *l, int64_t *first)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t j = 0;
        while (l->all[j].pane != l->all[i].pane)
            j++;
        n += i == j;
        if (!i || l->all[i].pane < *first) *first = l->all[i].pane;
    }
    return n;
}

static void naive_drop(struct list *l, int64_t pane)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->all[i].pane != pane) l->all[kept++] = l->all[i];
    l->n = kept;
}

static void *groups_new(struct groups *g, uint32_t max, uint32_t panes)
{
    void *block = calloc(1, groups_block_bytes(max, panes, KEY, CELL));
    groups_init(g, max, panes, KEY, CELL, block);
    return block;
}

static uint64_t *take(struct groups *g, int64_t pane, const char *key)
{
    bool is_new = false;
    uint32_t n = (uint32_t)strlen(key);
    const uint64_t mark = n % 4 + (uint64_t)pane; /* of many keys */
    struct group *a = groups_recent(g, pane, mark);
    if (a && (a->n_key != n || memcmp(group_key(g, a), key, n) != 0)) a = NULL;
    if (!a) a = groups_take(g, pane, key, n, groups_hash(key, n), &is_new);
    if (a) groups_remember(g, a, mark);
    if (a) ck_assert_ptr_eq(groups_recent(g, pane, mark), a);
    if (a && is_new) ck_assert(!((uint64_t *)group_cell(a))[0] && !((uint64_t *)group_cell(a))[1]);
    return a ? group_cell(a) : NULL;
}

/* Lists the groups pane by pane, each in order of arrival. */
static void same(const struct groups *g, struct list *l)
{
    ck_assert(groups_check(g));
    ck_assert_uint_eq(g->n, l->n);
    for (uint32_t k = 0; k < g->n_panes; k++) {
        uint32_t at = 0;
        for (uint32_t i = g->pane[k].first; i != GROUPS_NONE; i = groups_at(g, i)->next) {
            const struct group *a = groups_at(g, i);
            while (l->all[at].pane != g->pane[k].number)
                at++;
            ck_assert_uint_eq(a->n_key, strlen(l->all[at].key));
            ck_assert(!memcmp(group_key(g, a), l->all[at].key, a->n_key));
            ck_assert_uint_eq(*(uint64_t *)group_cell(a), l->all[at++].count);
        }
    }
}

START_TEST(they_are_what_a_list_of_them_would_be)
{
    struct groups g;
    struct list l = {.n = 0};
    void *block = groups_new(&g, MAX, PANES);
    int64_t now = -3;
    srand(7);
    for (int step = 0; step < STEPS; step++) {
        char key[KEY + 1];
        int64_t pane = now + rand() % 4, first = 0;
        snprintf(key, sizeof key, "%.*s", rand() % KEY,
                 rand() % 3 ? "abcdefghijkl" : "bcdefghijkla");
        uint64_t *count = take(&g, pane, key);
        struct naive *twin = naive_find(&l, pane, key);
        uint32_t panes = naive_panes(&l, &first);
        if (!count) {
            bool is_new_pane = true;
            for (uint32_t i = 0; i < l.n; i++)
                is_new_pane &= l.all[i].pane != pane;
            ck_assert(!twin && (l.n == MAX || (is_new_pane && panes == PANES)));
        } else {
            if (!twin) {
                twin = &l.all[l.n++];
                twin->pane = pane;
                twin->count = 0;
                strcpy(twin->key, key);
            }
            ++*count;
            twin->count++;
        }
        if (rand() % 40 == 0) now += rand() % 3;
        if (l.n && (!count || rand() % 60 == 0)) {
            naive_panes(&l, &first);
            naive_drop(&l, first);
            groups_drop_first(&g);
        }
        if (step % 50 == 0) same(&g, &l);
    }
    groups_clear(&g);
    ck_assert(!g.n && !g.n_panes && groups_check(&g));
    free(block);
}
END_TEST

START_TEST(a_full_block_takes_no_more_and_finds_what_it_has)
{
    struct groups g;
    void *block = groups_new(&g, 3, 2);
    ck_assert_ptr_nonnull(take(&g, 5, "a"));
    ck_assert_ptr_nonnull(take(&g, 5, ""));
    ck_assert_ptr_nonnull(take(&g, 4, "a"));
    ck_assert_ptr_null(take(&g, 4, "b"));
    ck_assert_ptr_nonnull(take(&g, 4, "a"));
    groups_drop_first(&g);
    ck_assert_ptr_null(groups_find(&g, 4, "a", 1, groups_hash("a", 1)));
    ck_assert_ptr_nonnull(take(&g, 6, "b"));
    ck_assert_ptr_null(take(&g, 7, "b"));
    free(block);
}
END_TEST

START_TEST(keys_of_one_hash_are_told_apart)
{
    struct groups g;
    void *block = groups_new(&g, 10, 2);
    bool is_new;
    struct group *a = groups_take(&g, 1, "a", 1, 42, &is_new),
                 *b = groups_take(&g, 1, "b", 1, 42, &is_new);
    ck_assert(is_new && a != b);
    ck_assert_ptr_eq(groups_find(&g, 1, "a", 1, 42), a);
    ck_assert_ptr_eq(groups_find(&g, 1, "b", 1, 42), b);
    ck_assert_ptr_null(groups_find(&g, 1, "ab", 2, 42));
    free(block);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct groups g;
    bool is_new;
    void *block = calloc(1, groups_block_bytes(2, 2, 1, 8));
    uint64_t a = groups_hash("a", 1), b = groups_hash("b", 1), *cell;
    groups_init(&g, 2, 2, 1, 8, block);
    cell = group_cell(groups_take(&g, 5, "a", 1, a, &is_new));
    *cell = 3;
    ck_assert_ptr_nonnull(groups_take(&g, 5, "b", 1, b, &is_new));
    ck_assert_ptr_null(groups_take(&g, 6, "a", 1, a, &is_new));
    groups_drop_first(&g);
    struct group *again = groups_take(&g, 6, "a", 1, a, &is_new);
    ck_assert(again && is_new);
    cell = group_cell(again);
    ck_assert_uint_eq(*cell, 0);
    free(block);
}
END_TEST

LEAT_SUITE("groups", they_are_what_a_list_of_them_would_be,
           a_full_block_takes_no_more_and_finds_what_it_has, keys_of_one_hash_are_told_apart,
           the_example_of_the_header_is_what_happens)
