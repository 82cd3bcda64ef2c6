/* places.c -- implementation of places.h. */
#include "places.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/stream_name.h"
#include "core/time/clock.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/time_span.h"
#include "kernels/text/time_text.h"

enum { EVERY_PARTITION = -1, NAME_BYTES = 264 };

/* The words of each parameter; `start` first. */
static const struct {
    const char *word;
    enum place_kind kind;
} places_words[2][4] = {
    {{"earliest", PLACE_EARLIEST}, {"latest", PLACE_LATEST}, {"committed", PLACE_COMMITTED}},
    {{"end", PLACE_LATEST}, {"stopped", PLACE_NEVER}},
};

/* Words of older versions, and what to write instead. */
static const char *const places_old[][2] = {
    {"offset", "write the offsets into `start`: { [0] = 1200, [1] = 1187 }"},
    {"timestamp", "write the time itself, such as 2026-11-20T12:00:00Z"},
};

static int is_until(const struct places *p) { return *p->param == 'u'; }

/* ---- one place ---- */

/* Reads a time before now, such as "-90min". */
static bool place_ago(const char *text, int64_t now_ms, int64_t *ms)
{
    int64_t ago;
    if (!time_ago(text, &ago) || ago / 1000000 >= now_ms) return false;
    *ms = now_ms - ago / 1000000;
    return true;
}

/* Reads a date, which is UTC unless it has an offset. */
static bool place_date(const char *text, int64_t *ms)
{
    struct time_reader reader = {.year = 0};
    char why[TIME_WHY];
    int64_t ns;
    if (!time_format_read(&reader.format, "iso8601", why)) return false;
    if (time_read(&reader, text, strlen(text), TIME_NONE, &ns)) return false;
    *ms = ns / 1000000 + (ns % 1000000 > 0);
    return true;
}

/* Returns the number of a text of n digits; negative if it is none, or too large. */
static int64_t place_number(const char *text, size_t n)
{
    char digits[24] = "";
    if (!n || n >= sizeof digits) return -1;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)text[i])) return -1;
    memcpy(digits, text, n);
    errno = 0;
    long long number = strtoll(digits, NULL, 10);
    return errno ? -1 : number;
}

static bool place_read(const struct places *p, const char *text, int64_t now_ms, struct place *out)
{
    *out = (struct place){.kind = PLACE_KINDS};
    for (int i = 0; places_words[is_until(p)][i].word; i++)
        if (!strcmp(text, places_words[is_until(p)][i].word))
            out->kind = places_words[is_until(p)][i].kind;
    if (out->kind != PLACE_KINDS) return true;
    out->kind = PLACE_OFFSET;
    out->at = place_number(text, strlen(text));
    if (out->at >= 0) return true;
    out->kind = PLACE_TIME;
    return place_ago(text, now_ms, &out->at) || place_date(text, &out->at);
}

/* ---- entries ---- */

struct place_entry {
    const char *topic; /* n_topic bytes; NULL: any topic */
    size_t n_topic;
    int64_t partition; /* or EVERY_PARTITION; below that: no number */
    const char *place;
};

/* Splits an entry. A key without a topic is of the only topic. */
static struct place_entry entry_split(const struct places *p, const char *text)
{
    const char *equal = strchr(text, '=');
    struct place_entry e = {.partition = EVERY_PARTITION, .place = equal ? equal + 1 : text};
    if (!equal) return e;
    const char *slash = memrchr(text, '/', (size_t)(equal - text));
    const char *number = slash ? slash + 1 : text;
    int64_t k = place_number(number, (size_t)(equal - number));
    e.topic = slash || k < 0 ? text : NULL;
    e.n_topic = (size_t)((slash ? slash : equal) - text);
    if (slash || k >= 0) e.partition = k < 0 || k > INT32_MAX ? EVERY_PARTITION - 1 : k;
    if (e.topic || p->topics->n != 1 || *p->topics->v[0] == '^') return e;
    e.topic = p->topics->v[0];
    e.n_topic = strlen(e.topic);
    return e;
}

static bool entry_is_of(const struct place_entry *e, const char *topic, int64_t partition)
{
    bool fits = !e->topic || (strlen(topic) == e->n_topic && !memcmp(topic, e->topic, e->n_topic));
    return fits && (e->partition == partition || e->partition == EVERY_PARTITION);
}

static bool entry_is_same(const struct place_entry *a, const struct place_entry *b)
{
    if (a->partition != b->partition || !a->topic != !b->topic) return false;
    return !a->topic || (a->n_topic == b->n_topic && !memcmp(a->topic, b->topic, a->n_topic));
}

/* Returns how closely an entry names its partitions. */
static int entry_rank(const struct place_entry *e)
{
    return 2 * (e->partition != EVERY_PARTITION) + !!e->topic;
}

struct place places_of(const struct places *p, const char *topic, int32_t partition, int64_t now_ms)
{
    struct place place = {.kind = is_until(p) ? PLACE_LATEST : PLACE_EARLIEST, .has_none = true};
    int best = -1;
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct place_entry e = entry_split(p, p->list->v[i]);
        if (entry_rank(&e) <= best || !entry_is_of(&e, topic, partition)) continue;
        best = entry_rank(&e);
        place_read(p, e.place, now_ms, &place);
    }
    return place;
}

