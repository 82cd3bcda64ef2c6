/* test_store.c -- the common part of all linear models: its header's example, and who takes a
 * slot. */
#include "support/suite.h"

#include <stdlib.h>

#include "kernels/linear/awm/awm.h"
#include "support/zeroed.h"

/* Offers a feature of weight w. Returns true if it finds a slot. */
static bool offer(struct store *s, uint32_t id, float w)
{
    uint32_t slot = store_take_slot(s, w);
    s->n_entrants = 0;
    if (slot == STORE_NONE) return false;
    store_enter(s, slot, id, 0, 1);
    store_set(s, slot, w);
    return true;
}

START_TEST(the_example_of_the_header_is_what_happens)
{
    const struct linear_options opt = {.sgd.eta0 = 0.1, .max_row = 1, .seed = 1};
    const struct linear_shape shape = {2, 4, 1, 0};
    ck_assert_uint_eq(store_charged_bytes(&awm_kernel, &shape, &opt), 32);
    void *block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt));
    struct awm m;
    store_init(&m.s, &awm_kernel, &shape, &opt, block);
    ck_assert_int_eq(m.s.bound, -1);
    ck_assert(offer(&m.s, 7, 0.5f) && offer(&m.s, 9, -0.25f));
    ck_assert(!offer(&m.s, 5, 0.2f));
    ck_assert_int_eq(m.s.bound, 0x3e800000);
    ck_assert(offer(&m.s, 6, 0.3f));
    ck_assert_uint_eq(m.s.set.id[1], 6);
    ck_assert_uint_eq(store_find(&m.s, 9), STORE_NONE);
    ck_assert_uint_eq(store_find(&m.s, 7), 0);
    ck_assert_ptr_null(store_check(&m.s));
    free(block);
}
END_TEST

LEAT_SUITE("store", the_example_of_the_header_is_what_happens)
