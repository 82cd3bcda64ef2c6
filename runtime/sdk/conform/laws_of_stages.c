/* laws_of_stages.c -- laws of all stages: declarations, pure calls, effects on the process. */
#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/params/params.h"
#include "laws.h"
#include "trace.h"

/* ---- declarations of every stage ---- */

enum { TEXT = 4096, REPEATED = 3 };

/* ---- the descriptor ---- */

static bool stages_is_missing(const char *text) { return !text || !*text; }

static void check_params(const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const struct leat_param *p = harness_param(s, i);
        if (stages_is_missing(p->doc)) trial_fails("parameter %s has no doc", p->name);
    }
}

static void check_role(bool has, const char *of, const char *function)
{
    if (!has) trial_fails("it has no %s, which %s need", function, of);
}

static void whole(const struct subject *s)
{
    const struct leat_stage *t = s->stage;
    if (stages_is_missing(t->summary)) trial_fails("it has no summary");
    if (strchr(t->summary, '\n')) trial_fails("its summary has more than one line");
    if (stages_is_missing(t->doc)) trial_fails("it has no doc");
    if (stages_is_missing(t->example)) trial_fails("it has no example");
    check_params(t);
    if (t->kind == LEAT_SOURCE) check_role(t->source->produce, "sources", "produce");
    if (t->state->restore) check_role(t->state->snapshot, "stages with restore", "snapshot");
    if (t->state->merge) check_role(t->state->restore, "stages with merge", "restore");
    if (t->transaction->name) {
        check_role(t->transaction->fence, "committing sinks", "fence");
        check_role(t->transaction->commit, "committing sinks", "commit");
    }
}

static void example_is_one(const struct subject *s)
{
    if (s->refused)
        trial_fails("%s\nexpected: a part of a pipeline that leat check accepts", s->refused);
}

static const char *has_example(const struct subject *s)
{
    return stages_is_missing(s->stage->example) ? "it has none" : NULL;
}

/* ---- pure calls ---- */

struct pure {
    struct leat_schema out;
    struct leat_column column[HARNESS_COLUMNS];
    struct leat_plan plan;
    struct leat_framing framing;
    struct leat_ask ask;
    char said[sizeof((struct harness *)0)->said];
    char fields[TEXT], answers[TEXT], commits[TEXT];
};

/* Appends n texts to the list in `to`. */
static void put_texts(char *to, const char *const *text, uint32_t n)
{
    size_t used = strlen(to);
    for (uint32_t i = 0; i < n && used < TEXT; i++)
        used += (size_t)snprintf(to + used, TEXT - used, "%s%s", used ? ", " : "", text[i]);
}

/* Writes the texts to which the configuration struct points. Leaves out paths that the test sets by
 * itself. */
static void put_cfg(const struct harness *h, char *to)
{
    *to = 0;
    for (uint32_t i = 0; i < h->stage->n_params; i++) {
        const struct leat_param *p = harness_param(h->stage, i);
        const char *text;
        if (!subject_is_text(p) || p->flags & (LEAT_READS_FILE | LEAT_WRITES_FILE)) continue;
        for (uint32_t k = 0; (text = params_text(p, h->cfg, k)); k++)
            put_texts(to, &text, 1);
    }
}

/* Writes the texts of the configuration before any call of the stage. */
static void put_untouched(const struct subject *s, char *to)
{
    struct harness *h = harness_of(s->plugin, s->stage->name);
    if (s->cfg) memcpy(h->cfg, s->cfg, s->stage->cfg_size);
    put_cfg(h, to);
    harness_free(h);
}

static void stages_take_schema(const struct harness *h, struct pure *p)
{
    memcpy(p->said, h->said, sizeof p->said);
    p->out = h->out;
    memcpy(p->column, h->impl->out_column, sizeof p->column);
    put_texts(p->fields, h->impl->out_field, h->out.n_fields);
}

static void call_all(const struct subject *s, struct harness *h, struct pure *p)
{
    const char *const *names = NULL, *name = NULL;
    uint32_t n = 0;
    memset(p, 0, sizeof *p);
    trial_step("validate and negotiate");
    harness_negotiate(h);
    stages_take_schema(h, p);
    trial_step("plan");
    p->plan = harness_plan(h);
    trial_step("framing, ask and columns");
    p->ask.size = sizeof p->ask;
    if (s->stage->framing) s->stage->framing(h->cfg, &p->framing);
    if (s->stage->asker->ask) s->stage->asker->ask(h->cfg, &p->ask);
    if (s->stage->learner->columns) names = s->stage->learner->columns(h->cfg, &n);
    if (names) put_texts(p->answers, names, n);
    if (s->stage->transaction->name) name = s->stage->transaction->name(h->cfg);
    if (name) put_texts(p->commits, &name, 1);
}

static void stages_same_text(const char *a, const char *b, const char *what)
{
    if (strcmp(a, b) != 0) trial_fails("%s\nexpected: %s\nfound:    %s", what, a, b);
}