bool places_have(const struct places *p, enum place_kind kind)
{
    struct place place;
    bool has = false;
    for (uint32_t i = 0; i < p->list->n; i++)
        has |= place_read(p, entry_split(p, p->list->v[i]).place, INT64_MAX, &place) &&
               place.kind == kind;
    return has;
}

bool places_by_partition(const struct places *p)
{
    bool has = false;
    for (uint32_t i = 0; i < p->list->n; i++)
        has |= entry_split(p, p->list->v[i]).partition != EVERY_PARTITION;
    return has;
}

const char *places_missing(const struct places *p, const char *topic, int n, int64_t *partition)
{
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct place_entry e = entry_split(p, p->list->v[i]);
        *partition = e.partition;
        if (e.topic && e.partition >= n && entry_is_of(&e, topic, e.partition))
            return p->list->v[i];
    }
    return NULL;
}

/* ---- checks ---- */

static void report_place(const struct places *p, const char *text, struct leat_diag *d)
{
    const char *words[5] = {NULL}, *end = is_until(p) ? "end" : "begin";
    for (size_t i = 0; i < sizeof places_old / sizeof *places_old; i++)
        if (!is_until(p) && !strcmp(text, places_old[i][0])) {
            d->error(d, p->param, "'%s' is no place: %s", text, places_old[i][1]);
            return;
        }
    for (int i = 0; places_words[is_until(p)][i].word; i++)
        words[i] = places_words[is_until(p)][i].word;
    const char *near = edit_nearest(text, words);
    if (near)
        d->error(d, p->param, "'%s' is not a place to %s: did you mean '%s'?", text, end, near);
    else
        d->error(d, p->param,
                 "'%s' is not a place to %s: give %s, a time such as 2026-11-20T12:00:00Z, -6h "
                 "for six hours ago, or offsets: { [0] = 1200, [1] = 1187 }",
                 text, end, is_until(p) ? "end, stopped" : "earliest, latest, committed");
}

/* Reports a topic that the source does not read. Returns true if it reads it. */
static bool check_topic(const struct places *p, const struct place_entry *e, const char *text,
                        struct leat_diag *d)
{
    char name[NAME_BYTES] = "";
    const char *names[65] = {NULL};
    bool reads = false;
    if (e->n_topic < sizeof name) memcpy(name, e->topic, e->n_topic);
    for (uint32_t i = 0; i < p->topics->n; i++) {
        reads |= stream_name_is_good(p->topics->v[i]) && stream_name_covers(p->topics->v[i], name);
        if (i < 64) names[i] = p->topics->v[i];
    }
    if (reads) return true;
    const char *near = edit_nearest(name, names);
    d->error(d, p->param, "'%s' names the topic '%s', which is not in `topics`%s%s%s", text, name,
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

/* Reports an offset that is not of one partition. */
static void check_lone_offset(const struct places *p, const struct place_entry *e, const char *text,
                              struct leat_diag *d)
{
    long long at = strtoll(e->place, NULL, 10);
    const bool has_key = e->place > text;
    if (has_key && text[0] == '-' && isdigit((unsigned char)text[1]))
        d->error(d, p->param, "'%.*s' of '%s' is no partition, of which the first is 0",
                 (int)(e->place - text) - 1, text, text);
    else if (!has_key || check_topic(p, e, text, d))
        d->error(d, p->param,
                 "offset %lld needs its partition: write { [0] = %lld } for partition 0", at, at);
}

static void check_entry(const struct places *p, uint32_t k, struct leat_diag *d)
{
    const char *text = p->list->v[k];
    struct place_entry e = entry_split(p, text);
    struct place place;
    if (!place_read(p, e.place, (int64_t)(clock_unix_ns() / 1000000), &place))
        report_place(p, e.place, d);
    else if (e.partition < EVERY_PARTITION || (e.topic && !e.n_topic))
        d->error(d, p->param, "'%s' must have the form PARTITION=PLACE or TOPIC/PARTITION=PLACE",
                 text);
    else if (!e.topic && e.partition != EVERY_PARTITION)
        d->error(d, p->param,
                 "'%s' needs its topic, as there may be several: { orders = { [%lld] = … } }", text,
                 (long long)e.partition);
    else if (place.kind == PLACE_OFFSET && e.partition == EVERY_PARTITION)
        check_lone_offset(p, &e, text, d);
    else if (e.topic)
        check_topic(p, &e, text, d);
    for (uint32_t i = 0; i < k; i++) {
        struct place_entry before = entry_split(p, p->list->v[i]);
        if (!entry_is_same(&before, &e)) continue;
        d->error(d, p->param, "'%s' and '%s' are for the same partitions: leave one out",
                 p->list->v[i], text);
        return;
    }
}

void places_check(const struct places *p, struct leat_diag *d)
{
    if (!p->list->n) d->error(d, p->param, "the list is empty: give a place");
    for (uint32_t i = 0; i < p->list->n; i++)
        check_entry(p, i, d);
}
