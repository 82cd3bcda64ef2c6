/* reject_counts.c -- implementation of reject_counts.h.
 *
 * A snapshot stores reasons as words, not numbers, so that other versions of leat and of plugins
 * can read it. Reasons that no stage declares any more keep their counts. */
#include "reject_counts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/graph/graph.h"
#include "host/memory/memory.h"
#include "host/plugin/stage_tables.h"

/* Most words that are read from a snapshot, which may be forged. */
enum { MAX_WORDS = 4096 };

static struct reject_count *reject_counts_find(const struct reject_counts *c, const char *word,
                                               size_t n)
{
    for (uint32_t k = 0; k < c->n; k++) {
        const char *is = c->reason[k].word;
        if (is && !strncmp(is, word, n) && !is[n]) return &c->reason[k];
    }
    return NULL;
}

static struct reject_count *reject_counts_append(struct reject_counts *c, const char *word)
{
    if (c->n == c->cap)
        c->reason = arena_grow(c->arena, c->reason, c->n, &c->cap, sizeof *c->reason);
    c->reason[c->n].word = word;
    return &c->reason[c->n++];
}

static struct reject_count *reject_counts_find_or_append(struct reject_counts *c, const char *word,
                                                         size_t n)
{
    struct reject_count *r = reject_counts_find(c, word, n);
    return r ? r : reject_counts_append(c, arena_strndup(c->arena, word, n));
}

void reject_counts_init(struct reject_counts *c, const struct graph *g)
{
    static const struct leat_stage none;
    *c = (struct reject_counts){.arena = g->arena};
    for (int k = 0; k < LEAT_R_COUNT; k++)
        reject_counts_append(c, stage_tables_reason(&none, k));
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct leat_stage *s = g->node[i].stage;
        for (uint32_t k = 0; s && k < s->n_reasons; k++)
            reject_counts_find_or_append(c, s->reasons[k].word, strlen(s->reasons[k].word));
    }
}

struct reject_count *reject_counts_of(const struct reject_counts *c, const struct leat_stage *s,
                                      int reason)
{
    if (reason > LEAT_R_NONE && reason < LEAT_R_COUNT) return &c->reason[reason];
    const char *word = stage_tables_reason(s, reason);
    struct reject_count *r = word ? reject_counts_find(c, word, strlen(word)) : NULL;
    return r ? r : &c->reason[LEAT_R_OTHER];
}

const struct reject_count *reject_counts_most(const struct reject_counts *c,
                                              const struct reject_count *const *said,
                                              uint32_t n_said)
{
    const struct reject_count *most = NULL;
    for (uint32_t k = 0; k < c->n; k++) {
        const struct reject_count *r = &c->reason[k];
        bool is_said = false;
        for (uint32_t i = 0; i < n_said; i++)
            is_said |= said[i] == r;
        if (!is_said && r->n > (most ? most->n : 0)) most = r;
    }
    return most;
}

/* ---- counts in snapshots ---- */

static uint64_t reject_counts_at_barrier(const struct reject_count *r) { return r->n - r->held; }

static int reject_counts_by_word(const void *a, const void *b)
{
    const struct reject_count *const *x = a, *const *y = b;
    return strcmp((*x)->word, (*y)->word);
}

/* Lists the reasons that have records, by word, so that equal counts have the same bytes. Returns
 * how many. */
static uint32_t reject_counts_list(const struct reject_counts *c, const struct reject_count **list,
                                   uint64_t *bytes)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        if (!reject_counts_at_barrier(&c->reason[k])) continue;
        *bytes += strlen(c->reason[k].word) + 1;
        list[n++] = &c->reason[k];
    }
    if (n > 1) qsort(list, n, sizeof(void *), reject_counts_by_word);
    return n;
}

