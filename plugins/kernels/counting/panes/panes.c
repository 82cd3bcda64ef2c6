/* panes.c -- implementation of panes.h. */
#include "panes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/base/count.h"
#include "kernels/base/layout.h"
#include "kernels/base/sort.h"

enum { ENTRY_BYTES = 16, TAIL_SHARE = 32, TAIL = 32 };
enum { PART = 128, NEAR = 2048 }; /* places that are summed together, and slots kept for them */

/* ---- the partition of time ---- */

static int64_t panes_kept(const struct panes_options *o)
{
    return o->keep / o->every + (o->keep % o->every > 0);
}

/* A level has PANES_SPAN / 2 + 2 panes at most, and the first one PANES_SPAN + 2. */
uint32_t panes_most(const struct panes_options *o)
{
    uint32_t levels = 1;
    while (levels < 62 && ((int64_t)PANES_SPAN << (levels - 1)) < panes_kept(o))
        levels++;
    return PANES_SPAN + 2 + levels * (PANES_SPAN / 2 + 2) + 2;
}

/* Returns the level of the pane that has a base pane. */
static uint32_t panes_level(int64_t newest, int64_t base)
{
    for (uint32_t l = 0;; l++) {
        int64_t end = ((base >> (l + 1)) + 1) << (l + 1); /* of the parent */
        if (newest + 1 - end < (int64_t)PANES_SPAN << l) return l;
    }
}

static int64_t pane_end(const struct pane *t) { return t->first + ((int64_t)1 << t->level); }

struct panes_times panes_times_of(const struct panes *p, const struct pane *t)
{
    return (struct panes_times){t->first * p->opt.every, pane_end(t) * p->opt.every};
}

/* ---- memory ---- */

uint32_t panes_room(const struct panes_options *o, uint64_t bytes)
{
    uint64_t room = bytes / ENTRY_BYTES / panes_most(o);
    return room > UINT32_MAX / 8 ? UINT32_MAX / 8 : (uint32_t)room;
}

static size_t panes_lay_out(struct panes *p, void *block)
{
    struct layout l = {block, 0};
    for (uint32_t i = 0; i < p->most; i++) {
        struct panes_entries *t = &p->pane[i].table;
        t->id = layout_take(&l, p->room, sizeof *t->id);
        t->count = layout_take(&l, p->room, sizeof *t->count);
        t->excess = layout_take(&l, p->room, sizeof *t->excess);
    }
    size_t room = 2 * (size_t)p->room;
    p->work.id = layout_take(&l, room, sizeof *p->work.id);
    p->work.count = layout_take(&l, room, sizeof *p->work.count);
    p->work.excess = layout_take(&l, room, sizeof *p->work.excess);
    p->ranked = layout_take(&l, room, sizeof *p->ranked);
    return l.used;
}

size_t panes_block_bytes(const struct panes_options *o, uint32_t room)
{
    struct panes p = {.most = panes_most(o), .room = room};
    return panes_lay_out(&p, NULL);
}

void panes_init(struct panes *p, const struct panes_options *o, uint32_t room, void *block)
{
    assert(room >= PANES_FEWEST_ROOM && o->every > 0 && o->keep >= o->every);
    *p = (struct panes){.opt = *o, .most = panes_most(o), .room = room, .newest = -1};
    assert(p->most <= PANES_MOST);
    p->far = panes_kept(o) / 4 > PANES_SPAN ? panes_kept(o) / 4 : PANES_SPAN;
    p->main = room - room / TAIL_SHARE - TAIL / 2;
    p->limit = p->main / 4 * 3;
    panes_lay_out(p, block);
}

/* ---- a table ---- */

/* A bijection, so that different ids have different hashes. */
static inline uint64_t panes_hash(const struct panes *p, uint64_t id)
{
    return mix64(id ^ p->opt.seed);
}

static inline uint32_t panes_home(const struct panes *p, uint64_t hash)
{
    return (uint32_t)((hash >> 32) * p->main >> 32);
}

static inline uint32_t panes_sum_of(uint32_t a, uint32_t b)
{
    return a + b < a ? UINT32_MAX : a + b;
}

