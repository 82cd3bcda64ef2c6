/* states.c -- implementation of states.h. */
#define XXH_INLINE_ALL
#include "states.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/le.h"

static const char MAGIC[4] = {'l', 'e', 'S', 't'};
enum { MAX_PARTS = 1 << 16, CHECKED = 72 };

/* ---- messages ---- */

uint64_t states_hash(const void *state, size_t n) { return XXH3_64bits(state, n); }

static uint64_t part_hash(const unsigned char *header, const void *part, size_t n)
{
    return XXH3_64bits_withSeed(part, n, XXH3_64bits(header, CHECKED));
}

void states_put_header(unsigned char out[STATES_HEADER], const struct states_header *h,
                       const void *part, size_t n)
{
    memcpy(out, MAGIC, sizeof MAGIC);
    le_put(out + 4, STATES_FORMAT, 4);
    le_put(out + 8, h->part, 4);
    le_put(out + 12, h->parts, 4);
    le_put(out + 16, (uint64_t)h->next, 8);
    le_put(out + 24, (uint64_t)h->last.offset, 8);
    le_put(out + 32, (uint64_t)h->last.time, 8);
    le_put(out + 40, h->last.hash, 8);
    le_put(out + 48, h->checkpoint, 8);
    le_put(out + 56, h->bytes, 8);
    le_put(out + 64, h->hash, 8);
    le_put(out + CHECKED, part_hash(out, part, n), 8);
}

/* Reads a header. Returns false if the message is damaged or not a state. */
static bool get_header(const unsigned char *p, size_t n, struct states_header *h)
{
    if (n <= STATES_HEADER || memcmp(p, MAGIC, sizeof MAGIC) || le_get(p + 4, 4) != STATES_FORMAT)
        return false;
    if (le_get(p + CHECKED, 8) != part_hash(p, p + STATES_HEADER, n - STATES_HEADER)) return false;
    *h = (struct states_header){.part = (uint32_t)le_get(p + 8, 4),
                                .parts = (uint32_t)le_get(p + 12, 4),
                                .next = (int64_t)le_get(p + 16, 8),
                                .last = {.offset = (int64_t)le_get(p + 24, 8),
                                         .time = (int64_t)le_get(p + 32, 8),
                                         .hash = le_get(p + 40, 8)},
                                .checkpoint = le_get(p + 48, 8),
                                .bytes = le_get(p + 56, 8),
                                .hash = le_get(p + 64, 8)};
    return h->parts && h->parts <= MAX_PARTS && h->part < h->parts && h->next >= 0 &&
           h->bytes >= h->parts && n - STATES_HEADER <= h->bytes;
}

size_t states_name(char out[STATES_KEY], const char *pipeline, const char *group, const char *topic,
                   int32_t partition)
{
    int n = snprintf(out, STATES_KEY, "%s\t%s\t%s\t%d", pipeline, group, topic, (int)partition);
    return n > 0 && n < STATES_KEY - 32 ? (size_t)n : 0;
}

size_t states_name_field(const char *name, int k, const char **at)
{
    for (; k > 0; k--)
        name += strcspn(name, "\t") + 1;
    *at = name;
    return strcspn(name, "\t");
}

size_t states_key(char out[STATES_KEY], const char *name, uint32_t slot, uint32_t part)
{
    return (size_t)snprintf(out, STATES_KEY, "%s\t%u.%u", name, (unsigned)slot, (unsigned)part);
}

/* ---- writing states ---- */

static uint32_t count_parts(size_t n, size_t max_part)
{
    assert(max_part > 0);
    return (uint32_t)((n + max_part - 1) / max_part);
}

uint32_t states_slot(uint32_t last, size_t n, size_t max_part)
{
    return count_parts(n, max_part) > 1 ? 1 - last : 0;
}

int32_t states_partition(const char *name, int32_t partitions)
{
    assert(partitions > 0);
    return (int32_t)(states_hash(name, strlen(name)) % (uint64_t)partitions);
}

