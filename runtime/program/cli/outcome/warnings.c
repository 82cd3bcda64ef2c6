/* warnings.c -- warnings of doubtful results at the end of a run, and advice for the next run. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/exec/answers/answer.h"
#include "host/exec/worker/worker.h"
#include "host/log/diag.h"
#include "host/log/log.h"
#include "host/metrics/progressive.h"
#include "outcome.h"

/* ---- faults of learners ---- */

/* ---- weights ---- */

enum { HEAVIEST = 100 }; /* rows requested; enough to include weights of several classes */

/* True if the heaviest weights are 0, so all weights are 0. Penalties, or values that are 0, cause
 * this. */
static bool has_no_weight(struct instance *i)
{
    struct arena arena = {0};
    struct answer a = {.n_rows = 0};
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = HEAVIEST};
    if (!i->node->stage->learner->query || answer_take(&a, i, &want, &arena) != LEAT_OK)
        return false;
    uint32_t weight = answer_column(&a, "weight"), zeros = 0;
    bool shown = weight < a.n_columns && (a.n_rows || graph_score(i->node) != LEAT_SCORE_CLASS);
    for (uint32_t r = 0; shown && r < a.n_rows; r++)
        zeros += a.values[(size_t)r * a.n_columns + weight] == 0;
    arena_free(&arena);
    return shown && zeros == a.n_rows;
}

/* ---- remedies ---- */

enum { REMEDY_BYTES = 320, NAMES_BYTES = 64 };

/* Writes the names in the list `name` that are parameters of the stage: " (rate, eta0)". Writes ""
 * if there are none. */
static const char *those_of(const struct leat_stage *s, const char *const *name,
                            char text[NAMES_BYTES])
{
    size_t at = 0;
    *text = 0;
    for (; *name; name++) {
        bool has = false;
        for (uint32_t i = 0; i < s->n_params; i++)
            has |= !strcmp(s->params[i].name, *name);
        if (has && at < NAMES_BYTES)
            at += (size_t)snprintf(text + at, NAMES_BYTES - at, at ? ", %s" : " (%s", *name);
    }
    if (at && at + 1 < NAMES_BYTES) strcpy(text + at, ")");
    return text;
}

/* Returns advice for a learner whose predictions are worse than a constant. */
static const char *remedy(const struct node *n, char text[REMEDY_BYTES])
{
    static const char *const forget[] = {"on_drift", "half_life", NULL};
    static const char *const rate[] = {"rate", "eta0", "eta", NULL};
    char forgets[NAMES_BYTES], rates[NAMES_BYTES];
    bool numbers = graph_score(n) == LEAT_SCORE_VALUE;
    those_of(n->stage, forget, forgets);
    those_of(n->stage, rate, rates);
    snprintf(text, REMEDY_BYTES,
             "%s%s%s%s%s%sscale the columns of numbers (derive)%s, and check the label",
             *forgets ? "if the stream has changed, let the learner forget" : "", forgets,
             *forgets ? "; otherwise " : "", *rates ? "give another learning rate" : "", rates,
             *rates ? ", " : "", numbers ? ", also the labels" : "");
    return text;
}

/* ---- warnings of all learners ---- */

void learner_faults_warn(const struct run *r)
{
    char text[768], help[REMEDY_BYTES];
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (!n->stage || n->stage->kind != LEAT_LEARNER) continue;
        struct instance *first = run_instance(r, n, 0);
        const struct progressive *p = first->learning.progressive;
        bool in_order = !(n->stage->caps & LEAT_ANY_ORDER);
        bool has_read = run_records(r) > r->before; /* false if only counts of an earlier run
                                                     * exist */
        uint64_t records =
            has_read ? atomic_load(&first->count.in) - atomic_load(&first->count.rejected) : 0;
        const char *fault = progressive_example_fault(p, records, in_order, text, sizeof text);
        if (!fault && in_order && progressive_examples(p) && has_no_weight(first))
            fault =
                "all its weights are 0, so it predicts the same for every record: lower the "
                "penalties (l1, lambda), give more records (learn.bear learns once its batch is "
                "full), or check that some features are not 0";
        if (!fault && in_order)
            fault = progressive_loss_fault(p, remedy(n, help), text, sizeof text);
        if (fault) log_message(LEAT_WARN, "%s: %s", n->label, fault);
    }
}

/* ---- lost records ---- */

enum { KEYS_SHOWN = 10 };

