/* pages.c -- pages of a run: /status, /report, /top/STAGE and /estimate/STAGE. */
#include "pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"
#include "groups.h"
#include "host/checkpoint/checkpoint.h"
#include "host/exec/answers/answer.h"
#include "host/exec/trial/trial.h"
#include "host/flow/name_id.h"
#include "host/log/json_text.h"
#include "program/page/page.h"

const char *http_state(const struct http *h)
{
    if (!h->run) return h->reloading ? "reloading" : h->left ? "ended" : "starting";
    if (atomic_load(&h->run->control.failed)) return "failed";
    if (h->reloading) return "reloading";
    if (atomic_load(&h->run->control.stopping)) return "stopping";
    return atomic_load(&h->run->control.at_work) ? "running" : "ended";
}

bool http_ready(const struct http *h, char state[HTTP_STATE])
{
    const char *word = http_state(h);
    bool running = !strcmp(word, "running");
    if (running && run_waits(h->run, state, HTTP_STATE)) return false;
    snprintf(state, HTTP_STATE, "%s", word);
    return running;
}

struct node *http_learner(const struct http *h, const struct request *q, bool asks,
                          struct reply *no)
{
    const struct graph *g = h->run->graph;
    struct node *n = graph_find(g, q->stage);
    bool learns = n && n->stage && n->stage->kind == LEAT_LEARNER;
    if (learns && (!asks || n->stage->learner->query)) return n;
    char names[1000] = "";
    for (uint32_t k = 0, at = 0; k < g->n_nodes && at < sizeof names; k++)
        if (g->order[k]->stage && g->order[k]->stage->kind == LEAT_LEARNER)
            at += (uint32_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "",
                                     g->order[k]->id);
    *no = learns ? reply_error(501, "%s answers no questions", n->label)
                 : reply_error(404, "there is no learner '%s' in this pipeline: it has %s",
                               q->stage, *names ? names : "none");
    return NULL;
}

/* ---- /status, and /report with a preliminary summary ---- */

/* Visits all workers: copies their figures, and calls h->views->note for their stages. */
static void take_all(struct http *h)
{
    const struct figures_more more = {h->views->note, h->views->of};
    figures_take(&h->figures, &more, clock_ns() + HTTP_WAIT_NS);
}

/* Returns the threads of the run (its segments), with their stages and waiting times. */
static json_t *threads_json(const struct figures *f)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < f->n; k++) {
        const struct worker_figures *w = &f->worker[k];
        json_t *stages = json_array(), *each = json_array();
        uint64_t busy = 0;
        for (uint32_t i = 0; i < w->n; i++) {
            json_array_append_new(stages, json_text(w->stage[i].node->id));
            json_array_append_new(each, json_real((double)w->stage[i].busy_ns / 1e9));
            busy += w->stage[i].busy_ns;
        }
        json_array_append_new(all, json_pack("{s:o, s:o, s:i, s:f, s:f, s:f, s:b}", "stages",
                                             stages, "stages_busy", each, "lane",
                                             (int)w->visit.worker->lane, "busy", (double)busy / 1e9,
                                             "blocked", (double)w->blocked_ns / 1e9, "starved",
                                             (double)w->starved_ns / 1e9, "late", w->late));
    }
    return all;
}

static json_t *edges_json(const struct graph *g)
{
    json_t *all = json_array();
    for (uint32_t k = 0; k < g->n_edges; k++)
        json_array_append_new(all, json_pack("{s:o, s:o}", "from",
                                             json_text(g->node[g->edge[k].from].id), "to",
                                             json_text(g->node[g->edge[k].to].id)));
    return all;
}

/* Adds the age of the last snapshot to the member "snapshots" of `to`. */
static void add_snapshot_age(const struct run *r, json_t *to)
{
    struct checkpoint_counts c;
    json_t *snapshots = json_object_get(to, "snapshots");
    if (!snapshots) return;
    checkpoint_counts(r->checkpoints, &c);
    if (c.written) json_object_set_new(snapshots, "age", json_real((double)c.age_ns / 1e9));
}

