/* cooccurrence.h -- tokens that co-occur more often than by chance, by counts of known error.
 *
 * A record is a sequence of tokens. Each token u makes a pair (u, v) with each of the window - 1
 * tokens v after it. Of N tokens and M pairs so far, u came n(u) times and the pair n(u, v) times:
 *
 *     PMI(u, v) = log (n(u, v) / M) / (n(u)/N n(v)/N)
 *
 * Without `ordered`, (u, v) and (v, u) are one pair, and the denominator counts twice if u and v
 * differ. The model keeps some tokens and some pairs with their counts. All other tokens share a
 * sketch of one-byte cells, and so do all other pairs:
 *
 *   token         id | count | excess | pins                            20 bytes
 *   pair          first, second: slots of tokens | count | excess | age 17 bytes
 *   token cells   three rows: codes of counts (cooccurrence_encode)     Count-Min
 *   pair cells    two rows: 0 .. 254; 255: that many or more            Count-Min
 *   registers     estimate of the number of different pairs             (kernels/sketch/distinct.h)
 *
 * Bounds. A cell is never below the count of any token (or pair) that lives there and is not kept.
 * The sketch counts only tokens that are not kept, by conservative update: only cells that are too
 * small rise. A token that enters starts with its least cell as its count. This may be too high by
 * its full size, which is its excess. From then on the token is counted exactly. A token that
 * leaves raises its cells to its count. The same holds for pairs. So for kept ones always
 *
 *     count - excess <= true count <= count,
 *
 * whatever the order of the records. A pair came at most (window - 1) times as often as either of
 * its tokens (twice that without `ordered`). If this is less than the cell, it becomes the excess.
 * So a pair with a new token, as most strong pairs are at first, is counted exactly however full
 * the sketch is. As long as nothing has had to leave, all counts are exact.
 *
 * Who stays. The worth of a pair is e to the power of its least PMI, up to factors that are common
 * to all pairs. A pair that came less often than min_count is young. Its worth assumes that its
 * tokens come only together until it reaches min_count, times the share of min_count that it has:
 *
 *     worth = (n + lack) / ((n(u) + lack) (n(v) + lack))   (times n / min_count if it is young)
 *
 * where n = count - excess and lack = max(0, min_count - n). A turn passes over the slots. Each
 * newcomer moves it over the next COOCCURRENCE_SWEEP pairs of one kind. It takes the slot of the
 * weakest of them if its own worth is higher. Each time the turn passes a young pair, the pair
 * loses a hundredth of its worth, until it comes again. Four fifths of the slots are for young
 * pairs, the others for pairs that came min_count times. A pair pins the slots of its tokens. A new
 * token takes the slot of the rarest of some tokens without pins, so frequent tokens stay too. If
 * all are pinned, a weak pair leaves to make room.
 *
 * Example. A window of 2, `ordered`. The record a b a b has N = 4 tokens and M = 3 pairs: (a, b)
 * came twice, (b, a) once. PMI(a, b) = log (2/3) / (2/4 2/4) = log 8/3 = 0.981, and PMI(b, a) =
 * log 4/3 = 0.288.
 *
 * Sources: Count-Min: G. Cormode, S. Muthukrishnan, J. Algorithms 55, 2005; conservative update: C.
 * Estan, G. Varghese, SIGCOMM 2002; counts with a possible excess: A. Metwally, D. Agrawal, A. El
 * Abbadi, Space-Saving, ICDT 2005; PMI: K. Church, P. Hanks, Computational Linguistics 16, 1990.
 *
 * Counts stop at 2^32 - 1. Of several tokens (or pairs) whose ids fold to the same 32 bits, only
 * one is kept at a time; they are never taken for each other. Not here: names, text, batches.
 */
#ifndef LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_H
#define LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/sketch/distinct.h"
#include "kernels/sketch/id_slots.h"