/* Warns of a stage that let no record pass. */
static void warn_of_filter(const struct run *r, const struct node *n)
{
    uint64_t in = 0, out = 0, filtered = 0;
    for (int lane = 0; lane < n->lanes; lane++) {
        struct instance *at = run_instance(r, n, (uint32_t)lane);
        in += atomic_load(&at->count.in);
        out += atomic_load(&at->count.out);
        filtered += atomic_load(&at->count.filtered);
    }
    if (filtered && !out)
        log_message(
            LEAT_WARN,
            "%s: filtered %llu of the %llu records that it saw and passed none on: the stages "
            "after it got no record",
            n->label, (unsigned long long)filtered, (unsigned long long)in);
}

/* ---- routes ---- */

static const char *warnings_key_of(const struct run *r, const struct node *n, uint32_t branch)
{
    return r->graph->edge[n->out[branch]].key;
}

static void warn_of_lost(const struct run *r, const struct node *n, const struct worker *w)
{
    uint64_t in = atomic_load(&w->fork_in), lost = atomic_load(&w->fork_filtered);
    if (lost)
        log_message(LEAT_WARN, "%s: %llu of %llu records took no branch and are dropped: %s",
                    n->label, (unsigned long long)lost, (unsigned long long)in,
                    route_lost(&w->seen, r->graph, n, r->graph->arena));
}

/* Returns a value of the records that `key` was probably meant to match; NULL if none is
 * similar. */
static const char *warnings_meant_by(const char *key, const struct route *s)
{
    const char *values[SEEN_VALUES];
    for (uint32_t i = 0; i < s->n; i++) {
        values[i] = s->value[i];
        if (!strcasecmp(key, s->value[i])) return s->value[i];
    }
    return diag_suggest(key, values, s->n);
}

/* Warns of a branch that received no record, if a value of the records is similar to its key.
 * Branches without a similar value are reported together in another message. */
static void warn_of_meant(const struct node *n, const char *key, const char *meant, uint64_t in)
{
    log_message(LEAT_WARN, "%s: the branch '%s' took none of %llu records: did you mean '%s'?",
                n->label, key, (unsigned long long)in, meant);
}

static void warn_of_empty(const struct node *n, const char *keys, uint32_t n_keys,
                          const struct route *s, uint64_t in)
{
    log_message(LEAT_WARN, "%s: the branch%s %s took none of %llu record%s%s%s%s", n->label,
                n_keys == 1 ? "" : "es", keys, (unsigned long long)in, in == 1 ? "" : "s",
                s->n ? "; a value without a branch is '" : "", s->n ? s->value[0] : "",
                s->n ? "'" : "");
}

/* Reports that the branch '*' received no record. This is no warning, because it happens when every
 * value has a branch. */
static void tell_of_rest(const struct node *n, uint64_t in)
{
    log_message(LEAT_INFO,
                "%s: the branch '*' took none of %llu record%s: each value has its own branch",
                n->label, (unsigned long long)in, in == 1 ? "" : "s");
}

static void tell_of_branches(const struct run *r, const struct node *n, const struct worker *w)
{
    const uint64_t in = atomic_load(&w->fork_in);
    const char *keys = "";
    uint32_t n_keys = 0;
    for (uint32_t j = 0; in && j < n->n_out; j++) {
        const char *key = warnings_key_of(r, n, j), *meant = warnings_meant_by(key, &w->seen);
        if (w->seen.taken[j]) continue;
        if (!strcmp(key, "*"))
            tell_of_rest(n, in);
        else if (meant)
            warn_of_meant(n, key, meant, in);
        else if (n_keys++ < KEYS_SHOWN)
            keys = arena_printf(r->graph->arena, "%s%s'%s'", keys, n_keys > 1 ? ", " : "", key);
    }
    if (n_keys > KEYS_SHOWN) keys = arena_printf(r->graph->arena, "%s, …", keys);
    if (n_keys) warn_of_empty(n, keys, n_keys, &w->seen, in);
}

static void warn_of_route(const struct run *r, const struct node *n)
{
    for (uint32_t k = 0; k < r->n_workers; k++) {
        const struct worker *w = &r->worker[k];
        if (w->segment->fork != n) continue;
        warn_of_lost(r, n, w);
        tell_of_branches(r, n, w);
    }
}

void lost_records_warn(const struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = r->graph->order[i];
        if (n->stage) warn_of_filter(r, n);
        if (n->kind == NODE_ROUTE) warn_of_route(r, n);
    }
}

/* ---- answers without rows ---- */

/* Queries the learner again with one condition at a time, to find the condition that no feature
 * meets. */

enum {
    AGAINST = 5,    /* fewest rows for a warning that all of them are evidence against label +1 */
    BYTES = 512,    /* bytes of a message */
    SHOWN_NAME = 80 /* bytes of a feature's name */
};