struct reply page_of_status(struct http *h, const struct request *q)
{
    take_all(h);
    json_t *o = h->views->summary(h->views->of);
    json_object_set_new(o, "state", json_string(http_state(h)));
    add_snapshot_age(h->run, o);
    json_object_set_new(o, "threads", threads_json(&h->figures));
    json_object_set_new(o, "edges", edges_json(h->run->graph));
    json_object_set_new(o, "groups", groups_json(&h->figures));
    return reply_json(200, o);
}

struct reply page_of_report(struct http *h, const struct request *q)
{
    struct reply r = {.code = 200, .type = "text/html; charset=utf-8"};
    take_all(h);
    json_t *o = json_as_printed(h->views->summary(h->views->of));
    FILE *to = open_memstream(&r.body, &r.n);
    reply_end(&r, to, !to || page_write(to, PAGE_HTML, &(const json_t *){o}, 1));
    json_decref(o);
    return r;
}

/* ---- the estimate of one feature ----
 *
 * The estimate is the prediction for an example that has only this feature with the value 1, minus
 * the prediction for an example without features. For a linear learner this is the feature's
 * weight. It works even if the feature is only in a sketch and its name is not stored. */

#define AND " & "

/* A feature found by its name. A name is split at the first '=', so a field whose name contains '='
 * is not found. If a name lists several features, its id is that of the combination. */
struct lone_feature {
    uint64_t id;
    bool known; /* true if the name is valid */
    double estimate;
    struct contributions *of;
};

/* True if the name lists several features, such as "a=1 & b=2". "a=1 & 2" is a single feature,
 * whose value contains the separator. */
static bool is_several(const char *name)
{
    bool fields = strchr(name, '=') != NULL;
    const char *and = strstr(name, AND), *next;
    for (; and; and = next) {
        const char *part = and+strlen(AND);
        next = strstr(part, AND);
        if (fields && !memchr(part, '=', next ? (size_t)(next - part) : strlen(part))) return false;
    }
    return strstr(name, AND) != NULL;
}

static void set_id(struct lone_feature *f, const struct node *learner, const char *name)
{
    const char *equals = strchr(name, '=');
    char *end;
    if (!(learner->schema_in.has & LEAT_HAS_NAMES)) {
        f->id = strtoull(name, &end, 10);
        f->known = !*end && *name >= '0' && *name <= '9';
        return;
    }
    f->known = !is_several(name);
    f->id = equals ? name_id(name, (size_t)(equals - name), equals + 1, strlen(equals + 1))
                   : name_id(NULL, 0, name, strlen(name));
}

/* Makes the feature for a name: "field=value", a name without '=', or a decimal id if features have
 * no names. Returns NULL if the learner's scores are of another kind, or if memory is lacking. */
static struct lone_feature *lone_feature_new(const struct node *learner, const char *name)
{
    struct contributions *of = contributions_new(learner, 1);
    struct lone_feature *f = of ? calloc(1, sizeof *f) : NULL;
    if (!f) {
        contributions_free(of);
        return NULL;
    }
    f->estimate = (double)NAN;
    f->of = of;
    set_id(f, learner, name);
    return f;
}

/* lone_feature_free(), lone_feature_predict() and lone_feature_estimate() accept NULL. */
static void lone_feature_free(struct lone_feature *f)
{
    if (f) contributions_free(f->of);
    free(f);
}

/* Computes the estimate. Call it on the learner's worker. Does not change the learner. */
static void lone_feature_predict(struct lone_feature *f, struct instance *learner)
{
    const float one = 1;
    double base;
    if (!f || !f->known) return;
    contributions_take(f->of, learner, &f->id, &one, 1, &base, &f->estimate);
}

/* Returns the estimate; NaN if there is none. */
static double lone_feature_estimate(const struct lone_feature *f)
{
    return f ? f->estimate : (double)NAN;
}

/* ---- /top/STAGE and /estimate/STAGE ---- */

enum { TOP_ROWS = 20, TOP_MAX = 1000 };

struct question {
    struct visit visit; /* must be the first member */
    struct instance *learner;
    struct leat_ask want;
    const struct kept_answer *answer;
    struct lone_feature *feature; /* feature to estimate; or NULL */
    int status;
    bool visited;
};

/* Queries the learner, on its worker. If the learner has several lanes, each with a model, first
 * merges the models into that of the first lane, as queries of sinks do. */