void states_begin(struct states_out *o, const char *name, uint32_t slot, int64_t next,
                  const struct last_message *last, uint64_t checkpoint, const void *state, size_t n,
                  size_t max_part)
{
    *o = (struct states_out){.name = name,
                             .state = state,
                             .max_part = max_part,
                             .slot = states_slot(slot, n, max_part),
                             .next = {.parts = count_parts(n, max_part),
                                      .next = next,
                                      .last = *last,
                                      .checkpoint = checkpoint,
                                      .bytes = n,
                                      .hash = states_hash(state, n)}};
}

bool states_next(struct states_out *o, char key[STATES_KEY], size_t *key_len, void *value,
                 size_t *value_len)
{
    struct states_header *h = &o->next;
    assert(h->part <= h->parts);
    if (h->part == h->parts) return false;
    size_t from = h->part * o->max_part, left = h->bytes - from,
           n = left < o->max_part ? left : o->max_part;
    *key_len = states_key(key, o->name, o->slot, h->part);
    states_put_header(value, h, o->state + from, n);
    memcpy((unsigned char *)value + STATES_HEADER, o->state + from, n);
    *value_len = STATES_HEADER + n;
    h->part++;
    return true;
}

/* ---- reading states ---- */

/* True if a name has the four fields of states_name_field(). Anybody may have written the key. */
static bool has_fields(const char *name)
{
    int tabs = 0;
    for (; *name; name++)
        tabs += *name == '\t';
    return tabs == 3;
}

/* Splits a message's key into name, slot and part. Returns false if the key is not a state's. */
static bool split_key(const void *key, size_t n, char name[STATES_KEY], uint32_t *slot,
                      uint32_t *part)
{
    unsigned s, p;
    char end;
    if (!key || n >= STATES_KEY || memchr(key, 0, n)) return false;
    memcpy(name, key, n);
    name[n] = 0;
    char *last = strrchr(name, '\t');
    if (!last || sscanf(last + 1, "%u.%u%c", &s, &p, &end) != 2 || s >= STATES_SLOTS) return false;
    *last = 0;
    if (!has_fields(name)) return false;
    *slot = s;
    *part = p;
    return true;
}

/* ---- parts ---- */

static void drop_parts(struct states_parts *p)
{
    for (uint32_t k = 0; k < p->of.parts; k++)
        free(p->part[k]);
    free(p->part);
    *p = (struct states_parts){.part = NULL};
}

static bool same_state(const struct states_header *a, const struct states_header *b)
{
    return a->parts == b->parts && a->next == b->next && a->checkpoint == b->checkpoint &&
           a->bytes == b->bytes && a->hash == b->hash;
}

static bool begin_parts(struct states_parts *p, const struct states_header *h)
{
    drop_parts(p);
    p->part = calloc(h->parts, sizeof *p->part);
    if (!p->part) return false;
    p->of = *h;
    p->awaited = h->parts;
    return true;
}

/* True if the part's length is right: all parts except the last have the same length. */
static bool part_fits(struct states_parts *p, uint32_t part, size_t n)
{
    uint64_t others = p->of.parts - 1;
    uint64_t part_bytes = part < others ? n : others ? (p->of.bytes - n) / others : n;
    if (p->part_bytes && p->part_bytes != part_bytes) return false;
    if (others * part_bytes > p->of.bytes || p->of.bytes - others * part_bytes > part_bytes)
        return false;
    if (part == others && p->of.bytes - others * part_bytes != n) return false;
    p->part_bytes = part_bytes;
    return true;
}

/* Stores a part, unless p already has it or its length is wrong. Returns false if there is no
 * memory. */