/* Returns the place of a feature, or the place where it must stand. */
static uint32_t panes_seek(const struct panes *p, const struct pane *t, uint64_t id)
{
    uint64_t hash = panes_hash(p, id);
    uint32_t at = panes_home(p, hash);
    while (at < p->room && t->table.count[at] && panes_hash(p, t->table.id[at]) < hash)
        at++;
    return at;
}

static uint32_t panes_gather(const struct panes *p, const struct pane *t, struct panes_entries to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->room && n < t->n; i++) {
        if (!t->table.count[i]) continue;
        to.id[n] = t->table.id[i];
        to.count[n] = t->table.count[i];
        to.excess[n++] = t->table.excess[i];
    }
    return n;
}

/* Copies n entries, in the order of their hashes, to the table of a pane. An entry stands as near
 * to its home as the entries before allow. If it would stand past the end, it leaves. */
static void panes_fill(struct panes *p, struct pane *t, const struct panes_entries *from,
                       uint32_t n)
{
    memset(t->table.count, 0, p->room * sizeof *t->table.count);
    t->n = 0;
    for (uint32_t i = 0, free = 0; i < n; i++) {
        uint32_t at = panes_home(p, panes_hash(p, from->id[i]));
        uint32_t bound = panes_sum_of(from->count[i], from->excess[i]);
        if (at < free) at = free;
        if (at >= p->room) {
            t->missing = bound > t->missing ? bound : t->missing;
            continue;
        }
        t->table.id[at] = from->id[i];
        t->table.count[at] = from->count[i];
        t->table.excess[at] = from->excess[i];
        t->n++;
        free = at + 1;
    }
}

/* ---- features that leave ---- */

#define panes_by_bound(a, b)                                                                       \
    ((a).bound > (b).bound || ((a).bound == (b).bound && (a).place < (b).place))
#define panes_by_place(a, b) ((a).place < (b).place)
SORT(panes_bound, struct panes_ranked, panes_by_bound)
SORT(panes_place, struct panes_ranked, panes_by_place)

/* Keeps the `most` entries of p->work with the largest bounds, in the order of their hashes. Raises
 * *missing to the largest bound of the others. Returns the number of entries. */
static uint32_t panes_thin(struct panes *p, uint32_t n, uint32_t most, uint32_t *missing)
{
    struct panes_entries *w = &p->work;
    if (n <= most) return n;
    for (uint32_t i = 0; i < n; i++)
        p->ranked[i] = (struct panes_ranked){panes_sum_of(w->count[i], w->excess[i]), i};
    panes_bound_sort(p->ranked, n);
    if (p->ranked[most].bound > *missing) *missing = p->ranked[most].bound;
    panes_place_sort(p->ranked, most);
    for (uint32_t i = 0; i < most; i++) {
        uint32_t from = p->ranked[i].place;
        w->id[i] = w->id[from];
        w->count[i] = w->count[from];
        w->excess[i] = w->excess[from];
    }
    return most;
}

/* Lets the half of a table's features with the smallest bounds leave. */
static void panes_shrink(struct panes *p, struct pane *t)
{
    uint32_t n = panes_gather(p, t, p->work);
    n = panes_thin(p, n, n / 2, &t->missing);
    panes_fill(p, t, &p->work, n);
}

/* ---- panes ---- */

static void panes_swap(struct panes *p, uint32_t a, uint32_t b)
{
    struct pane one = p->pane[a];
    p->pane[a] = p->pane[b];
    p->pane[b] = one;
}

/* Empties pane i and gives its table back. */
static void panes_drop(struct panes *p, uint32_t i)
{
    memset(p->pane[i].table.count, 0, p->room * sizeof *p->pane[i].table.count);
    for (p->n--; i < p->n; i++)
        panes_swap(p, i, i + 1);
}

/* Joins n sorted entries with those of a table, in p->work. Both have counts that may be missing in
 * the other. Returns their number. */
