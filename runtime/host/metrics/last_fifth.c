/* last_fifth.c -- implementation of last_fifth.h. */
#include "last_fifth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <leat/status.h>

#include "read_checked.h"

static void thin_out(struct last_fifth *l)
{
    for (uint32_t i = 1; i < LAST_FIFTH_MARKS / 2; i++)
        l->mark[i] = l->mark[2 * i];
    l->n = LAST_FIFTH_MARKS / 2;
    l->step *= 2;
}

void last_fifth_add(struct last_fifth *l, uint64_t examples, const struct sums *now)
{
    if (!l->step) { /* mark 0 is the start of the stream, with all sums zero */
        l->step = 1;
        l->n = 1;
    }
    if (examples != l->n * l->step) return;
    if (l->n == LAST_FIFTH_MARKS) thin_out(l); /* the due mark has an even index and stays due */
    l->mark[l->n++] = *now;
}

struct sums last_fifth_sums(const struct last_fifth *l, const struct sums *now, uint64_t *examples)
{
    if (!l->step) return *now;
    uint64_t i = (*examples - *examples / 5) / l->step;
    if (i >= l->n) i = l->n - 1;
    const struct sums *then = &l->mark[i];
    *examples -= i * l->step;
    return (struct sums){now->weight - then->weight, now->loss - then->loss,
                         now->second - then->second};
}

void last_fifth_merge(struct last_fifth *l, const struct sums *now, uint64_t examples,
                      const struct last_fifth *other, uint64_t other_examples)
{
    if (!other->step) return;
    if (!l->step) *l = (struct last_fifth){.step = 1, .n = 1};
    uint64_t step = l->step > other->step ? l->step : other->step;
    while ((examples + other_examples) / step >= LAST_FIFTH_MARKS)
        step *= 2;
    uint32_t n = (uint32_t)((examples + other_examples) / step) + 1;
    /* in ascending order, since each mark read is number i or later */
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = i * step;
        if (at <= examples) {
            l->mark[i] = l->mark[at / l->step];
        } else {
            l->mark[i] = *now;
            sums_add(&l->mark[i], &other->mark[(at - examples) / other->step]);
        }
    }
    l->step = step;
    l->n = n;
}

enum { NUMBERS = sizeof(struct sums) / sizeof(double) };

struct names {
    char step[LAST_FIFTH_OF + 12], marks[LAST_FIFTH_OF + 12];
};

static struct names names_of(const char *of)
{
    struct names n;
    snprintf(n.step, sizeof n.step, "%smark_step", of);
    snprintf(n.marks, sizeof n.marks, "%smarks", of);
    return n;
}

void last_fifth_write(const struct last_fifth *l, const char *of, struct leat_writer *w)
{
    struct names name = names_of(of);
    w->u64(w, name.step, l->step);
    if (l->step) w->array(w, name.marks, LEAT_F64, l->mark, (uint64_t)l->n * NUMBERS);
}

/* Checks marks from a snapshot: they are sums of non-negative terms, so they never decrease and
 * never exceed the final sums. */
static int check_marks(struct leat_reader *r, const double *mark, uint64_t n,
                       const struct sums *now)
{
    const double last[NUMBERS] = {now->weight, now->loss, now->second};
    for (uint64_t i = 0; i < n; i++) {
        double min = i < NUMBERS ? 0 : mark[i - NUMBERS], max = last[i % NUMBERS];
        if (!(mark[i] >= min && mark[i] <= max))
            return r->refuse(r, "marks[%llu] is %g; it must be %g to %g", (unsigned long long)i,
                             mark[i], min, max);
    }
    return LEAT_OK;
}

int last_fifth_read(struct last_fifth *l, const char *of, struct leat_reader *r, uint64_t examples,
                    const struct sums *now)
{
    struct names name = names_of(of);
    const void *marks;
    uint64_t n, step;
    int status = r->u64(r, name.step, &step);
    if (status != LEAT_OK || !step) return status;
    if (step & (step - 1))
        return r->refuse(r, "%s is %llu; it must be a power of two", name.step,
                         (unsigned long long)step);
    status =
        r->array_up_to(r, name.marks, LEAT_F64, (uint64_t)LAST_FIFTH_MARKS * NUMBERS, &marks, &n);
    if (status != LEAT_OK) return status;
    uint64_t want = examples / step + 1;
    if (want > LAST_FIFTH_MARKS || n != want * NUMBERS)
        return r->refuse(r, "%llu marks do not match %llu examples",
                         (unsigned long long)n / NUMBERS, (unsigned long long)examples);
    if ((status = check_marks(r, marks, n, now)) != LEAT_OK) return status;
    l->step = step;
    l->n = (uint32_t)want;
    memcpy(l->mark, marks, n * sizeof(double));
    return LEAT_OK;
}

static void last_fifth_add_error(struct sums *s, double error, double w)
{
    s->weight += w;
    s->loss += w * error * error;
    s->second += w * fabs(error);
}

void running_mean_add(struct running_mean *m, double mean, double label, double w)
{
    last_fifth_add_error(&m->sum, mean - label, w);
    last_fifth_add(&m->last, ++m->examples, &m->sum);
}

void running_mean_hold(struct running_mean *m, double mean, double label)
{
    last_fifth_add_error(&m->held, mean - label, 1);
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

/* ---- a struct running_mean in snapshots: field names with the prefix "constant." ---- */

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