static bool add_part(struct states_parts *p, uint32_t part, const unsigned char *bytes, size_t n)
{
    if (p->part[part] || !part_fits(p, part, n)) return true;
    p->part[part] = malloc(n);
    if (!p->part[part]) return false;
    memcpy(p->part[part], bytes, n);
    p->awaited--;
    return true;
}

/* Joins the parts, whose lengths part_fits has checked. Returns NULL if there is no memory. */
static char *join_parts(const struct states_parts *p)
{
    char *bytes = malloc(p->of.bytes);
    for (uint32_t k = 0; bytes && k < p->of.parts; k++) {
        size_t from = k * p->part_bytes, left = p->of.bytes - from;
        memcpy(bytes + from, p->part[k], left < p->part_bytes ? left : p->part_bytes);
    }
    return bytes;
}

/* ---- states ---- */

struct states_found *states_find(const struct states *s, const char *name)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].name, name)) return &s->v[i];
    return NULL;
}

static struct states_found *find_or_add(struct states *s, const char *name)
{
    struct states_found *found = states_find(s, name);
    if (found) return found;
    if (s->n == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 16;
        struct states_found *v = realloc(s->v, cap * sizeof *v);
        if (!v) return NULL;
        s->v = v;
        s->cap = cap;
    }
    char *copy = strdup(name);
    if (!copy) return NULL;
    s->v[s->n] = (struct states_found){.name = copy, .next = -1};
    return &s->v[s->n++];
}

static bool delete_state(struct states_found *o, uint32_t slot)
{
    drop_parts(&o->parts[slot]);
    if (!o->n || o->slot != slot) return false;
    free(o->bytes);
    o->bytes = NULL;
    o->n = 0;
    o->next = -1;
    return true;
}

/* Replaces the state in `o` by the one from the complete parts, unless the state in `o` has a
 * larger offset. */
static enum states_result use_parts(struct states_found *o, uint32_t slot)
{
    struct states_parts *p = &o->parts[slot];
    char *bytes = join_parts(p);
    if (!bytes) return STATES_NO_MEMORY;
    bool good = states_hash(bytes, p->of.bytes) == p->of.hash && p->of.next >= o->next;
    if (good) {
        free(o->bytes);
        o->bytes = bytes;
        o->n = p->of.bytes;
        o->next = p->of.next;
        o->last = p->of.last;
        o->checkpoint = p->of.checkpoint;
        o->slot = slot;
    } else {
        free(bytes);
    }
    drop_parts(p);
    return good ? STATES_CHANGED : STATES_UNCHANGED;
}

enum states_result states_take(struct states *s, const void *key, size_t key_len, const void *value,
                               size_t n, uint32_t *which)
{
    char name[STATES_KEY];
    uint32_t slot, part;
    struct states_header h;
    if (!split_key(key, key_len, name, &slot, &part)) return STATES_UNCHANGED;
    if (s->wanted && !s->wanted(s->self, name)) return STATES_UNCHANGED;
    if (value && (!get_header(value, n, &h) || h.part != part)) return STATES_UNCHANGED;
    struct states_found *o = find_or_add(s, name);
    if (!o) return STATES_NO_MEMORY;
    *which = (uint32_t)(o - s->v);
    if (!value) return delete_state(o, slot) ? STATES_CHANGED : STATES_UNCHANGED;
    struct states_parts *p = &o->parts[slot];
    if (!p->of.parts || !same_state(&p->of, &h))
        if (!begin_parts(p, &h)) return STATES_NO_MEMORY;
    if (!add_part(p, part, (const unsigned char *)value + STATES_HEADER, n - STATES_HEADER))
        return STATES_NO_MEMORY;
    return p->awaited ? STATES_UNCHANGED : use_parts(o, slot);
}

void states_free(struct states *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t k = 0; k < STATES_SLOTS; k++)
            drop_parts(&s->v[i].parts[k]);
        free(s->v[i].name);
        free(s->v[i].bytes);
    }
    free(s->v);
    s->v = NULL;
    s->n = s->cap = 0;
}
