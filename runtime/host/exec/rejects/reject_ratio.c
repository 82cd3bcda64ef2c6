/* reject_ratio.c -- ends a run that has rejected too many records; sentences about rejections. */
#include "rejects.h"

#include <stdio.h>

#include "host/exec/run.h"
#include "host/log/log.h"

enum {
    RATIO_FROM = 1000, /* the ratio of all rejected records is checked after this many records */
    AT_LEAST = 20,     /* below RATIO_FROM records, a run fails only with this many rejections */
    SAID_REASONS = 3,  /* number of most frequent reasons in messages                          */
    LATER_SHOWN = 150, /* most bytes of the example for the second and third reason            */
    SAID_BYTES = REJECT_SHOWN + 2 * LATER_SHOWN + SAID_REASONS * 80
};

/* Writes the most frequent reasons: "label (300 of them), first a.csv:2 (byte 9): label
 * (label.number): 'x' is no number; then for fields (12 of them), first …". */
static void ratio_describe_most(const struct rejects *r, char *text, size_t cap)
{
    const struct reject_count *said[SAID_REASONS];
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < SAID_REASONS; i++) {
        const struct reject_count *k = said[i] = reject_counts_most(&r->counts, said, i);
        if (!k) return;
        bool known = k->first[0] != '\0'; /* false if the first rejection was in an earlier run */
        n += (size_t)snprintf(text + n, cap - n, "%s%s (%llu of them)%s%.*s",
                              i ? "; then for " : "", k->word, (unsigned long long)k->n,
                              known ? ", first " : "", i ? LATER_SHOWN : REJECT_SHOWN, k->first);
        if (n >= cap) return;
    }
}

void rejects_sentence(const struct rejects *r, char *text, size_t cap)
{
    const struct reject_count *k = reject_counts_most(&r->counts, NULL, 0);
    bool one = k && k->n == r->count;
    const struct rejects_share *came = &r->of[REJECTS_OF_INPUTS], *made = &r->of[REJECTS_OF_STAGES];
    char of_made[80] = "";
    if (made->rejected)
        snprintf(of_made, sizeof of_made, ", and %llu of %llu that stages made,",
                 (unsigned long long)made->rejected, (unsigned long long)made->passed);
    int n = snprintf(text, cap, "%llu of %llu records%s were rejected, %s for %s",
                     (unsigned long long)came->rejected, (unsigned long long)came->passed, of_made,
                     one ? "all" : "mostly", k ? k->word : "none");
    if (k && !one && n > 0 && (size_t)n < cap)
        snprintf(text + n, cap - (size_t)n, " (%llu of them)", (unsigned long long)k->n);
}

void rejects_unshown(const struct rejects *r, char *text, size_t cap)
{
    *text = 0;
    /* If r->logged is 0, all rejections were in earlier runs, which have shown them. */
    if (r->shown >= r->count || !r->logged) return;
    snprintf(text, cap, "%llu %s shown, %s%s", (unsigned long long)r->shown,
             r->shown == 1 ? "is" : "are",
             r->places ? "all are in " : "dead_letters = \"FILE\" keeps all",
             r->places ? r->places : "");
}

void rejects_by_reason(const struct rejects *r, char *text, size_t cap)
{
    const struct reject_count *said[SAID_REASONS];
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < SAID_REASONS && n < cap; i++) {
        said[i] = reject_counts_most(&r->counts, said, i);
        if (!said[i] || said[i]->n == r->count) return;
        n += (size_t)snprintf(text + n, cap - n, "%s %s %llu", i ? "," : ":", said[i]->word,
                              (unsigned long long)said[i]->n);
    }
}

static const char *const which_records[REJECTS_OF] = {"", " that stages made"};

/* Fails the run. `which` is "the last " or "the first " if `records` is a part of the records, else
 * "". */
