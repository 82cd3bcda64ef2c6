/* running_mean.c -- see running_mean.h. */
#include "running_mean.h"

#include <math.h>

#include <leat/status.h>

#include "read_checked.h"

static void add_error(struct sums *s, double error, double w)
{
    s->weight += w;
    s->loss += w * error * error;
    s->second += w * fabs(error);
}

void running_mean_add(struct running_mean *m, double mean, double label, double w)
{
    add_error(&m->sum, mean - label, w);
    last_fifth_add(&m->last, ++m->examples, &m->sum);
}

void running_mean_hold(struct running_mean *m, double mean, double label)
{
    add_error(&m->held, mean - label, 1);
}

static struct mean_errors errors_of(const struct sums *s)
{
    if (!(s->weight > 0)) return (struct mean_errors){(double)NAN, (double)NAN};
    return (struct mean_errors){sqrt(s->loss / s->weight), s->second / s->weight};
}

struct mean_errors running_mean_errors(const struct running_mean *m) { return errors_of(&m->sum); }

struct mean_errors running_mean_last(const struct running_mean *m)
{
    uint64_t n = m->examples;
    struct sums s = last_fifth_sums(&m->last, &m->sum, &n);
    return errors_of(&s);
}

struct mean_errors running_mean_held(const struct running_mean *m) { return errors_of(&m->held); }

void running_mean_merge(struct running_mean *m, const struct running_mean *other)
{
    last_fifth_merge(&m->last, &m->sum, m->examples, &other->last, other->examples);
    m->examples += other->examples;
    sums_add(&m->sum, &other->sum);
    sums_add(&m->held, &other->held);
}

/* ---- as a part of a snapshot, whose learner has marks of the same name ---- */

static const char *const sum_names[] = {"constant.weight",    "constant.loss",
                                        "constant.second",    "constant.held.weight",
                                        "constant.held.loss", "constant.held.second"};
enum { SUMS = sizeof sum_names / sizeof *sum_names };

void running_mean_write(const struct running_mean *m, struct leat_writer *w)
{
    const double sums[SUMS] = {m->sum.weight,  m->sum.loss,  m->sum.second,
                               m->held.weight, m->held.loss, m->held.second};
    w->u64(w, "constant.examples", m->examples);
    for (int i = 0; i < SUMS; i++)
        w->f64(w, sum_names[i], sums[i]);
    last_fifth_write(&m->last, "constant.", w);
}

int running_mean_read(struct running_mean *m, struct leat_reader *r)
{
    uint64_t examples;
    double s[SUMS];
    int status = read_checked_count(r, "constant.examples", &examples);
    for (int i = 0; i < SUMS && status == LEAT_OK; i++)
        status = read_checked_f64(r, sum_names[i], 0, SUMS_MAX, &s[i]);
    if (status != LEAT_OK) return status;
    struct sums sum = {s[0], s[1], s[2]}, held = {s[3], s[4], s[5]};
    status = last_fifth_read(&m->last, "constant.", r, examples, &sum);
    if (status != LEAT_OK) return status;
    m->examples = examples;
    m->sum = sum;
    m->held = held;
    return LEAT_OK;
}
