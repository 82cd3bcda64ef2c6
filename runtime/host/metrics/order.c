/* order.c -- implementation of order.h. */
#include "order.h"

#include <math.h>
#include <stddef.h>

#include "core/exp.h"
#include "core/mix64.h"

/* SURE: standard deviations above 0 that chance does not reach. NEAR_MIN, FAR_MIN: likeness below
 * which the order hardly misleads. */
enum { FEWEST_RECORDS = 1000, FEWEST_SAMPLES = 200, SURE = 6 };
#define NEAR_MIN 0.1
#define FAR_MIN  0.05
#define CHANCE   1e-9

/* ---- labels ---- */

void order_mark(struct order *o)
{
    last_fifth_add(&o->marks, o->n, &o->errors);
    o->due = o->marks.n * o->marks.step;
}

void order_add_number(struct order *o, double label, double w)
{
    uint64_t n = o->n;
    if (!n) o->start = label;
    double d = label - o->start, *far = &o->before[n % ORDER_FAR], error = o->mean - label;
    o->sum += d;
    o->squares += d * d;
    if (n) o->near += d * o->before[(n - 1) % ORDER_FAR];
    if (n >= ORDER_FAR)
        o->far += d * *far;
    else
        o->head += d;
    *far = d;
    o->errors.weight += w;
    o->errors.loss += w * error * error;
    o->errors.second += w * fabs(error);
    if (++o->n >= o->due) order_mark(o);
    o->mean_weight = (1 - 1.0 / ORDER_SPAN) * o->mean_weight + w;
    o->mean -= error * w / o->mean_weight;
}

struct order_likeness order_of_numbers(const struct order *o)
{
    double n = (double)o->n, mean = o->sum / n, tail = 0;
    if (o->n < FEWEST_RECORDS) return (struct order_likeness){(double)NAN, (double)NAN};
    for (int i = 0; i < ORDER_FAR; i++)
        tail += o->before[i];
    double last = o->before[(o->n - 1) % ORDER_FAR];
    /* sum of (a - mean) (b - mean) over the pairs, as the sum of a b less that of the rest */
    double near = o->near - mean * (2 * o->sum - last) + (n - 1) * mean * mean;
    double far = o->far - mean * (2 * o->sum - o->head - tail) + (n - ORDER_FAR) * mean * mean;
    double all = o->squares - n * mean * mean;
    return (struct order_likeness){near / all, far / all};
}

struct order_likeness order_of_classes(const struct order *o, double records, double changes,
                                       double expected)
{
    if (o->n < FEWEST_RECORDS) return (struct order_likeness){(double)NAN, (double)NAN};
    double far = expected * ((double)(o->n - ORDER_FAR) / records);
    return (struct order_likeness){1 - changes / expected, 1 - (double)o->changes / far};
}

bool order_is_found(const struct order_likeness *l, double records)
{
    double chance = SURE / sqrt(records);
    return l->near > fmax(chance, NEAR_MIN) || l->far > fmax(chance, FAR_MIN);
}

/* ---- features ---- */

/* Returns the slot of the id; a slot that is 0 if the table does not have the id. */
static uint32_t order_slot(const struct order *o, uint64_t id)
{
    uint32_t at = (uint32_t)(mix64(id) % ORDER_SLOTS);
    while (o->slot[at] && o->block[o->slot[at] - 1].id != id)
        at = (at + 1) % ORDER_SLOTS;
    return at;
}

void order_note(struct order *o, uint64_t record, const uint64_t *id, uint32_t n)
{
    uint32_t sample = o->samples++;
    o->record = record;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = order_slot(o, id[i]);
        if (!o->slot[at]) {
            if (o->n_blocks == ORDER_FEATURES) continue;
            o->block[o->n_blocks] =
                (struct order_block){.id = id[i], .first = record, .from = sample};
            o->slot[at] = (uint16_t)++o->n_blocks;
        }
        struct order_block *b = &o->block[o->slot[at] - 1];
        b->last = record;
        b->count += !b->count || b->to != sample;
        b->to = sample;
    }
}

const struct order_block *order_find_block(const struct order *o, uint64_t id)
{
    uint32_t at = order_slot(o, id);
    if (!o->slot[at] || o->samples < FEWEST_SAMPLES) return NULL;
    const struct order_block *b = &o->block[o->slot[at] - 1];
    double part = (double)(b->to - b->from + 1) / o->samples;
    /* The chance that `count` random places lie in such a part is below count part^(count - 1). */
    if (part >= 0.5 || 2 * (b->last - b->first) >= o->record) return NULL;
    return exp_log(b->count) + (b->count - 1.0) * exp_log(part) > exp_log(CHANCE) ? NULL : b;
}
