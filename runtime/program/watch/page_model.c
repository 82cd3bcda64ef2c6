/* page_model.c -- /top/STAGE and /estimate/STAGE: what a learner has learned. */
#include <math.h>
#include <string.h>

#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "host/exec/answers/answer.h"
#include "inside.h"
#include "lone_feature.h"

enum { TOP_ROWS = 20, TOP_MAX = 1000 };

struct question {
    struct visit visit; /* first */
    struct instance *learner;
    struct leat_ask want;
    const struct kept_answer *answer;
    struct lone_feature *feature; /* or NULL */
    int status;
    bool visited;
};

/* Of several models the learner's own is made their merge first, as for the questions of sinks. */
static void ask(struct visit *v)
{
    struct question *q = (struct question *)v;
    bool over = v->worker->visits_over;
    if (control_halted(&q->learner->run->control)) return;
    q->visited = true;
    q->status = kept_answer_take(q->learner, &q->want, true, over, &q->answer);
    if (q->feature && !over) lone_feature_predict(q->feature, q->learner);
}

/* false: *no says why there is no answer. */
static bool answer(struct http *h, struct question *q, struct node *n, uint32_t k, struct reply *no)
{
    q->learner = run_instance(h->run, n, 0);
    q->want = (struct leat_ask){.size = sizeof q->want, .kind = LEAT_QUERY_TOP, .k = k};
    q->visit = (struct visit){visits_worker(h->run, q->learner), ask, VISIT_WAITS};
    q->status = LEAT_AGAIN;
    visits_ask(h->run, &(struct visit *){&q->visit}, 1, clock_ns() + HTTP_WAIT_NS);
    if (q->status == LEAT_OK) return true;
    if (q->status != LEAT_AGAIN)
        *no = reply_error(500, "%s gave no answer", n->label);
    else if (q->visited)
        *no = reply_error(
            503, "%s takes long to answer, and has answered much: ask again in some seconds",
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
    if (!k) return reply_error(400, "n is a number of rows from 1 to %d", TOP_MAX);
    if (answer(h, &q, n, k, &reply))
        reply =
            reply_json(200, json_pack("{s:o, s:s, s:I, s:o}", "stage", json_text(n->id), "plugin",
                                      n->name, "examples", (json_int_t)q.answer->examples, "rows",
                                      h->views->rows(&q.answer->answer)));
    return reply;
}

static json_t *row_of(const struct http *h, const struct answer *a, const char *name)
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

/* Neither a row nor an estimate. */
static struct reply nothing_of(const struct node *n, const char *name)
{
    enum leat_score kind = graph_score(n);
    bool lone = kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_CLASS;
    return reply_error(404,
                       "none of the first %d rows of %s is named %s, and it has no estimates %s: "
                       "names are as in /top/%s",
                       TOP_MAX, n->label, name, lone ? "beside its rows" : "of features together",
                       n->id);
}

struct reply page_of_estimate(struct http *h, const struct request *r)
{
    struct reply reply;
    struct question q = {.status = LEAT_OK};
    struct node *n = http_learner(h, r, true, &reply);
    const char *name = request_argument(r, "feature");
    if (!n) return reply;
    if (!name || !*name) return reply_error(400, "feature is the name of a feature");
    q.feature = lone_feature_new(n, name);
    if (answer(h, &q, n, TOP_MAX, &reply)) {
        json_t *row = row_of(h, &q.answer->answer, name);
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
