/* cooccurrence_sum.h -- sums of models of cooccurrence.h, the same whatever the order of adding.
 *
 * A model that learned records itself is a leaf. A sum keeps every token and pair that one of its
 * leaves keeps. Over the leaves that keep a token it adds up
 *
 *     count, low     the upper and the lower bound of the token's count
 *     own[row]       the token's cells, which stand for other tokens in these leaves
 *
 * and over all leaves it adds up all cells. So cell[row] - own[row] is the sum of the token's cells
 * in the leaves that do not keep it, and
 *
 *     low <= true count <= count + min over the rows of (cell[row] - own[row])
 *
 * For a pair the sum also has of[0] and of[1], the counts of its two tokens in the leaves that keep
 * the pair. What is left of a token's upper bound limits the pair in the other leaves, because a
 * pair comes at most (window - 1) times as often as its tokens (twice that without `ordered`).
 *
 * All these are sums of whole numbers. So adding is commutative and associative: leaves added one
 * by one, or sums of sums of any shape, have the same numbers. cooccurrence_sum_order() puts tokens
 * and pairs into an order that depends only on ids. Sums of 32 bits saturate, and a saturated cell
 * gives no bound. A sum needs as many bytes as its leaves have different tokens and pairs.
 *
 * Example. Leaf A keeps the token u with a count of 7, exactly, and the cells of u in A are 2, 3
 * and 2. Leaf B does not keep u, and its cells of u are 1, 4 and 5. Then low = count = 7, own = 2,
 * 3, 2 and cell = 3, 7, 7. So u came 7 to 7 + min(1, 4, 5) = 8 times.
 *
 * A leaf that is not to be wider than its budget allows grows from a sum by
 * cooccurrence_sum_settle().
 */
#ifndef LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_SUM_H
#define LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_SUM_H

#include "cooccurrence.h"

#define COOCCURRENCE_MAX_SUM (1u << 28) /* most tokens, and most pairs */

struct cooccurrence_sum_token {
    uint64_t id;
    uint32_t count, low;
    uint32_t own[COOCCURRENCE_TOKEN_DEPTH];
    uint32_t name; /* for the caller; 0 at first */
};

struct cooccurrence_sum_pair {
    uint32_t first, second; /* indexes of tokens; without `ordered` first has the lesser id */
    uint32_t count, low;
    uint32_t own[COOCCURRENCE_PAIR_DEPTH], of[2];
};

/* Entry of a list to be sorted: by key, then by `at`. */
struct cooccurrence_sum_key {
    uint64_t key;
    uint32_t at;
};

/* Numbers of tokens and pairs for which a sum has room. */
struct cooccurrence_sum_room {
    uint32_t tokens, pairs;
};

struct cooccurrence_sum {
    struct cooccurrence_shape shape; /* of its leaves */
    struct cooccurrence_options opt;
    struct cooccurrence_sum_room room;
    uint64_t n_tokens, n_pairs;
    uint32_t tokens, pairs; /* numbers of tokens and pairs */
    struct cooccurrence_sum_token *token;
    struct cooccurrence_sum_pair *pair;
    uint32_t *token_cell, *pair_cell; /* [depth][width] */
    uint8_t *registers;
    /* Hash tables of 1 + an index; 0: free. They have twice as many places as there is room. */
    uint32_t *token_place, *pair_place;
    uint32_t token_shift, pair_shift;
    /* Set by cooccurrence_sum_order(): indexes in the canonical order, and the rank of each token.
     * The other functions use them, and `key`, as work space. */
    uint32_t *token_order, *pair_order, *rank;
    struct cooccurrence_sum_key *key;
};

/* Returns room for at least so many tokens and pairs, in powers of two. */
struct cooccurrence_sum_room cooccurrence_sum_room_for(uint64_t tokens, uint64_t pairs);
size_t cooccurrence_sum_bytes(const struct cooccurrence_shape *shape,
                              const struct cooccurrence_sum_room *room);
/* Makes an empty sum. block: cooccurrence_sum_bytes() zeroed bytes, aligned to 64. */
void cooccurrence_sum_init(struct cooccurrence_sum *s, const struct cooccurrence_shape *shape,
                           const struct cooccurrence_options *opt,
                           const struct cooccurrence_sum_room *room, void *block);
