/* laws_of_commits.c -- sinks that commit, each trial into a target of its own: what a run learns of
 * the one before it, which was killed or is still there. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "laws.h"
#include "trace.h"

const char *law_commits(const struct subject *s)
{
    return s->stage->transaction->name && s->cfg && s->stage->transaction->name(s->cfg)
               ? NULL
               : "it does not commit as it is configured";
}

enum { COMMITS = 3 };
static const char format[] = "leat.run/1";

int law_commit(const struct subject *s, struct harness *h, uint64_t checkpoint)
{
    char text[40];
    snprintf(text, sizeof text, "position at %llu", (unsigned long long)checkpoint);
    const struct leat_position at = {
        .source = "", .format = format, .bytes = text, .n = strlen(text)};
    trial_step("commit %llu", (unsigned long long)checkpoint);
    return s->stage->transaction->commit(&h->ctx, h->self, checkpoint, &at, 1);
}

int law_prepare(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint)
{
    harness_clear(h);
    records_add(s, h, PLAIN, k * s->batch, s->batch);
    trial_step("process, batch %u", k + 1);
    int status = s->stage->process ? harness_process(h) : LEAT_OK;
    trial_step("barrier %llu", (unsigned long long)checkpoint);
    if (status == LEAT_OK && s->stage->barrier)
        status = s->stage->barrier(&h->ctx, h->self, checkpoint);
    return status;
}

/* Batch k and its checkpoint. The first failure. */
static int give_and_commit(const struct subject *s, struct harness *h, uint32_t k,
                           uint64_t checkpoint)
{
    int status = law_prepare(s, h, k, checkpoint);
    return status == LEAT_OK ? law_commit(s, h, checkpoint) : status;
}

void law_must_commit(const struct subject *s, struct harness *h, uint32_t k, uint64_t checkpoint)
{
    int status = give_and_commit(s, h, k, checkpoint);
    if (status != LEAT_OK)
        trial_fails("checkpoint %llu is not committed (%d): %s", (unsigned long long)checkpoint,
                    status, h->said);
}

/* All into one target. */
static struct subject one_target(const struct subject *s)
{
    struct subject same = *s;
    same.instance = 1;
    return same;
}

/* A run that commits, and is then killed within the next checkpoint. */
static void commit_some(const struct subject *s, void *last)
{
    const struct feeding next = {
        .flavour = PLAIN, .from = COMMITS * s->batch, .to = (COMMITS + 1) * s->batch};
    struct harness *h = subject_open(s);
    uint64_t n = h->committed;
    for (uint32_t k = 0; k < COMMITS; k++)
        law_must_commit(s, h, k, ++n);
    trace_feed(s, h, next, NULL);
    memcpy(last, &n, sizeof n);
}

static struct harness *after_a_kill(const struct subject *s, uint64_t *last)
{
    uint64_t *told =
        mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED) trial_skips("there is no memory");
    trial_kills(commit_some, s, told);
    *last = *told;
    return subject_open(s);
}

/* A later run under the same name learns of the last checkpoint that was committed. */
static void fences(const struct subject *s)
{
    const struct subject same = one_target(s);
    uint64_t last;
    struct harness *later = after_a_kill(&same, &last);
    if (later->committed != last)
        trial_fails("fence gives checkpoint %llu\nexpected: %llu, the last one committed",
                    (unsigned long long)later->committed, (unsigned long long)last);
    law_must_commit(&same, later, COMMITS, last + 1);
    subject_close(later);
}

static void must_be_fenced(const struct subject *s, struct harness *h, uint64_t checkpoint)
{
    int status = give_and_commit(s, h, 2, checkpoint);
    if (status == LEAT_OK)
        trial_fails("a run commits checkpoint %llu after the fence of a later one",
                    (unsigned long long)checkpoint);
    if (status != LEAT_EFENCED)
        trial_fails("process, barrier or commit returned %d to a run that a later one has fenced: "
                    "%s\nexpected: LEAT_EFENCED (-9)",
                    status, h->said);
}

/* Two at once: a run that was taken for dead, and the one that was begun in its place. */
static void fences_others(const struct subject *s)
{
    const struct subject same = one_target(s);
    struct harness *earlier = subject_open(&same), *later = subject_new(&same);
    uint64_t n = earlier->committed + 1;
    law_must_commit(&same, earlier, 0, n);
    trial_step("open of a later run");
    if (harness_open(later, same.batch) < 0) return; /* it waits until the earlier one has ended */
    must_be_fenced(&same, earlier, n + 1);
    trial_forgets(earlier);
    trial_step("close of a run that was fenced");
    harness_free(earlier);
    law_must_commit(&same, later, 1, n + 1);
    subject_close(later);
    later = subject_open(&same);
    if (later->committed != n + 1)
        trial_fails("fence gives checkpoint %llu\nexpected: %llu, that of the run that fenced",
                    (unsigned long long)later->committed, (unsigned long long)(n + 1));
    subject_close(later);
}

static const char *keeps_positions(const struct subject *s)
{
    if (law_commits(s)) return law_commits(s);
    return s->stage->transaction->positions ? NULL : "it keeps no positions";
}

static void keeps(const struct subject *s)
{
    const struct subject same = one_target(s);
    const struct leat_position *list = NULL;
    uint64_t last;
    uint32_t n = 0;
    char expected[40];
    struct harness *later = after_a_kill(&same, &last);
    trial_step("positions");
    int status = s->stage->transaction->positions(&later->ctx, later->self, &list, &n);
    if (status != LEAT_OK) trial_fails("positions returned %d: %s", status, later->said);
    int len = snprintf(expected, sizeof expected, "position at %llu", (unsigned long long)last);
    if (n != 1) trial_fails("positions gives %u\nexpected: 1, as commit got it", n);
    if (!list->source || *list->source || !list->format || strcmp(list->format, format) != 0)
        trial_fails("positions gives source '%s' and format '%s'\nexpected: '' and '%s'",
                    list->source ? list->source : "none", list->format ? list->format : "none",
                    format);
    if (list->n != (size_t)len || memcmp(list->bytes, expected, list->n) != 0)
        trial_fails("positions gives '%.*s'\nexpected: '%s', of the last commit", (int)list->n,
                    (const char *)list->bytes, expected);
    subject_close(later);
}

static const struct law laws[] = {
    {LAW("fence", "after a kill, fence tells the last checkpoint that was committed", law_commits,
         fences)},
    {LAW("fenced", "an earlier run commits nothing after the fence of a later one", law_commits,
         fences_others)},
    {LAW("positions", "after a kill, it gives the position of the last commit", keeps_positions,
         keeps)},
};
const struct law_table laws_of_commits = {laws, sizeof laws / sizeof *laws};