/* A condition of a query, such as min_count, and the query for the feature that comes nearest to
 * meeting it. */
struct condition {
    const char *param, *figure, *column;
    double value;
    enum leat_order order;
    double at_least; /* least risk ratio of a feature that the query may return */
};

enum { CONDITIONS = 3 };

/* Writes the conditions that `want` sets to c. Returns their number. */
static uint32_t conditions_of(const struct leat_ask *want, struct condition c[CONDITIONS])
{
    const struct condition all[CONDITIONS] = {
        {"min_count", "most frequent one came in", "count", want->min_count, LEAT_ORDER_SUPPORT, 0},
        {"min_support", "largest share of the outliers is", "support_outliers", want->min_support,
         LEAT_ORDER_SHARE, 0},
        {"min_risk_ratio", "largest relative risk is", "relative_risk", want->min_risk_ratio,
         LEAT_ORDER_RISK, 1}};
    uint32_t n = 0;
    for (int i = 0; i < CONDITIONS; i++)
        if (all[i].value > 0) c[n++] = all[i];
    return n;
}

static bool ask_one(struct answer *a, const struct ask *of, const struct leat_ask *want,
                    struct arena *arena)
{
    return answer_take(a, of->learner, want, arena) == LEAT_OK;
}

/* True if even the best feature's figure does not meet the condition. Then writes a message to
 * text. */
static bool is_unmet(const struct ask *of, const struct condition *c, struct arena *arena,
                     char text[BYTES])
{
    struct answer a;
    const struct leat_ask want = {.size = sizeof want,
                                  .kind = LEAT_QUERY_TOP,
                                  .k = 1,
                                  .order = c->order,
                                  .min_risk_ratio = c->at_least};
    if (!ask_one(&a, of, &want, arena)) return false;
    uint32_t column = answer_column(&a, c->column);
    int n = snprintf(text, BYTES, "%s = %g leaves no feature of %s: ", c->param, c->value,
                     of->learner->node->id);
    if (column == a.n_columns || (a.n_rows && !(a.values[column] < c->value))) return false;
    if (a.n_rows)
        snprintf(text + n, BYTES - (size_t)n, "the %s %.4g (%.*s)", c->figure, a.values[column],
                 SHOWN_NAME, a.name[0]);
    else
        snprintf(text + n, BYTES - (size_t)n, "the %s below %g", c->figure, c->at_least);
    return a.n_rows || c->at_least > 0;
}

static void name_all(const struct condition *c, uint32_t n, const char *sign, const char *learner,
                     char text[BYTES])
{
    size_t at = (size_t)snprintf(text, BYTES, "no feature of %s meets all of ", learner);
    for (uint32_t i = 0; i < n && at < BYTES; i++)
        at += (size_t)snprintf(text + at, BYTES - at, "%s%s = %g", i ? ", " : "", c[i].param,
                               c[i].value);
    if (at < BYTES) snprintf(text + at, BYTES - at, "%s", sign);
}

static bool has_positive(const struct ask *of, struct arena *arena)
{
    struct answer a;
    const struct leat_ask want = {
        .size = sizeof want, .kind = LEAT_QUERY_TOP, .k = 1, .positive = 1};
    return ask_one(&a, of, &want, arena) && a.n_rows;
}

/* True if the learner has features, but none with evidence for label +1. */
static bool is_sign_alone(const struct ask *of, struct arena *arena)
{
    struct answer a;
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = 1};
    return of->want.positive && !has_positive(of, arena) && ask_one(&a, of, &want, arena) &&
           a.n_rows;
}

/* Writes the reason for an answer without rows, if some condition is met by no feature. Returns
 * false if there is no such condition. */
static bool explain_none(const struct ask *of, struct arena *arena, char text[BYTES])
{
    struct condition c[CONDITIONS];
    const char *learner = of->learner->node->id;
    uint32_t n = conditions_of(&of->want, c);
    for (uint32_t i = 0; i < n; i++)
        if (is_unmet(of, &c[i], arena, text)) return true;
    if (is_sign_alone(of, arena)) {
        snprintf(text, BYTES,
                 "sign: no feature of %s has a positive weight, which speaks for label +1",
                 learner);
        return true;
    }
    if (!n) return false;
    name_all(c, n, of->want.positive ? ", sign = \"positive\"" : "", learner, text);
    return true;
}

static bool has_param(const struct node *n, const char *name)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        if (!strcmp(n->stage->params[i].name, name)) return true;
    return false;
}