/* Moves a sum to an empty one with more room. */
void cooccurrence_sum_move(struct cooccurrence_sum *to, const struct cooccurrence_sum *from);

/* Add a leaf, or a sum, whose records count `weight` times each. It has the same shape and options,
 * including the seed. `s` must have room for the tokens and pairs of both. Bounds are rounded
 * outwards if weight is no whole number. O(what is added). */
void cooccurrence_sum_add_leaf(struct cooccurrence_sum *s, const struct cooccurrence *leaf,
                               double weight);
void cooccurrence_sum_add(struct cooccurrence_sum *s, const struct cooccurrence_sum *more,
                          double weight);

/* Returns the index of a token, or COOCCURRENCE_NONE. */
uint32_t cooccurrence_sum_find(const struct cooccurrence_sum *s, uint64_t id);
/* Sets token_order, rank and pair_order: tokens by id, pairs by the ranks of their tokens. */
void cooccurrence_sum_order(const struct cooccurrence_sum *s);
/* True if all cells are 0, because nothing had to leave in any leaf. */
bool cooccurrence_sum_is_whole(const struct cooccurrence_sum *s);

/* Compares two keys, for qsort(). */
int cooccurrence_sum_by_key(const void *x, const void *y);

/* Bytes of the tokens, pairs and cells of a sum. */
size_t cooccurrence_sum_used(const struct cooccurrence_sum *s);

/* ---- reading ---- */

/* Counts the pairs that came at least min_count times, and those of which records were missed. */
void cooccurrence_sum_tally(const struct cooccurrence_sum *s, uint32_t *grown, uint32_t *late);

/* Returns the id that selects a pair's cells. */
uint64_t cooccurrence_sum_pair_id(const struct cooccurrence_sum *s,
                                  const struct cooccurrence_sum_pair *p);
/* Return upper bounds of the counts of a token and of a pair. The lower bound is their `low`.
 * first_high, second_high: upper bounds of the pair's tokens. */
uint32_t cooccurrence_sum_token_high(const struct cooccurrence_sum *s, uint32_t token);
uint32_t cooccurrence_sum_pair_high(const struct cooccurrence_sum *s, uint32_t pair,
                                    uint32_t first_high, uint32_t second_high);

/* Bytes of the block for cooccurrence_sum_view(). */
size_t cooccurrence_sum_view_bytes(const struct cooccurrence_sum *s);
/* Makes `view` a model to be read: the tokens and pairs of the sum with their bounds, in canonical
 * order. It has no cells and no indexes, and cannot count. */
void cooccurrence_sum_view(const struct cooccurrence_sum *s, struct cooccurrence *view,
                           void *block);
/* Makes m, which was just initialised, a leaf that goes on from the sum within its own shape. The
 * widths of the sum are those of m, or a multiple. Pairs get slots while slots are free, with their
 * tokens: first grown pairs, then young pairs, both by worth. Then tokens without pairs get slots,
 * the most frequent first. The others raise the cells to their counts. */
void cooccurrence_sum_settle(const struct cooccurrence_sum *s, struct cooccurrence *m);

/* ---- copies ---- */

/* Saved state of a sum, in canonical order. */
struct cooccurrence_sum_parts {
    uint64_t n_tokens, n_pairs;
    uint32_t most, tokens, pairs; /* most: limit of tokens and of pairs */
    uint32_t cells;               /* 1; 0: all cells and all `own` are 0, and the arrays empty */
    uint32_t token_width, pair_width;
    const uint64_t *id;
    const uint32_t *token_count, *token_low, *token_own;
    const uint32_t *first, *second; /* ranks of the tokens */
    const uint32_t *count, *low, *own, *of;
    const uint32_t *token_cell, *pair_cell;
    const uint8_t *registers;
};
/* Adds a saved state to s, which is empty and has room for it. Returns NULL, or an error message if
 * no sum can have this state. After an error, s must not be used. */
const char *cooccurrence_sum_load(struct cooccurrence_sum *s,
                                  const struct cooccurrence_sum_parts *p);

#endif