static uint32_t panes_join(struct panes *p, const struct pane *t, const struct panes_entries *e,
                           uint32_t n, uint32_t missing)
{
    struct panes_entries *w = &p->work,
                         mine = {w->id + p->room, w->count + p->room, w->excess + p->room};
    uint32_t m = panes_gather(p, t, mine), to = 0;
    for (uint32_t i = 0, k = 0; i < m || k < n; to++) {
        uint64_t a = i < m ? panes_hash(p, mine.id[i]) : UINT64_MAX;
        uint64_t b = k < n ? panes_hash(p, e->id[k]) : UINT64_MAX;
        bool first = i < m && (k == n || a <= b), second = k < n && (i == m || b <= a);
        uint64_t id = first ? mine.id[i] : e->id[k];
        uint32_t count = 0, excess = 0;
        if (first) count = mine.count[i], excess = mine.excess[i];
        if (second) count = panes_sum_of(count, e->count[k]);
        if (second) excess = panes_sum_of(excess, e->excess[k]);
        if (!first) excess = panes_sum_of(excess, t->missing);
        if (!second) excess = panes_sum_of(excess, missing);
        w->id[to] = id;
        w->count[to] = count;
        w->excess[to] = excess;
        i += first;
        k += second;
    }
    return to;
}

/* Adds n entries, which are not in p->work, to a pane. */
static void panes_absorb(struct panes *p, struct pane *t, const struct pane *of,
                         const struct panes_entries *e)
{
    uint32_t n = panes_join(p, t, e, of->n, of->missing);
    t->missing = panes_sum_of(t->missing, of->missing);
    t->records += of->records;
    n = panes_thin(p, n, p->limit, &t->missing);
    panes_fill(p, t, &p->work, n);
}

/* Merges pane i + 1, which is older, into pane i. Its table is compacted in place, as it is dropped
 * afterwards. */
static void panes_merge_next(struct panes *p, uint32_t i)
{
    struct pane *older = &p->pane[i + 1];
    panes_gather(p, older, older->table);
    panes_absorb(p, &p->pane[i], older, &older->table);
    panes_drop(p, i + 1);
}

void panes_advance(struct panes *p, int64_t newest)
{
    int64_t oldest = newest + 1 - panes_kept(&p->opt);
    if (newest <= p->newest) return;
    p->newest = newest;
    p->open = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        struct pane *t = &p->pane[i];
        t->level = panes_level(newest, t->first);
        t->first = t->first >> t->level << t->level;
    }
    while (p->n && pane_end(&p->pane[p->n - 1]) <= oldest)
        panes_drop(p, p->n - 1);
    for (uint32_t i = 0; i + 1 < p->n; i++)
        while (i + 1 < p->n && p->pane[i].first == p->pane[i + 1].first)
            panes_merge_next(p, i);
}

/* Returns the pane of a base pane, which may be a new one; NULL if the base pane is too old. */
static struct pane *panes_find(struct panes *p, int64_t base)
{
    uint32_t at = 0;
    if (base > p->newest) panes_advance(p, base);
    while (at < p->n && base < p->pane[at].first)
        at++;
    if (at < p->n && base < pane_end(&p->pane[at])) return &p->pane[at];
    uint32_t level = panes_level(p->newest, base);
    struct pane new = {.first = base >> level << level, .level = level};
    if (pane_end(&new) <= p->newest + 1 - panes_kept(&p->opt)) return NULL;
    assert(p->n < p->most);
    new.table = p->pane[p->n].table;
    p->pane[p->n] = new;
    for (uint32_t i = p->n++; i > at; i--)
        panes_swap(p, i, i - 1);
    return &p->pane[at];
}

/* ---- records ---- */

/* True if one of the first records shows that one before it was far ahead. */
static bool panes_begin_anew(struct panes *p, int64_t base)
{
    bool first = p->front.seen < HALF_LIFE_FIRST;
    p->front.seen += first;
    return first && base + p->far < p->newest;
}

static void panes_drop_all(struct panes *p)
{
    for (; p->n; panes_drop(p, p->n - 1))
        p->ahead += p->pane[p->n - 1].records;
    p->newest = -1;
    p->open = NULL;
}