/* True if the schemas are equal in everything but columns and fields. */
static bool is_same_rest(const struct leat_schema *a, const struct leat_schema *b)
{
    return a->has == b->has && a->score == b->score && a->open == b->open &&
           a->examples_per_record == b->examples_per_record &&
           a->entries_per_record == b->entries_per_record &&
           a->entries_per_256_bytes == b->entries_per_256_bytes &&
           a->parts_per_record == b->parts_per_record &&
           a->added_bytes_per_record == b->added_bytes_per_record &&
           a->max_record_bytes == b->max_record_bytes && a->copies_text == b->copies_text &&
           a->added_names == b->added_names && a->extents == b->extents &&
           a->n_classes == b->n_classes && a->made_labels == b->made_labels &&
           a->derived == b->derived && a->weighted == b->weighted;
}

static void same_schema(const struct pure *a, const struct pure *b)
{
    stages_same_text(a->said, b->said,
                     "validate and negotiate report other problems the second time");
    if (a->out.n_columns != b->out.n_columns)
        trial_fails("negotiate is not repeatable\nexpected: %u columns\nfound:    %u",
                    a->out.n_columns, b->out.n_columns);
    for (uint32_t i = 0; i < a->out.n_columns; i++)
        if (strcmp(a->column[i].name, b->column[i].name) != 0 ||
            a->column[i].type != b->column[i].type)
            trial_fails("negotiate is not repeatable: column %u\nexpected: %s\nfound:    %s", i,
                        a->column[i].name, b->column[i].name);
    stages_same_text(a->fields, b->fields, "negotiate is not repeatable: its fields");
    if (!is_same_rest(&a->out, &b->out))
        trial_fails("negotiate is not repeatable: the bounds or the contents differ");
}

static void same_plan(const struct leat_plan *a, const struct leat_plan *b)
{
    if (a->state_bytes != b->state_bytes || a->names_bytes != b->names_bytes ||
        a->work_bytes != b->work_bytes || a->shards != b->shards || strcmp(a->note, b->note) != 0)
        trial_fails("plan is not repeatable\nexpected: %llu bytes of state\nfound:    %llu",
                    (unsigned long long)a->state_bytes, (unsigned long long)b->state_bytes);
}

static void same_calls(const struct pure *a, const struct pure *b)
{
    same_schema(a, b);
    same_plan(&a->plan, &b->plan);
    stages_same_text(a->answers, b->answers, "columns is not repeatable");
    stages_same_text(a->commits, b->commits, "name is not repeatable");
    if (memcmp(&a->framing, &b->framing, sizeof a->framing) != 0)
        trial_fails("framing is not repeatable");
    if (a->ask.kind != b->ask.kind || a->ask.k != b->ask.k) trial_fails("ask is not repeatable");
}

static void pure(const struct subject *s)
{
    static struct pure first, a, b;
    static char before[TEXT], after[TEXT];
    put_untouched(s, before);
    struct subject locked = *s;
    locked.locked = true;
    struct harness *h = subject_new(&locked);
    stages_take_schema(h, &first);
    call_all(s, h, &a);
    same_schema(&first, &a);
    for (int k = 0; k < REPEATED; k++) {
        call_all(s, subject_new(s), &b); /* another instance of the stage is called in between */
        call_all(s, h, &b);
        same_calls(&a, &b);
    }
    put_cfg(h, after);
    if (!strstr(before, "{instance}"))
        stages_same_text(before, after, "a call has changed a text in the configuration");
}

/* ---- at work ---- */

static void runs(const struct subject *s)
{
    const char *why = subject_not_run(s);
    if (why) trial_skips("%s", why);
    if (s->stage->kind != LEAT_SOURCE) {
        struct trace t = trace_of(s, (struct feeding){.flavour = PLAIN, .to = 80, .end = true});
        trace_free(&t);
        return;
    }
    struct harness *h = subject_open(s);
    struct trace t = trace_produced(s, h, 100);
    trace_free(&t);
    subject_close(h);
}

static const struct law laws[] = {
    {LAW("descriptor", "its description is complete", NULL, whole), .is_static = true},
    {LAW("example", "its example passes the check", has_example, example_is_one),
     .is_static = true},
    {LAW("runs", "it opens, takes records, stops and closes", NULL, runs)},
    {LAW("pure", "validate, negotiate and plan change nothing and are repeatable", NULL, pure)},
};
const struct law_table laws_of_stages = {laws, sizeof laws / sizeof *laws};

/* ---- the process ---- */

enum { RECORDS = 96, SIGNALS = 32, WAIT_MS = 200 };

extern char **environ;

/* ---- state of the process ---- */

struct process {
    struct sigaction signal[SIGNALS];
    sigset_t blocked;
    char locale[256], folder[4096];
    mode_t mask;
    int rounding, descriptors, threads;
    off_t output;
    size_t environment; /* checksum of the environment */
};

static int stages_count_of(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d) closedir(d);
    return n;
}

static size_t sum_of_environment(void)
{
    size_t sum = 0;
    for (char **e = environ; e && *e; e++)
        for (const char *c = *e; *c; c++)
            sum = sum * 31 + (unsigned char)*c;
    return sum;
}

