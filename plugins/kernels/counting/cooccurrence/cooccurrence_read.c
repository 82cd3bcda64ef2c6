/* cooccurrence_read.c -- counts and PMI of kept pairs, and the check of a model's invariants. */
#include "cooccurrence_inside.h"

#include "kernels/base/loss.h"

struct cooccurrence_bounds cooccurrence_pair_count(const struct cooccurrence *m, uint32_t p)
{
    return (struct cooccurrence_bounds){m->pair.at[p].count - m->pair.at[p].excess,
                                        m->pair.at[p].count};
}

struct cooccurrence_bounds cooccurrence_token_count(const struct cooccurrence *m, uint32_t t)
{
    return (struct cooccurrence_bounds){m->token.count[t] - m->token.excess[t], m->token.count[t]};
}

struct cooccurrence_bounds cooccurrence_pmi(const struct cooccurrence *m, uint32_t pair)
{
    uint32_t first = m->pair.at[pair].first, second = m->pair.at[pair].second;
    const struct cooccurrence_bounds n = cooccurrence_pair_count(m, pair),
                                     u = cooccurrence_token_count(m, first),
                                     v = cooccurrence_token_count(m, second);
    double N = (double)m->n_tokens, M = (double)m->n_pairs;
    double twice = !m->opt.ordered && first != second ? 2 : 1;
    return (struct cooccurrence_bounds){loss_log(n.low / M / (twice * (u.high / N) * (v.high / N))),
                                        loss_log(n.high / M / (twice * (u.low / N) * (v.low / N)))};
}

bool cooccurrence_is_late(const struct cooccurrence *m, uint32_t pair)
{
    return m->pair.at[pair].excess || m->token.excess[m->pair.at[pair].first] ||
           m->token.excess[m->pair.at[pair].second];
}

uint32_t cooccurrence_grown(const struct cooccurrence *m) { return m->pair.n - m->pair.young; }

/* Number of pins that kept pairs and the window need, summed over all tokens. */
static uint64_t pins_due(const struct cooccurrence *m)
{
    uint64_t due = 2ull * m->pair.n;
    for (uint32_t i = 0; i < m->ring_n; i++)
        due += m->ring[i].slot != COOCCURRENCE_NONE;
    for (uint32_t i = 0; i < m->n_side; i++)
        due += m->side[i].slot != COOCCURRENCE_NONE;
    return due;
}

const char *cooccurrence_check(const struct cooccurrence *m)
{
    uint32_t young = 0;
    uint64_t pins = 0;
    for (uint32_t t = 0; t < m->token.index.n; t++) {
        if (m->token.excess[t] >= m->token.count[t])
            return "token_excess is not below token_counts";
        pins += m->token.pins[t];
    }
    for (uint32_t p = 0; p < m->pair.n; p++) {
        if (m->pair.at[p].first >= m->token.index.n) return "first is not a token";
        if (m->pair.at[p].second >= m->token.index.n) return "second is not a token";
        if (m->pair.at[p].excess >= m->pair.at[p].count) return "excess is not below counted";
        young += is_young(m, p);
    }
    if (young != m->pair.young) return "young pairs are miscounted";
    if (pins != pins_due(m)) return "pins are miscounted";
    const char *wrong = id_slots_check(&m->token.index);
    return wrong ? wrong : pairs_check(m);
}