#define COOCCURRENCE_TOKEN_DEPTH 3u /* rows of the sketches */
#define COOCCURRENCE_PAIR_DEPTH  2u
#define COOCCURRENCE_SWEEP       8u
#define COOCCURRENCE_MIN_WINDOW  2u
#define COOCCURRENCE_MAX_WINDOW  64u
#define COOCCURRENCE_MAX_KEPT    (1u << 26)
#define COOCCURRENCE_MAX_WIDTH   (1u << 29)
#define COOCCURRENCE_MIN_BUDGET  256u
#define COOCCURRENCE_NONE        UINT32_MAX

struct cooccurrence_shape {
    uint32_t kept;                    /* most tokens, and most pairs, kept; >= 2 */
    uint32_t token_width, pair_width; /* cells in a row of each sketch, >= 1     */
};

struct cooccurrence_options {
    uint32_t window;    /* COOCCURRENCE_MIN_WINDOW .. COOCCURRENCE_MAX_WINDOW */
    uint32_t min_count; /* >= 1; pairs that came less often are young         */
    bool ordered;
    uint64_t seed;
};

/* A token of the current record, while it makes pairs. */
struct cooccurrence_place {
    uint64_t part; /* feature_id_part() of its id         */
    uint32_t slot; /* COOCCURRENCE_NONE: not kept         */
    bool again;    /* the token was in the window already */
};

/* State of tokens and of pairs; arrays have shape.kept items. */
struct cooccurrence_tokens {
    struct id_slots index; /* folded ids; index.n are kept */
    uint64_t *id;
    uint32_t *count, *excess;
    uint32_t *pins;  /* pairs and places of the window that need the token */
    uint8_t *cell;   /* COOCCURRENCE_TOKEN_DEPTH x token_width             */
    uint32_t cursor; /* slot whose turn is next                            */
};

struct cooccurrence_pairs {
    struct id_slots index; /* folded feature_id_pair()s */
    uint32_t *first, *second;
    uint32_t *count, *excess;
    uint8_t *age;    /* turns that have passed the young pair since it last came */
    uint8_t *cell;   /* COOCCURRENCE_PAIR_DEPTH x pair_width                     */
    uint32_t cursor; /* slot whose turn is next                                  */
    uint32_t young;  /* number of young pairs                                    */
    uint8_t *registers;
};

struct cooccurrence {
    struct cooccurrence_shape shape;
    struct cooccurrence_options opt;
    uint64_t n_tokens, n_pairs; /* N, M */
    struct cooccurrence_tokens token;
    struct cooccurrence_pairs pair;
    float fade[UINT8_MAX + 1];                               /* factor of worth at each age */
    struct cooccurrence_place ring[COOCCURRENCE_MAX_WINDOW]; /* the last window - 1 tokens  */
    uint32_t ring_n, ring_next; /* ring_next: the oldest token, once the ring is full */
    uint32_t ring_again;        /* tokens of the ring that are `again`                */
};

struct cooccurrence_bounds {
    double low, high;
};

/* Chooses a shape for a budget of at least COOCCURRENCE_MIN_BUDGET bytes: two thirds for tokens,
 * pairs and names of tokens, an eighth for the tokens' sketch, the rest for the pairs' sketch.
 * *names becomes the bytes for names. Indexes and registers are not charged. */
struct cooccurrence_shape cooccurrence_shape_from_budget(uint64_t bytes, uint32_t *names);
/* Bytes that a shape is charged, without names. */
uint64_t cooccurrence_charged_bytes(const struct cooccurrence_shape *shape);
/* Budget that keeps this many pairs, with names. */
uint64_t cooccurrence_budget_for(double pairs);
/* Bytes to allocate for a shape. */
size_t cooccurrence_block_bytes(const struct cooccurrence_shape *shape);
/* Charged bytes in use so far: tokens, pairs, and the cells once all slots of either are taken.
 * Only some hundredths of the other bytes are ever touched. */
uint64_t cooccurrence_used_bytes(const struct cooccurrence *m);

/* block: cooccurrence_block_bytes() zeroed bytes, aligned to 64. */
void cooccurrence_init(struct cooccurrence *m, const struct cooccurrence_shape *shape,
                       const struct cooccurrence_options *opt, void *block);