static void stages_look(struct process *p)
{
    struct stat out;
    fflush(stdout);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &p->signal[i]);
    sigprocmask(SIG_SETMASK, NULL, &p->blocked);
    snprintf(p->locale, sizeof p->locale, "%s", setlocale(LC_ALL, NULL));
    if (!getcwd(p->folder, sizeof p->folder)) p->folder[0] = 0;
    p->mask = umask(0);
    umask(p->mask);
    p->rounding = fegetround();
    p->descriptors = stages_count_of("/proc/self/fd");
    p->threads = stages_count_of("/proc/self/task");
    p->output = fstat(STDOUT_FILENO, &out) ? 0 : out.st_size;
    p->environment = sum_of_environment();
}

static void same_signals(const struct process *a, const struct process *b)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (a->signal[i].sa_handler != b->signal[i].sa_handler)
            trial_fails("the handler of SIG%s has changed", sigabbrev_np(i));
        if (sigismember(&a->blocked, i) != sigismember(&b->blocked, i))
            trial_fails("SIG%s is blocked", sigabbrev_np(i));
    }
}

static void same_texts(const struct process *a, const struct process *b)
{
    if (strcmp(a->locale, b->locale) != 0)
        trial_fails("the locale has changed\nexpected: %s\nfound:    %s", a->locale, b->locale);
    if (strcmp(a->folder, b->folder) != 0)
        trial_fails("the working directory has changed\nexpected: %.200s\nfound:    %.200s",
                    a->folder, b->folder);
    if (a->mask != b->mask)
        trial_fails("the umask has changed\nexpected: %03o\nfound:    %03o", (unsigned)a->mask,
                    (unsigned)b->mask);
    if (a->environment != b->environment) trial_fails("the environment has changed");
    if (a->rounding != b->rounding) trial_fails("the rounding mode has changed");
}

static void same_numbers(const struct subject *s, const struct process *a, const struct process *b)
{
    if (b->descriptors > a->descriptors)
        trial_fails("%d more descriptors are open after close than before open\nexpected: none",
                    b->descriptors - a->descriptors);
    if (b->threads > a->threads)
        trial_fails("%d more threads are there after close than before open\nexpected: none",
                    b->threads - a->threads);
    if (s->stage->kind != LEAT_SINK && b->output != a->output)
        trial_fails("it has written %lld bytes to standard output, where results of the run go: "
                    "use host->log",
                    (long long)(b->output - a->output));
}

static void use_once(const struct subject *s)
{
    struct harness *h = subject_open(s);
    if (s->stage->kind == LEAT_SOURCE) {
        struct trace t = trace_produced(s, h, 50);
        trace_free(&t);
    } else {
        trace_feed(s, h, (struct feeding){.flavour = PLAIN, .to = RECORDS, .end = true}, NULL);
        trace_feed(s, h, (struct feeding){.flavour = HOSTILE, .to = RECORDS}, NULL);
    }
    subject_close(h);
}

/* Checks that the stage leaves the process unchanged. Waits a moment for threads, because a joined
 * thread may remain visible. */
static void untouched(const struct subject *s)
{
    struct process before, after;
    stages_look(&before);
    use_once(s);
    stages_look(&after);
    for (int ms = 0; after.threads > before.threads && ms < WAIT_MS; ms += 10) {
        usleep(10000);
        stages_look(&after);
    }
    same_signals(&before, &after);
    same_texts(&before, &after);
    same_numbers(s, &before, &after);
}

/* ---- other instances ---- */

static struct feeding stages_part(const struct subject *s, enum flavour f, uint32_t k)
{
    return (struct feeding){.flavour = f, .from = k, .to = k + s->batch};
}

static void stages_add(struct trace *all, struct trace t)
{
    all->text = realloc(all->text, all->n + t.n + 1);
    memcpy(all->text + all->n, t.text, t.n + 1);
    all->n += t.n;
    trace_free(&t);
}

/* Returns the output of an instance. If `other`, a second instance gets other records in turn with
 * it. */
static struct trace stages_in_turn(const struct subject *s, bool other)
{
    struct trace all = {0};
    struct harness *h = subject_open(s), *o = other ? subject_open(s) : NULL;
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        stages_add(&all, trace_next(s, h, stages_part(s, PLAIN, k)));
        if (o) trace_feed(s, o, stages_part(s, OTHER, k), NULL);
    }
    stages_add(&all, trace_answer(s, h));
    stages_add(&all, trace_state(s, h));
    subject_close(h);
    if (o) subject_close(o);
    return all;
}

static void apart(const struct subject *s)
{
    struct trace alone = stages_in_turn(s, false), together = stages_in_turn(s, true);
    trace_same(&alone, &together, "the output of an instance together with another one");
}

static const char *in_memory(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE || s->stage->kind == LEAT_SINK
               ? "its instances share files or servers"
               : NULL;
}

static const struct law processes_laws[] = {
    {LAW("process", "it changes nothing that belongs to the whole process", NULL, untouched)},
    {LAW("instances", "two instances do not affect each other", in_memory, apart)},
};
const struct law_table laws_of_processes = {processes_laws,
                                            sizeof processes_laws / sizeof *processes_laws};
