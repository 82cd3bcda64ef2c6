/* score_json.c -- see score_json.h. */
#include "score_json.h"

#include <math.h>

#include "host/log/json_text.h"

json_t *score_json(const struct node *learner, float score)
{
    const struct leat_schema *in = &learner->schema_in;
    const double z = (double)score;
    switch (graph_score(learner)) {
    case LEAT_SCORE_VALUE:
        return json_pack("{s:o}", "value", json_real_or_null(z));
    case LEAT_SCORE_CLASS:
        return z >= 0 && z < in->n_classes ? json_pack("{s:o, s:o}", "class", json_figure(z),
                                                       "name", json_text(in->classes[(uint32_t)z]))
                                           : json_pack("{s:o}", "class", json_figure(z));
    case LEAT_SCORE_MARGIN:
        return json_pack("{s:o, s:o, s:i}", "margin", json_real_or_null(z), "probability",
                         json_real_or_null(1 / (1 + exp(-z))), "label", z >= 0 ? 1 : -1);
    default:
        return json_pack("{s:o, s:i}", "margin", json_real_or_null(z), "label", z >= 0 ? 1 : -1);
    }
}