/* Writes the reasons that have records: their words, with a blank after each, and their counts. */
void reject_counts_write(const struct reject_counts *c, struct leat_writer *w)
{
    uint64_t bytes = 0;
    const struct reject_count **list = memory_take((c->n + 1) * sizeof(void *));
    uint32_t n = reject_counts_list(c, list, &bytes);
    char *words = w->reserve(w, "reasons", LEAT_U8, bytes);
    for (uint32_t k = 0; words && k < n; k++) {
        size_t len = strlen(list[k]->word);
        memcpy(words, list[k]->word, len);
        words[len] = ' ';
        words += len + 1;
    }
    uint64_t *count = w->reserve(w, "by_reason", LEAT_U64, n);
    for (uint32_t k = 0; count && k < n; k++)
        count[k] = reject_counts_at_barrier(list[k]);
    free(list);
}

struct saved {
    const char *words; /* with a blank after each word */
    const uint64_t *count;
    uint64_t bytes, n;
};

/* Reads the word at offset *at, and moves *at to the next word. Returns the length of the word; 0
 * if it is not valid. */
static size_t reject_counts_next_word(const struct saved *s, uint64_t *at,
                                      char word[LEAT_WORD_MAX + 1])
{
    const char *from = s->words + *at, *end = memchr(from, ' ', (size_t)(s->bytes - *at));
    size_t n = end ? (size_t)(end - from) : 0;
    if (!n || n > LEAT_WORD_MAX) return 0;
    memcpy(word, from, n);
    word[n] = 0;
    *at += n + 1;
    return stage_tables_is_word(word) ? n : 0;
}

/* Checks that the words are valid and that the counts add up to `count`. Each rejection has exactly
 * one reason. */
static int reject_counts_check(struct leat_reader *from, const struct saved *s, uint64_t count)
{
    char word[LEAT_WORD_MAX + 1];
    uint64_t at = 0, sum = 0;
    for (uint64_t k = 0; k < s->n; sum += s->count[k], k++) {
        if (!reject_counts_next_word(s, &at, word))
            return from->refuse(from, "the field 'reasons' has no valid word for by_reason[%llu]",
                                (unsigned long long)k);
        if (s->count[k] > count - sum)
            return from->refuse(from, "by_reason[%llu] (%s) is %llu; it must be 0 to %llu",
                                (unsigned long long)k, word, (unsigned long long)s->count[k],
                                (unsigned long long)(count - sum));
    }
    if (at != s->bytes)
        return from->refuse(from,
                            "the field 'reasons' has %llu bytes, but the %llu words of "
                            "by_reason have %llu",
                            (unsigned long long)s->bytes, (unsigned long long)s->n,
                            (unsigned long long)at);
    return sum == count ? LEAT_OK
                        : from->refuse(from, "by_reason adds up to %llu, but rejected is %llu",
                                       (unsigned long long)sum, (unsigned long long)count);
}

int reject_counts_read(struct reject_counts *c, struct leat_reader *from, uint64_t count)
{
    char word[LEAT_WORD_MAX + 1];
    struct saved s;
    const void *words, *by_reason;
    int status = from->array_up_to(from, "reasons", LEAT_U8, (uint64_t)MAX_WORDS * sizeof word,
                                   &words, &s.bytes);
    if (status == LEAT_OK)
        status = from->array_up_to(from, "by_reason", LEAT_U64, MAX_WORDS, &by_reason, &s.n);
    if (status != LEAT_OK) return status;
    s.words = words;
    s.count = by_reason;
    status = reject_counts_check(from, &s, count);
    if (status != LEAT_OK) return status;
    for (uint32_t k = 0; k < c->n; k++)
        c->reason[k].n = 0;
    for (uint64_t k = 0, at = 0; k < s.n; k++) {
        size_t n = reject_counts_next_word(&s, &at, word);
        reject_counts_find_or_append(c, word, n)->n += s.count[k];
    }
    return LEAT_OK;
}

void reject_counts_add(struct reject_counts *c, const struct reject_counts *other)
{
    for (uint32_t k = 0; k < other->n; k++) {
        const struct reject_count *r = &other->reason[k];
        if (r->n) reject_counts_find_or_append(c, r->word, strlen(r->word))->n += r->n;
    }
}
