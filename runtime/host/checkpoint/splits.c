/* splits.c -- implementation of splits.h. */
#include "splits.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/log/json_text.h"
#include "host/memory/memory.h"

static const char *splits_text(const json_t *split, const char *key)
{
    return json_string_value(json_object_get(split, key));
}

static bool splits_is_count(const json_t *count)
{
    return json_is_integer(count) && json_integer_value(count) >= 0;
}

static bool splits_is_one(const json_t *split)
{
    const char *digest = splits_text(split, "digest");
    const json_t *id = json_object_get(split, "id"), *weight = json_object_get(split, "weight");
    if (weight && !(json_number_value(weight) > 0 && json_number_value(weight) <= DBL_MAX))
        return false;
    return digest && strlen(digest) == 32 && strspn(digest, "0123456789abcdef") == 32 &&
           (!id || json_is_string(id)) && splits_is_count(json_object_get(split, "records")) &&
           splits_is_count(json_object_get(split, "bytes"));
}

json_t *splits_read(const struct snapshot *s)
{
    const struct snapshot_section *text = snapshot_find(s, "splits");
    json_t *all = text ? json_loadb(text->bytes, text->n, 0, NULL) : NULL, *split;
    size_t i;
    bool good = json_is_array(all) && json_array_size(all);
    json_array_foreach(all, i, split) { good &= splits_is_one(split); }
    json_t *sorted = good ? json_array() : NULL;
    if (good) splits_add(sorted, all); /* anybody may have made the snapshot */
    json_decref(all);
    return sorted;
}

/* Returns the digest of the stages' states. The name of a section has the lane, which is 0. */
static XXH128_hash_t splits_digest(const struct snapshot_section *section, uint32_t n)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) memory_lost();
    XXH3_128bits_reset(state);
    for (uint32_t i = 0; i < n; i++) {
        if (strncmp(section[i].name, "stage/", 6)) continue;
        XXH3_128bits_update(state, section[i].name, strlen(section[i].name) + 1);
        XXH3_128bits_update(state, section[i].bytes, section[i].n);
    }
    XXH128_hash_t digest = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return digest;
}

json_t *splits_one(const char *id, uint64_t records, uint64_t bytes,
                   const struct snapshot_section *section, uint32_t n)
{
    char digest[33];
    XXH128_hash_t of = splits_digest(section, n);
    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, of.high64, of.low64);
    return json_pack("[{s:o*, s:I, s:I, s:s}]", "id", id ? json_text(id) : NULL, "records",
                     (json_int_t)records, "bytes", (json_int_t)bytes, "digest", digest);
}

uint64_t splits_sum(const json_t *splits, const char *key)
{
    size_t i;
    json_t *split;
    uint64_t sum = 0;
    json_array_foreach((json_t *)splits, i, split)
    {
        sum += (uint64_t)json_integer_value(json_object_get(split, key));
    }
    return sum;
}

/* ---- the order of splits ---- */

/* Returns how often a split counts. */
static double splits_weight(const json_t *split)
{
    const json_t *weight = json_object_get(split, "weight");
    return json_is_number(weight) ? json_number_value(weight) : 1;
}

/* Orders splits by id in natural order, those without one last, then by digest and weight. */
static int splits_compare(const json_t *a, const json_t *b)
{
    const char *x = splits_text(a, "id"), *y = splits_text(b, "id");
    int order = x && y ? strverscmp(x, y) : !x - !y;
    if (!order && x && y) order = strcmp(x, y);
    if (!order) order = strcmp(splits_text(a, "digest"), splits_text(b, "digest"));
    double v = splits_weight(a), w = splits_weight(b);
    return order ? order : (v > w) - (v < w);
}

