/* figures_json.c -- see figures_json.h. */
#include "figures_json.h"

#include <math.h>

#include "host/log/json_text.h"

json_t *figures_json(const struct progressive *p)
{
    const char *names[PROGRESSIVE_METRICS];
    double values[PROGRESSIVE_METRICS];
    json_t *o = json_object();
    size_t n = p ? progressive_metrics(p, names, values, PROGRESSIVE_METRICS) : 0;
    for (size_t i = 0; i < n; i++)
        json_object_set_new(o, names[i], json_figure(values[i]));
    return o;
}

/* Takes the array. */
static void add_array(json_t *to, const char *name, json_t *array)
{
    if (json_array_size(array))
        json_object_set_new(to, name, array);
    else
        json_decref(array);
}

static json_t *reliability_json(const struct progressive *p)
{
    struct reliability r[RELIABILITY_BINS];
    size_t n = progressive_reliability(p, r);
    json_t *bins = json_array();
    for (size_t k = 0; k < n; k++)
        json_array_append_new(
            bins, json_pack("{s:f, s:f, s:o, s:o, s:o}", "from", (double)k / RELIABILITY_BINS, "to",
                            (double)(k + 1) / RELIABILITY_BINS, "weight", json_figure(r[k].weight),
                            "predicted", json_figure(r[k].predicted / r[k].weight), "observed",
                            json_figure(r[k].positives / r[k].weight)));
    return bins;
}

/* Names of the two figures; NULL: it has one only. */
static const char *const curve_names[][2][2] = {
    [LEAT_SCORE_MARGIN] = {{"log_loss", "log_loss_since"}, {"error_rate", "error_rate_since"}},
    [LEAT_SCORE_VALUE] = {{"rmse", "rmse_since"}, {"mae", "mae_since"}},
    [LEAT_SCORE_CLASS] = {{"error_rate", "error_rate_since"}, {NULL, NULL}},
    [LEAT_SCORE_DECISION] = {{"error_rate", "error_rate_since"}, {NULL, NULL}}};

static json_t *point_json(const struct progressive_point *p, enum leat_score kind)
{
    bool squares = kind == LEAT_SCORE_VALUE;
    const char *const(*name)[2] = curve_names[kind];
    json_t *o = json_pack("{s:I}", "examples", (json_int_t)p->examples);
    json_object_set_new(o, name[0][0], json_figure(squares ? sqrt(p->loss) : p->loss));
    json_object_set_new(o, name[0][1], json_figure(squares ? sqrt(p->loss_since) : p->loss_since));
    if (!name[1][0]) return o;
    json_object_set_new(o, name[1][0], json_figure(p->second));
    json_object_set_new(o, name[1][1], json_figure(p->second_since));
    return o;
}

static json_t *curve_json(const struct progressive *p)
{
    struct progressive_point point[PROGRESSIVE_POINTS];
    json_t *points = json_array();
    size_t n = progressive_kind(p) == LEAT_SCORE_NONE ? 0 : progressive_curve(p, point);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(points, point_json(&point[i], progressive_kind(p)));
    return points;
}

static json_t *roc_json(const struct progressive *p)
{
    struct roc_point point[ROC_POINTS];
    json_t *points = json_array();
    size_t n = progressive_roc(p, point);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(points,
                              json_pack("{s:o, s:o, s:o}", "false_positives",
                                        json_figure(point[i].false_positives), "true_positives",
                                        json_figure(point[i].true_positives), "threshold",
                                        json_real_or_null(point[i].threshold)));
    return points;
}

static json_t *by_label_json(const struct progressive *p)
{
    struct label_error e[LABEL_ERRORS];
    json_t *labels = json_array();
    for (uint32_t i = 0, n = progressive_label_errors(p, e); i < n; i++)
        json_array_append_new(labels,
                              json_pack("{s:o, s:o, s:o, s:o, s:o}", "label",
                                        json_figure(e[i].label), "weight", json_figure(e[i].weight),
                                        "rmse", json_figure(sqrt(e[i].squared / e[i].weight)),
                                        "mae", json_figure(e[i].absolute / e[i].weight),
                                        "mean_error", json_figure(e[i].signed_sum / e[i].weight)));
    return labels;
}

/* A class without a name has its number. */
static json_t *name_of_class(const struct leat_schema *s, uint32_t label)
{
    return label < s->n_classes ? json_text(s->classes[label]) : json_sprintf("class %u", label);
}

static json_t *by_class_json(const struct progressive *p, const struct leat_schema *s)
{
    struct progressive_class c[PROGRESSIVE_CLASSES];
    json_t *classes = json_array();
    for (uint32_t i = 0, n = progressive_classes(p, c); i < n; i++)
        json_array_append_new(
            classes,
            json_pack(
                "{s:o, s:o, s:o, s:o, s:o}", "label", name_of_class(s, c[i].label), "weight",
                json_figure(c[i].weight), "predicted", json_figure(c[i].predicted), "recall",
                json_real_or_null(c[i].weight > 0 ? c[i].right / c[i].weight : (double)NAN),
                "precision",
                json_real_or_null(c[i].predicted > 0 ? c[i].right / c[i].predicted : (double)NAN)));
    return classes;
}

void figures_json_add_curves(const struct progressive *p, const struct leat_schema *s,
                             bool in_order, json_t *to)
{
    add_array(to, "reliability", reliability_json(p));
    if (!in_order) return;
    add_array(to, "curve", curve_json(p));
    add_array(to, "roc", roc_json(p));
    add_array(to, "by_label", by_label_json(p));
    add_array(to, "by_class", by_class_json(p, s));
}
