/* laws_of_stages.c -- what every stage says of itself, and that it works at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "laws.h"
#include "trace.h"

/* ---- the descriptor ---- */

static bool is_missing(const char *text) { return !text || !*text; }

static void check_params(const struct leat_stage *s)
{
    for (uint32_t i = 0; i < s->n_params; i++) {
        const struct leat_param *p = harness_param(s, i);
        if (is_missing(p->doc)) trial_fails("parameter %s has no doc", p->name);
    }
}

static void check_role(bool has, const char *of, const char *function)
{
    if (!has) trial_fails("it has no %s, which %s need", function, of);
}

static void whole(const struct subject *s)
{
    const struct leat_stage *t = s->stage;
    if (is_missing(t->summary)) trial_fails("it has no summary");
    if (strchr(t->summary, '\n')) trial_fails("its summary has more than one line");
    if (is_missing(t->doc)) trial_fails("it has no doc");
    if (is_missing(t->example)) trial_fails("it has no example");
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
    return is_missing(s->stage->example) ? "it has none" : NULL;
}

/* ---- pure calls ---- */

struct pure {
    struct leat_schema out;
    struct leat_column column[HARNESS_COLUMNS];
    struct leat_plan plan;
    char said[sizeof((struct harness *)0)->said];
};

static void call_all(const struct subject *s, struct harness *h, struct pure *p)
{
    struct leat_framing f = {0};
    struct leat_ask ask = {.size = sizeof ask};
    uint32_t n = 0;
    trial_step("validate and negotiate");
    harness_negotiate(h);
    memcpy(p->said, h->said, sizeof p->said);
    p->out = h->out;
    memcpy(p->column, h->impl->out_column, sizeof p->column);
    trial_step("plan");
    p->plan = harness_plan(h);
    trial_step("framing, ask and columns");
    if (s->stage->framing) s->stage->framing(h->cfg, &f);
    if (s->stage->asker->ask) s->stage->asker->ask(h->cfg, &ask);
    if (s->stage->learner->columns) s->stage->learner->columns(h->cfg, &n);
    if (s->stage->transaction->name) s->stage->transaction->name(h->cfg);
}

static void same_schema(const struct pure *a, const struct pure *b)
{
    if (a->out.n_columns != b->out.n_columns)
        trial_fails("negotiate is not repeatable\nexpected: %u columns\nfound:    %u",
                    a->out.n_columns, b->out.n_columns);
    for (uint32_t i = 0; i < a->out.n_columns; i++)
        if (strcmp(a->column[i].name, b->column[i].name) != 0 ||
            a->column[i].type != b->column[i].type)
            trial_fails("negotiate is not repeatable: column %u\nexpected: %s\nfound:    %s", i,
                        a->column[i].name, b->column[i].name);
    if (a->out.has != b->out.has || a->out.score != b->out.score ||
        a->out.examples_per_record != b->out.examples_per_record ||
        a->out.entries_per_record != b->out.entries_per_record ||
        a->out.added_bytes_per_record != b->out.added_bytes_per_record)
        trial_fails("negotiate is not repeatable: the bounds or the contents differ");
}

static void pure(const struct subject *s)
{
    static struct pure a, b;
    struct harness *h = subject_new(s);
    size_t page = (s->stage->cfg_size + 4095) & ~(size_t)4095;
    if (page) mprotect(h->impl->array[0].map, page, PROT_READ);
    h->impl->array[0].name = "cfg, which is only read";
    call_all(s, h, &a);
    call_all(s, h, &b);
    same_schema(&a, &b);
    if (a.plan.state_bytes != b.plan.state_bytes || a.plan.names_bytes != b.plan.names_bytes ||
        a.plan.work_bytes != b.plan.work_bytes || strcmp(a.plan.note, b.plan.note) != 0)
        trial_fails("plan is not repeatable\nexpected: %llu bytes of state\nfound:    %llu",
                    (unsigned long long)a.plan.state_bytes, (unsigned long long)b.plan.state_bytes);
    if (strcmp(a.said, b.said) != 0)
        trial_fails("validate and negotiate say other things the second time\nexpected: %s\n"
                    "found:    %s",
                    a.said, b.said);
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
    {LAW("descriptor", "it is described whole", NULL, whole), .is_static = true},
    {LAW("example", "its example passes the check", has_example, example_is_one),
     .is_static = true},
    {LAW("runs", "it opens, takes records, stops and closes", NULL, runs)},
    {LAW("pure", "validate, negotiate and plan change nothing and are repeatable", NULL, pure)},
};
const struct law_table laws_of_stages = {laws, sizeof laws / sizeof *laws};
