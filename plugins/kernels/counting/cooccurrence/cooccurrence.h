/* cooccurrence.h -- tokens that co-occur more often than by chance, by counts of known error.
 *
 * A record is a sequence of tokens. Each token u makes a pair (u, v) with each of the next
 * window - 1 tokens v. So far, there were N tokens and M pairs; the token u came n(u) times, and
 * the pair (u, v) came n(u, v) times:
 *
 *     PMI(u, v) = log (n(u, v) / M) / (n(u)/N n(v)/N)
 *
 * Without `ordered`, (u, v) and (v, u) are one pair, and the denominator is doubled if u and v
 * differ. The model keeps some tokens and some pairs with their counts. All other tokens share one
 * sketch of one-byte cells, and all other pairs share another:
 *
 *   token         id | count | excess | pins                            20 bytes
 *   pair          first, second: slots of tokens | count | excess | age 17 bytes
 *   token cells   three rows: codes of counts (cooccurrence_encode)     Count-Min
 *   pair cells    two rows: 0 .. 254; 255: that many or more            Count-Min
 *   registers     estimate of the number of different pairs          (kernels/summaries/distinct.h)
 *
 * Bounds. A sketch counts only tokens (or pairs) that are not kept, by conservative update: an
 * update raises only the cells that are too small. So a cell is never below the count of a token
 * (or pair) that maps to it and is not kept. A token that enters starts with its smallest cell as
 * its count. This may be too high by any part of the start value, which is stored as the excess.
 * From then on the token is counted exactly. When it leaves, its cells are raised to its count. The
 * same holds for pairs. So for every kept token and pair
 *
 *     count - excess <= true count <= count,
 *
 * whatever the order of the records. A pair came at most (window - 1) times as often as either of
 * its tokens (twice that without `ordered`). If this bound is smaller than the cell, it becomes the
 * excess. So the count of a pair with a new token is exact, however full the sketch is; most strong
 * pairs are such pairs at first. Until a token or pair has to leave, all counts are exact.
 *
 * Who stays. The worth of a pair is the exponential of the lower bound of its PMI, without the
 * factors that all pairs share. A pair that came fewer than min_count times is young; other pairs
 * are grown. The worth of a young pair supposes that its tokens will come only together until the
 * pair has come min_count times. It is then multiplied by n / min_count:
 *
 *     worth = (n + lack) / ((n(u) + lack) (n(v) + lack))   (times n / min_count if it is young)
 *
 * where n = count - excess and lack = max(0, min_count - n). If no slot is free, a new pair
 * competes with the next COOCCURRENCE_SWEEP young pairs that a cursor visits. If young pairs fill
 * less than four fifths of the slots, it competes with grown pairs instead. It takes the slot of
 * the weakest of them if its own worth is higher. Each visit of the cursor lowers the worth of a
 * young pair by a hundredth, until the pair comes again. A pair pins the slots of its two tokens,
 * so that they stay. A new token takes the slot of a token without pins, the rarest of those that a
 * second cursor visits. So frequent tokens stay too. If this cursor finds no such token, a weak
 * pair leaves, which unpins its tokens.
 *
 * Two sides. With `sides`, a record has a left and a right side instead. Each distinct token of the
 * left makes a pair with each distinct token of the right, once a record. A token of the right is
 * another one than the same token of the left. N and M are both the number of records. Then
 *
 *     PMI(u, v) = log (n(u, v) N) / (n(u) n(v))
 *
 * Example. A window of 2, `ordered`. The record a b a b has N = 4 tokens and M = 3 pairs: (a, b)
 * came twice, (b, a) came once. PMI(a, b) = log (2/3) / (2/4 2/4) = log 8/3 = 0.981, and PMI(b, a)
 * = log 4/3 = 0.288.
 *
 * Sources: Count-Min: G. Cormode, S. Muthukrishnan, J. Algorithms 55, 2005; conservative update: C.
 * Estan, G. Varghese, SIGCOMM 2002; counts with a possible excess: A. Metwally, D. Agrawal, A. El
 * Abbadi, Space-Saving, ICDT 2005; PMI: K. Church, P. Hanks, Computational Linguistics 16, 1990.
 *
 * Counts saturate at 2^32 - 1. Tokens are told apart by ids of 64 bits, and pairs by their tokens.
 * Out of scope: names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_H
#define LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/summaries/distinct.h"
#include "kernels/summaries/id_slots.h"

#define COOCCURRENCE_TOKEN_DEPTH 3u /* rows of the sketch of tokens */
#define COOCCURRENCE_PAIR_DEPTH  2u
#define COOCCURRENCE_SWEEP       8u
#define COOCCURRENCE_MIN_WINDOW  2u
#define COOCCURRENCE_MAX_WINDOW  64u
#define COOCCURRENCE_MAX_KEPT    (1u << 26)
#define COOCCURRENCE_MAX_WIDTH   (1u << 29)
#define COOCCURRENCE_MIN_BUDGET  256u
#define COOCCURRENCE_GROUPS      4096u
#define COOCCURRENCE_NONE        UINT32_MAX

