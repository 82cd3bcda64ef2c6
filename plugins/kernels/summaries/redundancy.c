/* redundancy.c -- implementation of redundancy.h
 *
 * A hash table maps the set of a feature's keys to the feature. For each conjunction, its two or
 * six proper subsets are looked up. Linear probing, at most half full.
 */
#include "redundancy.h"

#include <math.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "core/mix64.h"

uint64_t redundancy_key(const char *field, size_t field_len, const char *value, size_t value_len)
{
    uint64_t id = feature_id_name(field, field_len);
    if (value) id = feature_id_value(id, value, value_len);
    return id ? id : 1;
}

struct redundancy_parts redundancy_parts_of(const uint64_t *key, uint32_t n)
{
    struct redundancy_parts p = {{0}};
    uint32_t used = 0;
    for (uint32_t i = 0; i < n && used < 3; i++) {
        uint32_t at = used;
        while (at && p.key[at - 1] > key[i])
            at--;
        if (at && p.key[at - 1] == key[i]) continue;
        memmove(p.key + at + 1, p.key + at, (used - at) * sizeof *p.key);
        p.key[at] = key[i];
        used++;
    }
    return p;
}

/* ---- the table ---- */

static uint32_t redundancy_slots_for(uint32_t n)
{
    uint32_t slots = 2;
    while (slots < 2 * (uint64_t)n && slots < 1u << 31)
        slots *= 2;
    return slots;
}

size_t redundancy_scratch_bytes(uint32_t n) { return redundancy_slots_for(n) * sizeof(uint32_t); }

static uint32_t start_of(struct redundancy_parts p, uint32_t slots)
{
    uint64_t h = mix64(p.key[0] + FEATURE_ORDER_1);
    h = mix64(h + p.key[1]);
    h = mix64(h + p.key[2]);
    return (uint32_t)h & (slots - 1);
}

/* Returns the position of p in the table, or the empty position where p belongs. */
static uint32_t redundancy_probe(const uint32_t *table, uint32_t slots,
                                 const struct redundancy_parts *parts, struct redundancy_parts p)
{
    uint32_t h = start_of(p, slots);
    while (table[h] && memcmp(&parts[table[h] - 1], &p, sizeof p) != 0)
        h = (h + 1) & (slots - 1);
    return h;
}

/* ---- the comparison ---- */

static uint32_t redundancy_size_of(struct redundancy_parts p)
{
    uint32_t n = 0;
    while (n < 3 && p.key[n])
        n++;
    return n;
}

/* Returns the keys of p whose bits are set in `which`, in ascending order. */
static struct redundancy_parts subset(struct redundancy_parts p, uint32_t which)
{
    struct redundancy_parts s = {{0}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (which >> i & 1) s.key[n++] = p.key[i];
    return s;
}

bool redundancy_beats(double whole, double part, double margin)
{
    return whole > 0 ? whole - part > margin : part - whole > margin;
}

void redundancy_mark(uint32_t n, const struct redundancy_parts *parts, const double *score,
                     double margin, void *scratch, uint8_t *redundant)
{
    uint32_t *table = scratch, slots = redundancy_slots_for(n);
    for (uint32_t i = 0; i < n; i++)
        if (redundancy_size_of(parts[i]))
            table[redundancy_probe(table, slots, parts, parts[i])] = i + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t all = (1u << redundancy_size_of(parts[i])) - 1;
        redundant[i] = 0;
        for (uint32_t which = 1; which < all && !redundant[i]; which++) {
            uint32_t part = table[redundancy_probe(table, slots, parts, subset(parts[i], which))];
            redundant[i] = part && !redundancy_beats(score[i], score[part - 1], margin);
        }
    }
}