/* Takes a base pane. Returns false if it is far ahead of the newest one, and stays so. */
static bool panes_confirm(struct panes *p, int64_t base)
{
    bool far = p->newest >= 0 && base > p->newest + p->far;
    if (far && half_life_ahead(&p->front, (uint64_t)base)) {
        panes_advance(p, (int64_t)p->front.least);
        return base <= p->newest + p->far;
    }
    p->front.ahead -= !far && p->front.ahead > 0;
    return !far;
}

bool panes_record(struct panes *p, int64_t time)
{
    int64_t base = time / p->opt.every;
    bool timed = time >= 0, fits = false;
    if (timed && panes_begin_anew(p, base)) panes_drop_all(p);
    if (timed) fits = panes_confirm(p, base);
    bool same = p->open && fits && base >= p->open->first && base < pane_end(p->open);
    if (!same) p->open = fits ? panes_find(p, base) : NULL;
    p->timeless += !timed;
    p->ahead += timed && !fits;
    p->late += fits && !p->open;
    if (p->open) p->open->records++;
    return p->open != NULL;
}

/* Makes room at place `at` of a table. Returns false if there is none. */
static bool panes_shift(const struct panes *p, struct pane *t, uint32_t at)
{
    uint32_t end = at;
    if (t->n >= p->limit) return false;
    while (end < p->room && t->table.count[end])
        end++;
    if (end == p->room) return false;
    memmove(t->table.id + at + 1, t->table.id + at, (end - at) * sizeof *t->table.id);
    memmove(t->table.count + at + 1, t->table.count + at, (end - at) * sizeof *t->table.count);
    memmove(t->table.excess + at + 1, t->table.excess + at, (end - at) * sizeof *t->table.excess);
    return true;
}

void panes_add(struct panes *p, uint64_t id)
{
    struct pane *t = p->open;
    uint32_t at = panes_seek(p, t, id);
    if (at < p->room && t->table.count[at] && t->table.id[at] == id) {
        t->table.count[at] += t->table.count[at] < UINT32_MAX;
        return;
    }
    if (!panes_shift(p, t, at)) {
        panes_shrink(p, t);
        at = panes_seek(p, t, id);
        if (!panes_shift(p, t, at)) {
            t->missing += t->missing < UINT32_MAX; /* counted by its bound alone */
            return;
        }
    }
    t->table.id[at] = id;
    t->table.count[at] = 1;
    t->table.excess[at] = t->missing;
    t->n++;
}

/* ---- reading ---- */

bool panes_in(const struct panes *p, const struct pane *of, struct panes_times times)
{
    struct panes_times own = panes_times_of(p, of);
    int64_t middle = own.from + (own.to - own.from) / 2;
    return middle >= times.from && middle < times.to;
}

/* The slot of a feature that was looked up before; ID_SLOTS_NONE if the feature has none. */
struct panes_near {
    uint64_t id;
    uint32_t slot;
};

static uint32_t panes_slot(const struct id_slots *slots, uint64_t id)
{
    return id_slots_find(slots, id, id_slots_mix(slots->seed, id_slots_fold(id)));
}

/* Adds places a to b - 1 of a pane to the bounds of their slots. Skips empty places without a
 * branch, which would often be mispredicted. */
static void panes_add_part(const struct panes *p, const struct pane *of,
                           const struct id_slots *slots, uint32_t a, uint32_t b,
                           struct panes_near *near, struct panes_sum *s)
{
    uint32_t at[PART], n = 0;
    for (uint32_t i = a; i < b; i++) {
        at[n] = i;
        n += of->table.count[i] != 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = at[k], count = of->table.count[i];
        uint64_t id = of->table.id[i];
        struct panes_near *t = &near[panes_hash(p, id) % NEAR];
        if (t->id != id) *t = (struct panes_near){id, panes_slot(slots, id)};
        if (t->slot != ID_SLOTS_NONE) {
            s->bounds[t->slot].low += count;
            s->bounds[t->slot].high += (uint64_t)count + of->table.excess[i] - of->missing;
        } else if (count > s->unnamed) {
            s->unnamed = count;
        }
    }
}

static void panes_add_records(const struct panes *p, const struct pane *of, struct panes_sum *s)
{
    struct panes_times times = panes_times_of(p, of);
    if (!s->panes || times.from < s->times.from) s->times.from = times.from;
    if (!s->panes || times.to > s->times.to) s->times.to = times.to;
    s->panes++;
    s->records += of->records;
    s->missing += of->missing;
}