struct cooccurrence_shape {
    uint32_t kept;                    /* limit of kept tokens, and of kept pairs; >= 2 */
    uint32_t token_width, pair_width; /* cells in a row of each sketch, >= 1 */
};

struct cooccurrence_options {
    uint32_t window;    /* COOCCURRENCE_MIN_WINDOW .. COOCCURRENCE_MAX_WINDOW */
    uint32_t min_count; /* >= 1; pairs that came fewer times are young */
    bool ordered;
    uint64_t seed;
    bool sides; /* records have two sides; `window` must be 2, and `ordered` true */
};

/* A token in the window, which makes pairs with later tokens. */
struct cooccurrence_place {
    uint64_t part; /* feature_id_part() of the token's id */
    uint32_t slot; /* COOCCURRENCE_NONE: the token is not kept */
    bool again;    /* an equal token was in the window when this one came */
};

/* Kept tokens and the sketch of the others. Arrays without a size here have shape.kept items. */
struct cooccurrence_tokens {
    struct id_slots index; /* whole ids; index.n tokens are kept */
    uint32_t *count, *excess;
    uint32_t *pins;  /* kept pairs and window places that use the token */
    uint8_t *cell;   /* [COOCCURRENCE_TOKEN_DEPTH][token_width] */
    uint32_t cursor; /* slot that the next search for a token visits first */
};

/* A kept pair. It fits into half a cache line, because large models miss the cache at each pair. */
struct cooccurrence_pair {
    uint32_t folded; /* id_slots_fold() of its feature_id_pair() */
    uint32_t first, second;
    uint32_t count, excess;
    uint32_t age; /* young pairs: visits since the pair came last, at most UINT8_MAX */
};

/* Kept pairs, their index (cooccurrence_pairs.c), and the sketch of the others. */
struct cooccurrence_pairs {
    uint32_t n; /* pairs in use, which are at[0 .. n - 1] */
    struct cooccurrence_pair *at;
    uint32_t *place;   /* hash table of slots */
    uint32_t made_for; /* number of pairs for which the hash table is sized */
    uint32_t shift;    /* 64 - log2 of the length of the hash table */
    uint8_t *cell;     /* [COOCCURRENCE_PAIR_DEPTH][pair_width] */
    /* A bit for each group of cells of row 0. If it is 0, all cells of the group are 0. */
    uint64_t raised[COOCCURRENCE_GROUPS / 64];
    uint32_t group_shift; /* a group has 2^group_shift cells */
    uint32_t cursor;      /* slot that the next search for a pair visits first */
    uint32_t young;       /* number of young pairs */
    uint32_t *column;     /* work space of cooccurrence_pair_column() */
    uint8_t *registers;
};

struct cooccurrence {
    struct cooccurrence_shape shape;
    struct cooccurrence_options opt;
    uint64_t n_tokens, n_pairs; /* N and M: tokens and pairs so far; with `sides`, records */
    struct cooccurrence_tokens token;
    struct cooccurrence_pairs pair;
    float fade[UINT8_MAX + 1]; /* factor of a young pair's worth at each age */
    struct cooccurrence_place ring[COOCCURRENCE_MAX_WINDOW]; /* the last window - 1 tokens */
    uint32_t ring_n, ring_next; /* ring_next: index of the oldest token, once the ring is full */
    uint32_t ring_again;        /* number of places in the ring with `again` */
    struct cooccurrence_place *side; /* with `sides`: distinct tokens of the record, lent */
    uint32_t n_left, n_side;         /* places of the left side, which come first; of both */
};

struct cooccurrence_bounds {
    double low, high;
};

/* Chooses a shape for a budget of at least COOCCURRENCE_MIN_BUDGET bytes. Tokens, pairs and names
 * of tokens get two thirds; *names becomes the bytes for names. The sketch of tokens gets an
 * eighth, the sketch of pairs the rest. The budget does not cover indexes and registers. */
struct cooccurrence_shape cooccurrence_shape_from_budget(uint64_t bytes, uint32_t *names);
/* Returns how many times as wide a shape may become: `most` times, or a half or a fourth of it. */
uint32_t cooccurrence_widest(const struct cooccurrence_shape *s, uint32_t most);
/* Bytes that a shape takes from its budget, without names. */
uint64_t cooccurrence_charged_bytes(const struct cooccurrence_shape *shape);
/* Budget, in bytes, of a shape that keeps `pairs` pairs, with names. */
uint64_t cooccurrence_budget_for(double pairs);
/* Bytes of the block for a shape, with indexes and registers. */
size_t cooccurrence_block_bytes(const struct cooccurrence_shape *shape);
/* Bytes of the budget in use so far: tokens, pairs, and the cells once all slots for tokens or for
 * pairs are taken. Only a few percent of the other bytes are ever touched. */