static void ratio_fail_ratio(struct rejects *r, enum rejects_of k, uint64_t rejected,
                             uint64_t records, const char *which)
{
    char most[SAID_BYTES];
    ratio_describe_most(r, most, sizeof most);
    control_fail(
        &r->run->control, LEAT_EDATA,
        "%llu of %s%llu records%s were rejected, more than max_reject_ratio = %g; mostly for %s",
        (unsigned long long)rejected, which, (unsigned long long)records, which_records[k],
        r->options->max_reject_ratio, most);
    control_halt(&r->run->control);
}

/* True if rejected / records exceeds max_reject_ratio. A max_reject_ratio of 1 means no limit. */
static bool ratio_exceeds(const struct rejects *r, uint64_t rejected, uint64_t records)
{
    double max = r->options->max_reject_ratio;
    return max < 1 && (double)rejected > max * (double)records;
}

/* Returns the counts as they were about REJECT_WINDOW records ago, or at the start of the process
 * if fewer have passed. */
static const struct rejects_mark *ratio_window_start(const struct rejects_share *s)
{
    return &s->mark[s->n_marks < REJECT_MARKS ? 0 : (s->n_marks + 1) % (REJECT_MARKS + 1)];
}

static void ratio_move_window(struct rejects_share *s)
{
    const struct rejects_mark *last = &s->mark[s->n_marks % (REJECT_MARKS + 1)];
    if (s->passed - last->passed < REJECT_WINDOW / REJECT_MARKS) return;
    s->mark[++s->n_marks % (REJECT_MARKS + 1)] = (struct rejects_mark){s->passed, s->rejected};
}

void reject_ratio_check(struct rejects *r, enum rejects_of k)
{
    struct rejects_share *s = &r->of[k];
    const struct rejects_mark *from = ratio_window_start(s);
    uint64_t records = s->passed - from->passed, rejected = s->rejected - from->rejected;
    ratio_move_window(s);
    if (s->passed >= RATIO_FROM && ratio_exceeds(r, s->rejected, s->passed))
        ratio_fail_ratio(r, k, s->rejected, s->passed, "the first ");
    else if (records >= REJECT_WINDOW && ratio_exceeds(r, rejected, records))
        ratio_fail_ratio(r, k, rejected, records, "the last ");
}

static void ratio_finish(struct rejects *r, enum rejects_of k)
{
    const struct rejects_share *s = &r->of[k];
    char most[SAID_BYTES];
    if (!s->rejected) return;
    ratio_describe_most(r, most, sizeof most);
    if (s->rejected == s->passed)
        control_fail(&r->run->control, LEAT_EDATA,
                     "all %llu records%s were rejected, mostly for %s",
                     (unsigned long long)s->passed, which_records[k], most);
    else if (s->passed < RATIO_FROM && s->rejected >= AT_LEAST &&
             ratio_exceeds(r, s->rejected, s->passed))
        ratio_fail_ratio(r, k, s->rejected, s->passed, "");
}

/* True if records came, all were rejected, and max_reject_ratio limits that. */
static bool ratio_rejects_all(const struct rejects *r)
{
    const struct rejects_share *s = &r->of[REJECTS_OF_INPUTS];
    return s->rejected == s->passed && ratio_exceeds(r, s->rejected, s->passed);
}

bool rejects_allow_checkpoint(struct rejects *r)
{
    const struct rejects_share *s = &r->of[REJECTS_OF_INPUTS];
    pthread_mutex_lock(&r->mu);
    bool all = ratio_rejects_all(r);
    if (all && s->passed >= AT_LEAST)
        ratio_fail_ratio(r, REJECTS_OF_INPUTS, s->rejected, s->passed, "the first ");
    pthread_mutex_unlock(&r->mu);
    return !all;
}

bool rejects_allow_closing(const struct rejects *r)
{
    if (!ratio_rejects_all(r)) return true;
    log_message(LEAT_WARN,
                "nothing is committed or saved, because all %llu records so far were rejected: the "
                "next run reads them again",
                (unsigned long long)r->of[REJECTS_OF_INPUTS].passed);
    return false;
}

void rejects_finish(struct rejects *r)
{
    for (enum rejects_of k = 0; k < REJECTS_OF && !atomic_load(&r->run->control.stopping); k++)
        ratio_finish(r, k);
}
