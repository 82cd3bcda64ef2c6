/* cooccurrence.h -- which tokens occur together more often than by chance, by counts whose error is
 * known.
 *
 * A record is a sequence of tokens. Each token u makes a pair (u, v) with each of the window - 1
 * tokens v after it. Of N tokens and M pairs so far, u came n(u) times and the pair n(u, v) times:
 *
 *     PMI(u, v) = log (n(u, v) / M) / (n(u)/N n(v)/N)
 *
 * Without `ordered`, (u, v) and (v, u) are one pair, and the denominator counts twice where u and v
 * differ. The model keeps some tokens and some pairs with their counts, and all others of a kind
 * together in a sketch of cells of one byte:
 *
 *   token         id | count | excess | pins                            20 bytes
 *   pair          first, second: slots of tokens | count | excess | age 17 bytes
 *   token cells   three rows: codes of counts (cooccurrence_encode)     Count-Min
 *   pair cells    two rows: 0 .. 254; 255: that many or more            Count-Min
 *   registers     how many different pairs there were                   (kernels/sketch/distinct.h)
 *
 * Bounds. A cell is never below the count of a token (or pair) that is not kept and lives there:
 * the sketch is updated conservatively (only what is too small rises), and only by those that
 * are not kept. One that enters takes its least cell along as its count, which may be too high
 * by just that: its excess. From then on it is counted exactly. One that leaves raises its cells
 * to its count. So always
 *
 *     count - excess <= true count <= count                             of what is kept,
 *
 * whatever the order of the records. A pair came at most (window - 1) times as often as either of
 * its tokens (twice that without `ordered`); where this is less than the cell, it is the excess. So
 * a pair of which one token is new is counted exactly, however full the sketch is: that is how most
 * strong pairs begin. As long as nothing has had to leave, all counts are exact.
 *
 * Who stays. The worth of a pair is e to its least PMI, but for factors that all pairs have in
 * common; one that came less often than min_count, a young one, is taken to come only together from
 * here on, by the share of min_count that it has,
 *
 *     worth = (n + lack) / ((n(u) + lack) (n(v) + lack))   (times n / min_count if it is young)
 *
 * where n = count - excess and lack = max(0, min_count - n). A newcomer takes the slot of the pair
 * of least worth among COOCCURRENCE_SWEEP of its kind that come next in turn, if it is worth more.
 * Young pairs that the turn has passed lose a hundredth of their worth each time until they come
 * again; four fifths of the slots are theirs, the others are for pairs that came min_count times. A
 * pair pins the slots of its tokens; a new token takes the slot of the rarest of some that are not
 * pinned, so frequent tokens stay as well. Where all are, a weak pair leaves to make room.
 *
 * Sources: Count-Min: G. Cormode, S. Muthukrishnan, J. Algorithms 55, 2005; conservative update: C.
 * Estan, G. Varghese, SIGCOMM 2002; counts with a possible excess: A. Metwally, D. Agrawal, A. El
 * Abbadi, Space-Saving, ICDT 2005; PMI: K. Church, P. Hanks, Computational Linguistics 16, 1990.
 *
 * Counts stop at 2^32 - 1. Tokens (pairs) whose ids are equal once folded to 32 bits are told
 * apart, but only one of them is kept at a time. Not here: names, text, batches.
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
    uint32_t kept;                    /* tokens, and as many pairs, at most; >= 2 */
    uint32_t token_width, pair_width; /* cells a row of each sketch, >= 1         */
};

struct cooccurrence_options {
    uint32_t window;    /* COOCCURRENCE_MIN_WINDOW .. COOCCURRENCE_MAX_WINDOW */
    uint32_t min_count; /* >= 1; pairs that came less often are young         */
    bool ordered;
    uint64_t seed;
};

/* A token of the record at hand, while it makes pairs. */
struct cooccurrence_place {
    uint64_t part; /* feature_id_part() of its id    */
    uint32_t slot; /* COOCCURRENCE_NONE: not kept    */
    bool again;    /* it was in the window already   */
};

/* What the model keeps of tokens and of pairs; arrays of shape.kept. */
struct cooccurrence_tokens {
    struct id_slots index; /* folded ids; index.n are kept */
    uint64_t *id;
    uint32_t *count, *excess;
    uint32_t *pins;  /* pairs that need it, and places in the window */
    uint8_t *cell;   /* COOCCURRENCE_TOKEN_DEPTH x token_width       */
    uint32_t cursor; /* the slot whose turn is next                  */
};

struct cooccurrence_pairs {
    struct id_slots index; /* folded feature_id_pair()s     */
    uint32_t *first, *second;
    uint32_t *count, *excess;
    uint8_t *age;    /* how often the turn has passed the young pair since it came */
    uint8_t *cell;   /* COOCCURRENCE_PAIR_DEPTH x pair_width                       */
    uint32_t cursor; /* the slot whose turn is next                                */
    uint32_t young;  /* how many are                                               */
    uint8_t *registers;
};

