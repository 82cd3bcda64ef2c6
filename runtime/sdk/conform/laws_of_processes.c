/* laws_of_processes.c -- what belongs to the whole process, and to other instances. */
#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "laws.h"
#include "trace.h"

enum { RECORDS = 96, SIGNALS = 32, WAIT_MS = 200 };

extern char **environ;

/* ---- the process ---- */

struct process {
    struct sigaction signal[SIGNALS];
    sigset_t blocked;
    char locale[256], folder[4096];
    mode_t mask;
    int rounding, descriptors, threads;
    off_t output;
    size_t environment; /* bytes, and a sum */
};

static int count_of(const char *folder)
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

static void look(struct process *p)
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
    p->descriptors = count_of("/proc/self/fd");
    p->threads = count_of("/proc/self/task");
    p->output = fstat(STDOUT_FILENO, &out) ? 0 : out.st_size;
    p->environment = sum_of_environment();
}

static void same_signals(const struct process *a, const struct process *b)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (a->signal[i].sa_handler != b->signal[i].sa_handler)
            trial_fails("the handler of SIG%s is another one", sigabbrev_np(i));
        if (sigismember(&a->blocked, i) != sigismember(&b->blocked, i))
            trial_fails("SIG%s is blocked", sigabbrev_np(i));
    }
}

static void same_texts(const struct process *a, const struct process *b)
{
    if (strcmp(a->locale, b->locale) != 0)
        trial_fails("the locale is another one\nexpected: %s\nfound:    %s", a->locale, b->locale);
    if (strcmp(a->folder, b->folder) != 0)
        trial_fails("the working directory is another one\nexpected: %.200s\nfound:    %.200s",
                    a->folder, b->folder);
    if (a->mask != b->mask)
        trial_fails("the umask is another one\nexpected: %03o\nfound:    %03o", (unsigned)a->mask,
                    (unsigned)b->mask);
    if (a->environment != b->environment) trial_fails("the environment is another one");
    if (a->rounding != b->rounding) trial_fails("the rounding mode is another one");
}

static void same_numbers(const struct subject *s, const struct process *a, const struct process *b)
{
    if (b->descriptors > a->descriptors)
        trial_fails("%d descriptors are open after close\nexpected: none more than before open",
                    b->descriptors - a->descriptors);
    if (b->threads > a->threads)
        trial_fails("%d threads are there after close\nexpected: none more than before open",
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

/* A thread that has been joined may still be seen for a moment. */
static void untouched(const struct subject *s)
{
    struct process before, after;
    look(&before);
    use_once(s);
    look(&after);
    for (int ms = 0; after.threads > before.threads && ms < WAIT_MS; ms += 10) {
        usleep(10000);
        look(&after);
    }
    same_signals(&before, &after);
    same_texts(&before, &after);
    same_numbers(s, &before, &after);
}

/* ---- other instances ---- */

static struct feeding part(const struct subject *s, enum flavour f, uint32_t k)
{
    return (struct feeding){.flavour = f, .from = k, .to = k + s->batch};
}

static void add(struct trace *all, struct trace t)
{
    all->text = realloc(all->text, all->n + t.n + 1);
    memcpy(all->text + all->n, t.text, t.n + 1);
    all->n += t.n;
    trace_free(&t);
}

/* What one gives, alone, or in turn with another that gets other records. */
static struct trace beside(const struct subject *s, bool other)
{
    struct trace all = {NULL};
    struct harness *h = subject_open(s), *o = other ? subject_open(s) : NULL;
    for (uint32_t k = 0; k < RECORDS; k += s->batch) {
        add(&all, trace_next(s, h, part(s, PLAIN, k)));
        if (o) trace_feed(s, o, part(s, OTHER, k), NULL);
    }
    add(&all, trace_answer(s, h));
    add(&all, trace_state(s, h));
    subject_close(h);
    if (o) subject_close(o);
    return all;
}

static void apart(const struct subject *s)
{
    struct trace alone = beside(s, false), together = beside(s, true);
    trace_same(&alone, &together, "what an instance gives beside another one");
}

static const char *in_memory(const struct subject *s)
{
    return s->stage->kind == LEAT_SOURCE || s->stage->kind == LEAT_SINK
               ? "its instances share what is outside"
               : NULL;
}

static const struct law laws[] = {
    {LAW("process", "it leaves alone what belongs to the whole process", NULL, untouched)},
    {LAW("instances", "two instances know nothing of each other", in_memory, apart)},
};
const struct law_table laws_of_processes = {laws, sizeof laws / sizeof *laws};
