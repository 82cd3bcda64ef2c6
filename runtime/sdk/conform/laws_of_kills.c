/* laws_of_kills.c -- laws of sinks that commit: fences, and the output of killed processes. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "laws.h"
#include "trace.h"

/* ---- sinks that commit ---- */

const char *law_commits(const struct subject *s)
{
    return s->stage->transaction->name && s->cfg && s->stage->transaction->name(s->cfg)
               ? NULL
               : "it does not commit in this configuration";
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

/* Calls law_prepare() and law_commit(). Returns LEAT_OK or the first failure. */
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

/* Returns a subject whose instances all write to the same target. */
static struct subject one_target(const struct subject *s)
{
    struct subject same = *s;
    same.instance = 1;
    return same;
}

/* Runs in a process that is killed afterwards. Commits some checkpoints, then feeds the records of
 * the next checkpoint without committing it. Writes the last committed number to *last. */
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
    if (told == MAP_FAILED) trial_skips("there is not enough memory");
    trial_kills(commit_some, s, told);
    *last = *told;
    return subject_open(s);
}

/* Checks that fence() returns to a later run the last checkpoint that a killed run has
 * committed. */
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
        trial_fails("an earlier run commits checkpoint %llu after a later run has called fence",
                    (unsigned long long)checkpoint);
    if (status != LEAT_EFENCED)
        trial_fails("process, barrier or commit returned %d to a run that a later one has fenced: "
                    "%s\nexpected: LEAT_EFENCED (-9)",
                    status, h->said);
}

/* Checks that an earlier run cannot commit any more after fence() of a later run. Both run at the
 * same time, as if the earlier one had been wrongly believed dead. */
static void fences_others(const struct subject *s)
{
    const struct subject same = one_target(s);
    struct harness *earlier = subject_open(&same), *later = subject_new(&same);
    uint64_t n = earlier->committed + 1;
    law_must_commit(&same, earlier, 0, n);
    trial_step("open of a later run");
    /* A sink that does not open waits for the end of the earlier run, which is allowed. */
    if (harness_open(later, same.batch) < 0) return;
    must_be_fenced(&same, earlier, n + 1);
    trial_forgets(earlier);
    trial_step("close of a run that was fenced");
    harness_free(earlier);
    law_must_commit(&same, later, 1, n + 1);
    subject_close(later);
    later = subject_open(&same);
    if (later->committed != n + 1)
        trial_fails("fence gives checkpoint %llu\nexpected: %llu, from the run that fenced",
                    (unsigned long long)later->committed, (unsigned long long)(n + 1));
    subject_close(later);
}

static const char *keeps_positions(const struct subject *s)
{
    if (law_commits(s)) return law_commits(s);
    return s->stage->transaction->positions ? NULL : "it keeps no positions";
}

static void kills_keeps(const struct subject *s)
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
    if (n != 1) trial_fails("positions gives %u\nexpected: 1, the position that commit got", n);
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
    {LAW("fenced", "an earlier run commits nothing after a later run has called fence", law_commits,
         fences_others)},
    {LAW("positions", "after a kill, it gives the position of the last commit", keeps_positions,
         kills_keeps)},
};
const struct law_table laws_of_commits = {laws, sizeof laws / sizeof *laws};

/* ---- sinks that commit into a file ---- */

enum { COMMITTED = 3, ALL = 5, MOST_KILLS = 64, MOST_CALLS = 100000 };

static const struct leat_param *target(const struct subject *s)
{
    for (uint32_t i = 0; i < s->stage->n_params; i++)
        if (harness_param(s->stage, i)->flags & LEAT_WRITES_FILE) return harness_param(s->stage, i);
    return NULL;
}

static const char *commits_to_file(const struct subject *s)
{
    if (law_commits(s)) return law_commits(s);
    return target(s) ? NULL : "it has no parameter that names a file to write";
}

/* ---- the target ---- */

static int kills_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

/* Removes the target of earlier runs. All runs use the same path, because a sink may store the name
 * of its file. */