struct cooccurrence {
    struct cooccurrence_shape shape;
    struct cooccurrence_options opt;
    uint64_t n_tokens, n_pairs; /* N, M */
    struct cooccurrence_tokens token;
    struct cooccurrence_pairs pair;
    float fade[UINT8_MAX + 1];                               /* of each age */
    struct cooccurrence_place ring[COOCCURRENCE_MAX_WINDOW]; /* the window - 1 tokens before */
    uint32_t ring_n, ring_next; /* ring_next: the oldest, once it is full */
    uint32_t ring_again;        /* how many of them are `again`           */
};

struct cooccurrence_bounds {
    double low, high;
};

/* The shape of a budget of at least COOCCURRENCE_MIN_BUDGET bytes, of which *names are left for
 * names of tokens: two thirds for tokens, pairs and names, an eighth for the tokens' sketch, the
 * rest for that of pairs. Indexes and registers are not charged. */
struct cooccurrence_shape cooccurrence_shape_from_budget(uint64_t bytes, uint32_t *names);
/* Bytes of a shape without names; those that would keep so many pairs, names included; and
 * those allocated. */
uint64_t cooccurrence_charged_bytes(const struct cooccurrence_shape *shape);
uint64_t cooccurrence_budget_for(double pairs);
size_t cooccurrence_block_bytes(const struct cooccurrence_shape *shape);
/* Of those charged, what tokens and pairs have needed so far, and the cells once all slots of
 * either are taken. The rest of the block is untouched, but for some hundredths. */
uint64_t cooccurrence_used_bytes(const struct cooccurrence *m);

/* block: cooccurrence_block_bytes() zeroed bytes, aligned to 64. */
void cooccurrence_init(struct cooccurrence *m, const struct cooccurrence_shape *shape,
                       const struct cooccurrence_options *opt, void *block);

/* Begins a record: the window is empty. Call it after the last one, too, before
 * anything is read. */
void cooccurrence_record(struct cooccurrence *m);
/* Counts the record's next token and its pairs with those before it. Returns the slot that the
 * token has just entered, or COOCCURRENCE_NONE. O(window) pairs, each O(1), or
 * O(COOCCURRENCE_SWEEP) where it may enter a full model. */
uint32_t cooccurrence_add(struct cooccurrence *m, uint64_t id);

/* ---- reading ---- */

struct cooccurrence_bounds cooccurrence_pair_count(const struct cooccurrence *m, uint32_t pair);
struct cooccurrence_bounds cooccurrence_token_count(const struct cooccurrence *m, uint32_t token);
/* PMI of a pair that has certainly come. */
struct cooccurrence_bounds cooccurrence_pmi(const struct cooccurrence *m, uint32_t pair);
/* The pair may have come before it was kept, or one of its tokens may. */
bool cooccurrence_is_late(const struct cooccurrence *m, uint32_t pair);
/* How many pairs came min_count times. */
uint32_t cooccurrence_grown(const struct cooccurrence *m);

/* A count as a byte, no less than it and at most a sixteenth more; 255: above half a million. */
uint8_t cooccurrence_encode(uint32_t count);
static inline uint32_t cooccurrence_decode(uint8_t code)
{
    return code < 16 ? code : (16u + (code & 15)) << ((code >> 4) - 1);
}

/* NULL, or which invariant is broken. */
const char *cooccurrence_check(const struct cooccurrence *m);

/* ---- copies and merges (cooccurrence_merge.c) ---- */

/* All that makes a model between two records, besides shape and options: lent arrays, in the order
 * of slots. */
struct cooccurrence_parts {
    uint64_t n_tokens, n_pairs;
    uint32_t kept, tokens, pairs; /* kept: of the shape */
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
/* Make m, just initialised, the model of these parts: it continues exactly as the model that they
 * were taken from. NULL, or why no model can have these parts; m must then not be used. */
const char *cooccurrence_load(struct cooccurrence *m, const struct cooccurrence_parts *p);

/* A token, or a pair, of the model that a and b are merged into. */
struct cooccurrence_token_origin {
    uint64_t id;
    uint32_t a, b;          /* 1 + its slot in a and in b; 0: it is not kept there */
    uint32_t count, excess; /* of both together                                    */
    uint32_t slot;          /* in the merged model, or COOCCURRENCE_NONE           */
};
struct cooccurrence_pair_origin {
    uint64_t first, second; /* ids of its tokens                 */
    uint32_t a, b;          /* as above                          */
    uint32_t count, excess; /* of both together                  */
    uint32_t u, v;          /* its tokens' numbers among origins */
    float worth;
    bool young;
};
/* What a merge works with: room for 2 kept of each, and what there is after it. */
struct cooccurrence_origins {
    struct cooccurrence_token_origin *token; /* by ascending id           */
    struct cooccurrence_pair_origin *pair;   /* those that may stay first */
    uint32_t tokens, pairs;
};

/* Make m, just initialised, the model of the records of a and b, b counting `weight` times; all
 * three have one shape and the same options, seed among them. Counts and cells add up, so the
 * bounds hold in m; what is kept on one side only takes the other side's bound along. m does not
 * depend on the order of a and b where weight is 1. O(kept log kept + cells). */
void cooccurrence_merge(struct cooccurrence *m, const struct cooccurrence *a,
                        const struct cooccurrence *b, double weight,
                        struct cooccurrence_origins *o);

#endif