/* True if the answer has as many rows as requested and all weights are negative. */
static bool is_all_against(const struct ask *of, const struct leat_table *t)
{
    if (of->want.positive || of->want.order || t->n_rows < AGAINST || t->n_rows < of->want.k)
        return false;
    if (graph_score(of->learner->node) != LEAT_SCORE_MARGIN || strcmp(t->columns[0], "weight"))
        return false;
    if (!(progressive_constant_error(of->learner->learning.progressive) > 0))
        return false; /* all examples have the same label */
    for (uint32_t r = 0; r < t->n_rows; r++)
        if (!(t->values[(size_t)r * t->n_columns] < 0)) return false;
    return has_param(of->sink->node, "sign");
}

static bool explain_against(const struct ask *of, const struct leat_table *t, struct arena *arena,
                            char text[BYTES])
{
    if (!is_all_against(of, t)) return false;
    bool some = has_positive(of, arena);
    snprintf(text, BYTES,
             "all %u features shown have negative weights: they speak against label +1; %s",
             t->n_rows,
             some ? "sign = \"positive\" shows features that speak for it"
                  : "no kept feature has a positive weight");
    return true;
}

/* True if the learner itself prints why its answer is empty (contrast_chance.h). */
static bool has_bounds(const struct leat_table *t)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (!strcmp(t->columns[i], "relative_risk_low")) return true;
    return false;
}

/* Returns the last answer to a query; NULL if there was none. */
static const struct leat_table *warnings_last_of(const struct ask *a)
{
    for (int i = 0; i < ASK_TABLES; i++)
        if (a->table[i].t.size && a->table[i].t.last) return &a->table[i].t;
    return NULL;
}

void no_answer_warn(const struct run *r)
{
    char text[BYTES];
    for (uint32_t i = 0; i < r->n_asks; i++) {
        const struct ask *a = &r->ask[i];
        const struct leat_table *t = a->want.kind == LEAT_QUERY_TOP ? warnings_last_of(a) : NULL;
        struct arena arena = {0};
        if (!t || !t->examples || has_bounds(t)) continue;
        if (t->n_rows ? explain_against(a, t, &arena, text) : explain_none(a, &arena, text))
            log_message(LEAT_WARN, "%s: %s", a->sink->node->label, text);
        arena_free(&arena);
    }
}

/* ---- advice after a run ---- */

/* Each function writes its advice to `line`, and returns false if it does not apply. Only the first
 * that applies is printed. */

enum { LINE = 240, LABEL = 60 };

static bool about_rejections(const struct run *r, char line[LINE])
{
    unsigned long long n = r->rejects.count;
    if (!n || r->rejects.sent) return false;
    snprintf(
        line, LINE,
        "leat: next: dead_letters = \"bad.jsonl\" in the pipeline keeps the rejected record%s; "
        "leat trace shows what each stage makes of the first records",
        n == 1 ? "" : "s");
    return true;
}

/* Recommends a larger budget, if there is a warning such as "sort (shape.sort): budget: 12 records
 * were passed on early, because the budget was used up: raise it". */
static bool about_budget(char line[LINE])
{
    const char *text[LOG_WARNINGS];
    for (size_t i = 0, n = log_warnings(text); i < n; i++) {
        const char *end = strstr(text[i], "): ");
        if (!end || end - text[i] > LABEL) continue;
        if (!strstr(end, "budget") || !strstr(end, "raise")) continue;
        snprintf(line, LINE, "leat: next: give %.*s) a larger budget, as the warning says",
                 (int)(end - text[i]), text[i]);
        return true;
    }
    return false;
}

static const struct node *warnings_learned(const struct run *r)
{
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = r->graph->order[k];
        if (!n->stage || n->stage->kind != LEAT_LEARNER || !n->stage->state->snapshot) continue;
        if (progressive_examples(run_instance(r, n, 0)->learning.progressive)) return n;
    }
    return NULL;
}

/* Recommends --state if learners would lose their model. With shards, states are saved even without
 * --state. */
static bool about_state(const struct run *r, const struct command_line *c, char line[LINE])
{
    const struct node *n =
        checkpoint_saves(&c->state) || r->shard_hooks ? NULL : warnings_learned(r);
    if (!n) return false;
    snprintf(line, LINE,
             "leat: next: --state DIR keeps what %.*s has learned, for later runs and leat model",
             LABEL, n->id);
    return true;
}

void next_step_tell(const struct run *r, const struct command_line *c)
{
    char line[LINE], plain[4 * LINE];
    if (c->quiet || !isatty(STDERR_FILENO)) return;
    if (!about_rejections(r, line) && !about_budget(line) && !about_state(r, c, line)) return;
    plain_text(plain, sizeof plain, line);
    log_line(plain);
}
