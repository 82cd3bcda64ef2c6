/* lbfgs.c -- implementation of lbfgs.h. */
#include "lbfgs.h"

#include <math.h>
#include <string.h>

/* One pair of struct linear_pairs. */
struct pair {
    uint32_t n;
    const uint32_t *id;
    const float *s, *r;
};

static struct pair pair_at(const struct linear_pairs *p, uint32_t k)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < k; i++)
        start += p->length[i];
    return (struct pair){p->length[k], p->id + start, p->s + start, p->r + start};
}

/* Loops over the ids that are in both p and q, at index i in p and j in q. */
#define FOR_COMMON(i, p, j, q)                                                                     \
    for (uint32_t i = 0, j = 0; i < (p).n && j < (q).n;                                            \
         (p).id[i] < (q).id[j] ? (void)i++ : (void)j++)                                            \
        if ((p).id[i] == (q).id[j])

/* ---- pairs ---- */

/* Computes the inner products of pair i with itself and with the pairs before it. */
static void multiply(struct lbfgs *l, uint32_t i)
{
    uint32_t max = l->pairs.max;
    struct pair p = pair_at(&l->pairs, i);
    for (uint32_t j = 0; j <= i; j++) {
        struct pair q = pair_at(&l->pairs, j);
        double sr = 0, rs = 0, rr = 0;
        FOR_COMMON(a, p, b, q)
        {
            sr += (double)p.s[a] * (double)q.r[b];
            rs += (double)p.r[a] * (double)q.s[b];
            rr += (double)p.r[a] * (double)q.r[b];
        }
        l->sr[i * max + j] = sr;
        l->sr[j * max + i] = rs;
        l->rr[i * max + j] = l->rr[j * max + i] = rr;
    }
}

/* Drops the oldest of max + 1 pairs. The newest pair has no inner products yet. */
static void drop_oldest(struct lbfgs *l)
{
    struct linear_pairs *p = &l->pairs;
    uint32_t gone = p->length[0], left = p->entries - gone, max = p->max;
    memmove(p->id, p->id + gone, left * sizeof *p->id);
    memmove(p->s, p->s + gone, left * sizeof *p->s);
    memmove(p->r, p->r + gone, left * sizeof *p->r);
    memmove(p->length, p->length + 1, --p->n * sizeof *p->length);
    p->entries = left;
    for (uint32_t i = 0; i + 1 < max; i++)
        for (uint32_t j = 0; j + 1 < max; j++) {
            l->sr[i * max + j] = l->sr[(i + 1) * max + j + 1];
            l->rr[i * max + j] = l->rr[(i + 1) * max + j + 1];
        }
}

static bool has_curvature(const struct pair *p)
{
    double ss = 0, sr = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        ss += (double)p->s[i] * (double)p->s[i];
        sr += (double)p->s[i] * (double)p->r[i];
    }
    return ss >= LBFGS_TINY && sr >= LBFGS_CURVATURE * ss;
}

bool lbfgs_push(struct lbfgs *l, struct lbfgs_ids at, const double *s, const double *r)
{
    struct linear_pairs *p = &l->pairs;
    if (at.n > p->max_entries / p->max) return false;
    for (uint32_t i = 0; i < at.n; i++) { /* the arrays have room for max + 1 pairs */
        p->id[p->entries + i] = at.id[i];
        p->s[p->entries + i] = lbfgs_float(s[i]);
        p->r[p->entries + i] = lbfgs_float(r[i]);
    }
    p->length[p->n] = at.n;
    struct pair it = pair_at(p, p->n);
    if (!has_curvature(&it)) return false;
    p->entries += at.n;
    if (++p->n > p->max) drop_oldest(l);
    multiply(l, p->n - 1);
    return true;
}

void lbfgs_forget(struct lbfgs *l) { l->pairs.n = l->pairs.entries = 0; }

static bool is_ascending(const struct pair *p)
{
    for (uint32_t i = 1; i < p->n; i++)
        if (p->id[i] <= p->id[i - 1]) return false;
    return true;
}

const char *lbfgs_rebuild(struct lbfgs *l)
{
    const struct linear_pairs *p = &l->pairs;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++)
        sum += p->length[i];
    if (sum != p->entries) return "pair_lengths do not add up to the number of pair_ids";
    for (uint32_t i = 0; i < p->n; i++) {
        struct pair it = pair_at(p, i);
        if (it.n > p->max_entries / p->max) return "pair_lengths has a pair that is too long";
        if (!is_ascending(&it)) return "pair_ids are not ascending in each pair";
        if (!has_curvature(&it)) return "pair_weights and pair_gradients have no curvature";
        multiply(l, i);
    }
    return NULL;
}

/* ---- the direction ---- */

/* Computes the factors a_i and c_i in z = gamma (g - sum of a_i r_i) + sum of c_i s_i. Before the
 * call, a holds s_i'g and c holds r_i'g. Returns gamma. */
static double two_loops(const struct lbfgs *l, double *a, double *c)
{
    uint32_t n = l->pairs.n, max = l->pairs.max;
    double gamma = l->sr[(n - 1) * max + n - 1] / l->rr[(n - 1) * max + n - 1];
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++)
            a[i] -= a[j] * l->sr[i * max + j]; /* s_i'q */
        a[i] /= l->sr[i * max + i];            /* a_i = rho_i s_i'q */
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            c[i] -= a[j] * l->rr[i * max + j]; /* r_i'q */
        c[i] *= gamma;
        for (uint32_t j = 0; j < i; j++)
            c[i] += c[j] * l->sr[j * max + i];   /* r_i'z */
        c[i] = a[i] - c[i] / l->sr[i * max + i]; /* a_i - rho_i r_i'z */
    }
    return gamma;
}

bool lbfgs_direction(const struct lbfgs *l, struct lbfgs_ids at, const double *g, double *z)
{
    double a[LBFGS_MAX_PAIRS] = {0}, c[LBFGS_MAX_PAIRS] = {0}, sum = 0;
    if (!l->pairs.n) return false;
    for (uint32_t k = 0; k < l->pairs.n; k++) {
        struct pair p = pair_at(&l->pairs, k);
        FOR_COMMON(i, p, j, at)
        {
            a[k] += (double)p.s[i] * g[j];
            c[k] += (double)p.r[i] * g[j];
        }
    }
    double gamma = two_loops(l, a, c);
    for (uint32_t i = 0; i < at.n; i++)
        z[i] = gamma * g[i];
    for (uint32_t k = 0; k < l->pairs.n; k++) {
        struct pair p = pair_at(&l->pairs, k);
        FOR_COMMON(i, p, j, at)
        z[j] += c[k] * (double)p.s[i] - gamma * a[k] * (double)p.r[i];
    }
    for (uint32_t i = 0; i < at.n; i++)
        sum += fabs(z[i]);
    return isfinite(sum);
}