/* Begins a record: empties the window. Also call it after the last record, before reading. */
void cooccurrence_record(struct cooccurrence *m);
/* Counts the record's next token, and its pairs with the tokens in the window. Returns the slot if
 * the token has just entered, or COOCCURRENCE_NONE. Counts O(window) pairs, each in O(1), or in
 * O(COOCCURRENCE_SWEEP) if it may enter a full model. */
uint32_t cooccurrence_add(struct cooccurrence *m, uint64_t id);

/* ---- reading ---- */

struct cooccurrence_bounds cooccurrence_pair_count(const struct cooccurrence *m, uint32_t pair);
struct cooccurrence_bounds cooccurrence_token_count(const struct cooccurrence *m, uint32_t token);
/* Bounds of the PMI of a kept pair. */
struct cooccurrence_bounds cooccurrence_pmi(const struct cooccurrence *m, uint32_t pair);
/* True if the pair, or one of its tokens, may have come before it was kept. */
bool cooccurrence_is_late(const struct cooccurrence *m, uint32_t pair);
/* Number of kept pairs that came min_count times. */
uint32_t cooccurrence_grown(const struct cooccurrence *m);

/* Encodes a count as a byte that stands for at least the count, and at most a sixteenth more. 255:
 * above half a million. */
uint8_t cooccurrence_encode(uint32_t count);
static inline uint32_t cooccurrence_decode(uint8_t code)
{
    return code < 16 ? code : (16u + (code & 15)) << ((code >> 4) - 1);
}

/* Returns NULL, or which invariant is broken. */
const char *cooccurrence_check(const struct cooccurrence *m);

/* ---- copies and merges (cooccurrence_merge.c) ---- */

/* Complete state of a model between two records, except shape and options. The model lends the
 * arrays, in the order of slots. */
struct cooccurrence_parts {
    uint64_t n_tokens, n_pairs;
    uint32_t kept, tokens, pairs; /* kept: shape.kept */
    uint32_t token_cursor, pair_cursor;
    const uint64_t *id;
    const uint32_t *token_count, *token_excess;
    const uint32_t *first, *second, *count, *excess;
    const uint8_t *age;
    uint64_t token_cells, pair_cells;
    const uint8_t *token_cell, *pair_cell;
    const uint8_t *registers;
};
struct cooccurrence_parts cooccurrence_parts(const struct cooccurrence *m);
/* Loads parts into m, which was just initialised. m continues exactly as the model that the parts
 * came from. Returns NULL, or why no model can have these parts; then m must not be used. */
const char *cooccurrence_load(struct cooccurrence *m, const struct cooccurrence_parts *p);

/* A token, or a pair, of the model that a and b are merged into. */
struct cooccurrence_token_origin {
    uint64_t id;
    uint32_t a, b;          /* 1 + slot in a and in b; 0: not kept there */
    uint32_t count, excess; /* sums of both sides                        */
    uint32_t slot;          /* in the merged model, or COOCCURRENCE_NONE */
};
struct cooccurrence_pair_origin {
    uint64_t first, second; /* ids of its tokens                         */
    uint32_t a, b;          /* 1 + slot in a and in b; 0: not kept there */
    uint32_t count, excess; /* sums of both sides                        */
    uint32_t u, v;          /* its tokens' numbers among origins         */
    float worth;
    bool young;
};
/* Work space and result of a merge, with room for 2 kept tokens and 2 kept pairs. */
struct cooccurrence_origins {
    struct cooccurrence_token_origin *token; /* by ascending id; after the merge by count */
    struct cooccurrence_pair_origin *pair;   /* by tokens; after the merge by worth       */
    uint32_t tokens, pairs;
};

/* Makes m, just initialised, the model of the records of a and b, b counting `weight` times. All
 * three have one shape and the same options, including the seed. Counts and cells add up, so the
 * bounds hold in m. A token or pair that one side does not keep gets that side's bound. m does not
 * depend on the order of a and b if weight is 1. O(kept log kept + cells). */
void cooccurrence_merge(struct cooccurrence *m, const struct cooccurrence *a,
                        const struct cooccurrence *b, double weight,
                        struct cooccurrence_origins *o);

#endif