static void page_ask(struct visit *v)
{
    struct question *q = (struct question *)v;
    bool over = v->worker->visits_over;
    if (control_halted(&q->learner->run->control)) return;
    q->visited = true;
    q->status = kept_answer_take(q->learner, &q->want, true, over, &q->answer);
    if (q->feature && !over) lone_feature_predict(q->feature, q->learner);
}

/* Gets the answer to a query from the learner's worker. On failure, returns false and sets *no to
 * the reply. */
static bool page_answer(struct http *h, struct question *q, struct node *n, uint32_t k,
                        struct reply *no)
{
    q->learner = run_instance(h->run, n, 0);
    q->want = (struct leat_ask){.size = sizeof q->want, .kind = LEAT_QUERY_TOP, .k = k};
    q->visit = (struct visit){visits_worker(h->run, q->learner), page_ask, VISIT_WAITS};
    q->status = LEAT_AGAIN;
    visits_ask(h->run, &(struct visit *){&q->visit}, 1, clock_ns() + HTTP_WAIT_NS);
    if (q->status == LEAT_OK) return true;
    if (q->status != LEAT_AGAIN)
        *no = reply_error(500, "%s gave no answer", n->label);
    else if (q->visited)
        *no = reply_error(
            503, "%s takes long to answer and has answered often: ask again in some seconds",
            n->label);
    else
        *no = reply_error(503, "%s is busy and did not answer in time", n->label);
    return false;
}

struct reply page_of_top(struct http *h, const struct request *r)
{
    struct reply reply;
    struct question q = {.status = LEAT_OK};
    struct node *n = http_learner(h, r, true, &reply);
    uint32_t k = request_count(request_argument(r, "n"), TOP_ROWS, TOP_MAX);
    if (!n) return reply;
    if (!k) return reply_error(400, "n must be a number of rows from 1 to %d", TOP_MAX);
    if (page_answer(h, &q, n, k, &reply))
        reply =
            reply_json(200, json_pack("{s:o, s:s, s:I, s:o}", "stage", json_text(n->id), "plugin",
                                      n->name, "examples", (json_int_t)q.answer->examples, "rows",
                                      h->views->rows(&q.answer->answer)));
    return reply;
}

static json_t *page_row_of(const struct http *h, const struct answer *a, const char *name)
{
    struct answer one = *a;
    size_t len = strlen(name);
    for (uint32_t i = 0; i < a->n_rows; i++) {
        if (a->len[i] != len || memcmp(a->name[i], name, len)) continue;
        one.name += i, one.len += i, one.also += i;
        one.values += (size_t)i * a->n_columns;
        one.n_rows = 1;
        json_t *rows = h->views->rows(&one), *row = json_incref(json_array_get(rows, 0));
        json_decref(rows);
        return row;
    }
    return json_null();
}

/* Returns a reply that the feature `name` has neither a row nor an estimate. */
static struct reply nothing_of(const struct node *n, const char *name)
{
    enum leat_score kind = graph_score(n);
    bool lone = kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_CLASS;
    return reply_error(404,
                       "the first %d rows of %s have no feature %s, and it gives no estimates "
                       "%s: use a name from /top/%s",
                       TOP_MAX, n->label, name,
                       lone ? "for other features" : "for several features together", n->id);
}

struct reply page_of_estimate(struct http *h, const struct request *r)
{
    struct reply reply;
    struct question q = {.status = LEAT_OK};
    struct node *n = http_learner(h, r, true, &reply);
    const char *name = request_argument(r, "feature");
    if (!n) return reply;
    if (!name || !*name)
        return reply_error(400, "the argument 'feature' is missing: give the name of a feature");
    q.feature = lone_feature_new(n, name);
    if (page_answer(h, &q, n, TOP_MAX, &reply)) {
        json_t *row = page_row_of(h, &q.answer->answer, name);
        double estimate = lone_feature_estimate(q.feature);
        if (json_is_null(row) && isnan(estimate))
            reply = nothing_of(n, name);
        else
            reply = reply_json(200, json_pack("{s:o, s:o, s:I, s:o, s:O}", "stage",
                                              json_text(n->id), "feature", json_text(name),
                                              "examples", (json_int_t)q.answer->examples,
                                              "estimate", json_real_or_null(estimate), "row", row));
        json_decref(row);
    }
    lone_feature_free(q.feature);
    return reply;
}