/* Returns the place of a split in a sorted array. */
static size_t splits_place(const json_t *all, const json_t *split)
{
    size_t from = 0, to = json_array_size(all);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (splits_compare(json_array_get(all, middle), split) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void splits_add(json_t *all, const json_t *more)
{
    size_t i;
    json_t *split;
    json_array_foreach((json_t *)more, i, split)
    {
        json_array_insert(all, splits_place(all, split), split);
    }
}

void splits_weigh(json_t *splits, double weight)
{
    size_t i;
    json_t *split;
    if (weight == 1) return;
    json_array_foreach(splits, i, split)
    {
        double all = fmin(fmax(splits_weight(split) * weight, DBL_MIN), DBL_MAX);
        json_object_set_new(split, "weight", json_real(all));
    }
}

/* ---- comparing the splits of two states ---- */

bool splits_hold(const json_t *all, const json_t *some)
{
    size_t i;
    json_t *split;
    json_array_foreach((json_t *)some, i, split)
    {
        const json_t *there = json_array_get(all, splits_place(all, split));
        if (!there || splits_compare(there, split)) return false;
    }
    return true;
}

static bool splits_same(const json_t *a, const json_t *b, const char *key)
{
    const char *x = splits_text(a, key), *y = splits_text(b, key);
    return x && y && !strcmp(x, y);
}

static bool splits_is_empty(const json_t *split)
{
    return !json_integer_value(json_object_get(split, "records"));
}

/* Compares one split with all others. */
static enum splits_meeting splits_meet_one(const json_t *all, const json_t *split)
{
    size_t i;
    json_t *other;
    enum splits_meeting found = SPLITS_NEW;
    json_array_foreach((json_t *)all, i, other)
    {
        bool learned = splits_same(split, other, "digest");
        bool equal = learned && splits_weight(split) == splits_weight(other);
        if (splits_same(split, other, "id")) return equal ? SPLITS_HELD : SPLITS_DIFFER;
        if (!learned || splits_is_empty(split)) continue;
        bool named = splits_text(split, "id") && splits_text(other, "id");
        if (found != SPLITS_UNNAMED) found = named ? SPLITS_ALIKE : SPLITS_UNNAMED;
    }
    return found;
}

enum splits_meeting splits_meet(const json_t *all, const json_t *more, const json_t **which)
{
    size_t i, held = 0;
    json_t *split;
    enum splits_meeting worst = SPLITS_NEW;
    *which = NULL;
    json_array_foreach((json_t *)more, i, split)
    {
        enum splits_meeting met = splits_meet_one(all, split);
        held += met == SPLITS_HELD;
        if (met <= worst) continue;
        *which = split;
        worst = met;
    }
    if (worst == SPLITS_HELD && held < json_array_size(more)) return SPLITS_PARTLY;
    return worst;
}

const char *splits_name(const json_t *split, char text[48])
{
    const char *id = splits_text(split, "id");
    size_t n = id ? strnlen(id, 40) : 0;
    while (n && ((unsigned char)id[n] & 0xc0) == 0x80)
        n--; /* within a character of UTF-8 */
    if (id)
        snprintf(text, 48, "%.*s", (int)n, id);
    else
        snprintf(text, 48, "of digest %.8s", splits_text(split, "digest"));
    return text;
}

/* ---- splits that are missing ---- */

/* Marks the whole numbers below `n` + 1 among the ids. Returns how many ids are others. */
static uint64_t splits_mark(const json_t *splits, uint64_t n, char *there)
{
    size_t i;
    json_t *split;
    uint64_t others = 0;
    json_array_foreach((json_t *)splits, i, split)
    {
        const char *id = splits_text(split, "id");
        char *end = NULL;
        uint64_t number = id && *id >= '0' && *id <= '9' ? strtoull(id, &end, 10) : 0;
        if (end && !*end && number <= n)
            there[number] = 1;
        else
            others++;
    }
    return others;
}

/* Appends the range from `a` to `b` to a list. */
static void splits_append(char text[256], uint64_t a, uint64_t b)
{
    size_t len = strlen(text);
    const char *comma = len ? ", " : "";
    if (len > 200) {
        if (text[len - 1] != '.') snprintf(text + len, 256 - len, " ...");
    } else if (a == b) {
        snprintf(text + len, 256 - len, "%s%" PRIu64, comma, a);
    } else {
        snprintf(text + len, 256 - len, "%s%" PRIu64 " to %" PRIu64, comma, a, b);
    }
}

const char *splits_missing(const json_t *splits, uint64_t n, char text[256])
{
    char *there = memory_take(n + 2);
    memset(there, 0, n + 2);
    uint64_t others = splits_mark(splits, n, there), count = json_array_size(splits);
    uint64_t first = there[0] ? 0 : 1;
    *text = 0;
    if (others && count < n) snprintf(text, 256, "%" PRIu64 " of %" PRIu64, n - count, n);
    for (uint64_t k = first; !others && k < first + n; k++) {
        uint64_t from = k;
        while (k < first + n && !there[k])
            k++;
        if (k > from) splits_append(text, from, k - 1);
    }
    free(there);
    return *text ? text : NULL;
}
