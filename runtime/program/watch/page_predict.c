/* page_predict.c -- /predict/STAGE: what a learner makes of the records of a request. */
#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "inside.h"
#include "score_json.h"

static void add_rejection(const struct predictor *p, uint32_t r, json_t *to)
{
    size_t n;
    const char *reason, *text = predictor_rejection(p, r, &reason, &n);
    json_object_set_new(to, "rejected", json_text(reason));
    json_object_set_new(to, "message", json_text_n(text, n));
}

static json_t *record_json(const struct predictor *p, uint32_t r)
{
    const struct leat_batch *b = &p->batch->b;
    json_t *o = json_object(), *scores = json_array();
    json_object_set_new(o, "record", json_integer((json_int_t)r + 1));
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->ex_record[e] == r)
            json_array_append_new(scores, score_json(p->learner, b->score[e]));
    if (b->status[r] == LEAT_ROW_REJECTED) add_rejection(p, r, o);
    if (b->status[r] == LEAT_ROW_FILTERED) json_object_set_new(o, "filtered", json_true());
    if (json_array_size(scores) == 1)
        json_object_update(o, json_array_get(scores, 0));
    else if (json_array_size(scores))
        json_object_set(o, "examples", scores);
    json_decref(scores);
    return o;
}

static struct reply predictions(const struct predictor *p)
{
    const struct leat_batch *b = &p->batch->b;
    json_t *records = json_array();
    for (uint32_t r = 0; r < b->n; r++)
        json_array_append_new(records, record_json(p, r));
    return reply_json(b->n_ex_sel ? 200 : 422,
                      json_pack("{s:o, s:s, s:o}", "stage", json_text(p->learner->id), "plugin",
                                p->learner->name, "records", records));
}

struct reply page_of_predictions(struct http *h, const struct request *q)
{
    static const unsigned codes[] = {[PREDICT_NEVER] = 501,
                                     [PREDICT_REFUSED] = 400,
                                     [PREDICT_LATE] = 503,
                                     [PREDICT_FAILED] = 500};
    char why[PREDICT_WHY];
    struct reply no;
    struct node *n = http_learner(h, q, false, &no);
    if (!n) return no;
    struct predictor *p = &h->predictor[n->index];
    enum predict_result result =
        predictor_run(p, q->body ? q->body : "", q->n, clock_ns() + HTTP_WAIT_NS, why);
    return result == PREDICT_OK ? predictions(p) : reply_error(codes[result], "%s", why);
}