uint64_t cooccurrence_used_bytes(const struct cooccurrence *m);

/* Makes an empty model. block: cooccurrence_block_bytes() zeroed bytes, aligned to 64. */
void cooccurrence_init(struct cooccurrence *m, const struct cooccurrence_shape *shape,
                       const struct cooccurrence_options *opt, void *block);

/* Begins a record by emptying the window. Call it also after the last record, before reading. */
void cooccurrence_record(struct cooccurrence *m);
/* Counts the next n tokens of the record, and the pairs of each with the tokens in the window. Sets
 * entered[i] to the slot of the token id[i] if it is kept from now on and was not before, otherwise
 * to COOCCURRENCE_NONE. The tokens may come in one call or in several. A token makes O(window)
 * pairs, each in O(1), or in O(COOCCURRENCE_SWEEP) if it competes for a slot. */
void cooccurrence_add(struct cooccurrence *m, uint32_t n, const uint64_t *id, uint32_t *entered);

/* ---- two sides ---- */

/* Added to the id of a token of the right side. */
#define COOCCURRENCE_RIGHT 0xbb67ae8584caa73bu

/* Begins a record of two sides. Its distinct tokens are kept in `side` until the next call of this
 * function or of cooccurrence_record(). */
void cooccurrence_begin_sides(struct cooccurrence *m, struct cooccurrence_place *side);
/* Counts the next token of a side: first all of the left, then all of the right. Returns the slot
 * of the token if it is kept from now on and was not before, otherwise COOCCURRENCE_NONE. O(tokens
 * of the record). */
uint32_t cooccurrence_add_side(struct cooccurrence *m, uint64_t id, bool right);

/* ---- reading ---- */

struct cooccurrence_bounds cooccurrence_pair_count(const struct cooccurrence *m, uint32_t pair);
struct cooccurrence_bounds cooccurrence_token_count(const struct cooccurrence *m, uint32_t token);
/* Bounds of the PMI of a kept pair. */
struct cooccurrence_bounds cooccurrence_pmi(const struct cooccurrence *m, uint32_t pair);
/* True if the pair, or one of its tokens, may have come before it was kept. */
bool cooccurrence_is_late(const struct cooccurrence *m, uint32_t pair);
/* Number of kept pairs that came at least min_count times. */
uint32_t cooccurrence_grown(const struct cooccurrence *m);

/* Encodes a count as a byte, rounded up: the decoded count is at most a sixteenth larger. The code
 * 255 means any count above half a million. */
uint8_t cooccurrence_encode(uint32_t count);
static inline uint32_t cooccurrence_decode(uint8_t code)
{
    return code < 16 ? code : (16u + (code & 15)) << ((code >> 4) - 1);
}

/* Returns a message about a broken invariant, or NULL if all hold. */
const char *cooccurrence_check(const struct cooccurrence *m);

/* ---- copies (cooccurrence_copy.c); cooccurrence_sum.h merges ---- */

/* State of a model to be saved between two records: everything except shape and options. Its arrays
 * are in the order of slots. */
struct cooccurrence_parts {
    uint64_t n_tokens, n_pairs;
    uint32_t kept, tokens, pairs; /* kept: shape.kept; tokens, pairs: how many are kept */
    uint32_t token_cursor, pair_cursor;
    const uint64_t *id;
    const uint32_t *token_count, *token_excess;
    const uint32_t *first, *second, *count, *excess;
    const uint8_t *age;
    uint64_t token_cells, pair_cells;
    const uint8_t *token_cell, *pair_cell;
    const uint8_t *registers;
};
/* Returns the state. Its pointers refer to the model's arrays. Those to the members of pairs are
 * NULL: cooccurrence_pair_column() writes these arrays, one at a time. */
struct cooccurrence_parts cooccurrence_parts(const struct cooccurrence *m);
enum cooccurrence_column { PAIR_FIRST, PAIR_SECOND, PAIR_COUNT, PAIR_EXCESS, PAIR_AGE };
/* Writes a member of all kept pairs to the model's work space. Returns this array, of uint8_t if
 * the member is the age, otherwise of uint32_t. The next call overwrites it. */
const void *cooccurrence_pair_column(const struct cooccurrence *m, enum cooccurrence_column c);
/* Loads a saved state into m, which was just initialised. Then m continues exactly like the
 * saved model. Returns NULL, or an error message if no model can have this state. After an
 * error, m must not be used. */
const char *cooccurrence_load(struct cooccurrence *m, const struct cooccurrence_parts *p);

#endif