/* Reads all panes part by part. The same places of all tables have about the same features, so a
 * part reads few slots, which stay in the cache. The bound of a feature that no pane has is the sum
 * of their `missing`. */
void panes_sum(const struct panes *p, const bool *in, const struct id_slots *slots,
               struct panes_sum *s)
{
    struct panes_near near[NEAR];
    for (uint32_t k = 0; k < NEAR; k++)
        near[k] = (struct panes_near){0, panes_slot(slots, 0)};
    for (uint32_t i = 0; i < p->n; i++)
        if (in[i]) panes_add_records(p, &p->pane[i], s);
    for (uint32_t a = 0, b; a < p->room; a = b) {
        b = p->room - a < PART ? p->room : a + PART;
        for (uint32_t i = 0; i < p->n; i++)
            if (in[i]) panes_add_part(p, &p->pane[i], slots, a, b, near, s);
    }
    for (uint32_t i = 0; i < slots->n; i++)
        s->bounds[i].high += s->missing;
}

/* ---- invariants ---- */

static const char *panes_check_table(const struct panes *p, const struct pane *t)
{
    uint32_t n = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < p->room; i++) {
        uint64_t hash = panes_hash(p, t->table.id[i]);
        if (!t->table.count[i]) continue;
        if (n && hash <= before)
            return "the entries of a pane are not in the order of their hashes";
        if (panes_seek(p, t, t->table.id[i]) != i) return "an entry of a pane is not found";
        if (t->table.excess[i] > t->missing) return "an excess is larger than what may be missing";
        before = hash;
        n++;
    }
    return n == t->n && n <= p->limit ? NULL : "a pane has another number of entries";
}

const char *panes_check(const struct panes *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct pane *t = &p->pane[i];
        const char *wrong = panes_check_table(p, t);
        if (wrong) return wrong;
        if (t->level != panes_level(p->newest, t->first)) return "a pane has a wrong level";
        if (t->first & (((int64_t)1 << t->level) - 1)) return "a pane begins within another";
        if (i && pane_end(t) > p->pane[i - 1].first) return "panes overlap, or are not in order";
    }
    return p->n <= p->most ? NULL : "there are too many panes";
}

/* ---- copies and merges ---- */

struct panes_entries panes_entries(struct panes *p, const struct pane *of)
{
    panes_gather(p, of, p->work);
    return p->work;
}

static uint32_t panes_times_up(double x)
{
    return x < (double)UINT32_MAX ? (uint32_t)ceil(x) : UINT32_MAX;
}

void panes_scale(struct pane *of, struct panes_entries *e, double times)
{
    uint32_t n = 0;
    of->records = count_add(0, of->records, times);
    of->missing = panes_times_up(times * of->missing);
    for (uint32_t i = 0; i < of->n; i++) {
        uint32_t high = panes_times_up(times * ((double)e->count[i] + e->excess[i]));
        double low = floor(times * e->count[i]);
        e->id[n] = e->id[i];
        e->count[n] = low < (double)UINT32_MAX ? (uint32_t)low : UINT32_MAX;
        e->excess[n] = high - e->count[n];
        if (e->excess[n] > of->missing) of->missing = e->excess[n];
        n += e->count[n] > 0;
    }
    of->n = n;
}

const char *panes_unite(struct panes *p, const struct pane *of, const struct panes_entries *e)
{
    if (of->n > p->limit) return "a pane has too many entries";
    if (of->first < 0 || of->level > 40) return "a pane lies outside of time";
    for (uint32_t i = 0; i < of->n; i++) {
        if (i && panes_hash(p, e->id[i]) <= panes_hash(p, e->id[i - 1]))
            return "the entries of a pane are not in the order of their hashes";
        if (!e->count[i] || e->excess[i] > of->missing)
            return "an entry of a pane has wrong counts";
    }
    struct pane *t = panes_find(p, of->first);
    if (t) panes_absorb(p, t, of, e);
    p->open = NULL;
    return NULL;
}