static struct subject new_target(const struct subject *s)
{
    struct subject same = *s;
    char path[4200];
    same.instance = 1;
    snprintf(path, sizeof path, "%s/1", s->dir);
    nftw(path, kills_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return same;
}

static int kills_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines, because the rows of an SQLite table have no order. */
static void sort_lines(struct trace *t)
{
    size_t n = 0;
    char **line = malloc((t->n + 1) * sizeof *line), *sorted = NULL, *rest = NULL;
    for (char *l = strtok_r(t->text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
        line[n++] = l;
    qsort(line, n, sizeof *line, kills_by_text);
    FILE *out = open_memstream(&sorted, &t->n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s\n", line[i]);
    fclose(out);
    free(line);
    free(t->text);
    t->text = sorted;
}

static struct trace kills_read_all(FILE *in)
{
    struct trace t = {0};
    char part[4096];
    size_t n;
    FILE *out = open_memstream(&t.text, &t.n);
    while (in && (n = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, n, out);
    fclose(out);
    return t;
}

static struct trace dump(const char *path)
{
    char command[4400];
    snprintf(command, sizeof command, "sqlite3 '%s' .dump", path);
    FILE *in = popen(command, "re"); /* only this trial uses the path */
    struct trace t = kills_read_all(in);
    if (!in || pclose(in)) trial_skips("the command sqlite3 is needed to read its output");
    sort_lines(&t);
    return t;
}

/* Returns the contents of the target as text. Skips the law for formats other than text and SQLite,
 * because two files of other formats may differ although their contents are equal. */
static struct trace contents(const struct subject *s)
{
    static const char magic[] = "SQLite format 3";
    char path[4300];
    snprintf(path, sizeof path, "%s/1/%s", s->dir, target(s)->name);
    FILE *in = fopen(path, "re");
    struct trace t = kills_read_all(in);
    if (in) fclose(in);
    if (!t.n) trial_skips("%s has nothing in the file that it names", target(s)->name);
    if (t.n > sizeof magic && !memcmp(t.text, magic, sizeof magic)) {
        trace_free(&t);
        return dump(path);
    }
    if (memchr(t.text, 0, t.n)) trial_skips("it writes neither text nor SQLite: test it yourself");
    return t;
}

/* ---- runs ---- */

/* Commits checkpoints first + 1 .. last, with one batch each. */
static void commit_from(const struct subject *s, struct harness *h, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k < last; k++)
        law_must_commit(s, h, (uint32_t)k, k + 1);
}

/* Acts as the second run: continues after the last committed checkpoint, and commits the remaining
 * ones. Returns the number of the checkpoint after which it continued. */
static uint64_t kills_take_over(const struct subject *s)
{
    struct harness *h = subject_open(s);
    uint64_t last = h->committed;
    if (last > COMMITTED)
        trial_fails("fence gives checkpoint %llu\nexpected: %d at most", (unsigned long long)last,
                    COMMITTED);
    commit_from(s, h, last, ALL);
    subject_close(h);
    return last;
}

static struct trace undisturbed(const struct subject *s, uint64_t until)
{
    const struct subject same = new_target(s);
    struct harness *h = subject_open(&same);
    commit_from(&same, h, 0, until);
    subject_close(h);
    kills_take_over(&same);
    return contents(&same);
}

/* Returns the contents that the target should have. Skips the law for sinks whose output varies,
 * for example with the time. */
static struct trace expected_of(const struct subject *s, uint64_t until)
{
    struct trace t = undisturbed(s, until), again = undisturbed(s, until);
    if (t.n != again.n || memcmp(t.text, again.text, t.n) != 0)
        trial_skips("its output differs from run to run");
    trace_free(&again);
    return t;
}

static void die_after(const struct subject *s, void *of)
{
    const struct feeding next = {
        .flavour = PLAIN, .from = COMMITTED * s->batch, .to = ALL * s->batch};
    struct harness *h = subject_open(s);
    commit_from(s, h, 0, COMMITTED);
    trace_feed(s, h, next, NULL);
}

static void vanish(const struct subject *s)
{
    struct trace expected = expected_of(s, COMMITTED);
    const struct subject same = new_target(s);
    trial_kills(die_after, &same, NULL);
    kills_take_over(&same);
    struct trace found = contents(&same);
    trace_same(&expected, &found,
               "the content of its target, after a kill between commits and a later run,");
}

/* ---- killed within a commit ---- */

static void die_within(const struct subject *s, void *of)
{
    struct harness *h = subject_open(s);
    commit_from(s, h, 0, COMMITTED - 1);
    int status = law_prepare(s, h, COMMITTED - 1, COMMITTED);
    trial_within();
    if (status == LEAT_OK) status = law_commit(s, h, COMMITTED);
    if (status != LEAT_OK) trial_fails("checkpoint %d is not committed (%d)", COMMITTED, status);
}

/* Returns the number of system calls that a commit makes. */
static uint32_t calls_of_commit(const struct subject *s)
{
    const struct subject same = new_target(s);
    return trial_kills_within(die_within, &same, NULL, MOST_CALLS);
}

static void at_once(const struct subject *s)
{
    struct trace expected[2] = {expected_of(s, COMMITTED - 1), expected_of(s, COMMITTED)};
    uint32_t n = calls_of_commit(s), step = n / MOST_KILLS + 1;
    for (uint32_t at = 0; at < n; at += step) {
        const struct subject same = new_target(s);
        trial_kills_within(die_within, &same, NULL, at);
        uint64_t last = kills_take_over(&same);
        if (last + 1 < COMMITTED)
            trial_fails("fence gives checkpoint %llu after a kill within commit %d",
                        (unsigned long long)last, COMMITTED);
        struct trace found = contents(&same);
        trace_same(&expected[last == COMMITTED], &found,
                   last == COMMITTED
                       ? "the content of its target, after a kill within a commit whose "
                         "checkpoint is seen,"
                       : "the content of its target, after a kill within a commit whose "
                         "checkpoint is not seen,");
        trace_free(&found);
    }
}

static const struct law kills_laws[] = {
    {LAW("vanish", "after a kill, nothing remains of the records after the last commit",
         commits_to_file, vanish)},
    {LAW("at-once", "after a kill within commit, it has the records and the checkpoint, or neither",
         commits_to_file, at_once)},
};
const struct law_table laws_of_kills = {kills_laws, sizeof kills_laws / sizeof *kills_laws};
