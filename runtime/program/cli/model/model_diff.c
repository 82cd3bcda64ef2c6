/* model_diff.c -- `leat model diff`: the differences between two snapshots.
 *
 * Makes one JSON object. For people, prints it as lines (model_print).
 *
 *   parameters   {stage, name, a, b}                 seed, stages, parameters
 *   figures      {stage, name, a, b}                 records, figures of progressive validation;
 *                                                    "by": "rounding" if that explains it
 *   states       {section, verdict, largest}         verdict: equal, rounding, turned or changed
 *                                                    (model_states.h)
 *   state        {section, field, by, a, b}          numbers; by: a verdict
 *                {section, field, by, length_a, length_b} arrays of different lengths or types
 *                {section, field, by, elements, differ} arrays of equal length; differ: how many
 *                                                    elements differ
 *   moved        {stage, feature, what, measure, a, b, z, p, significant}   smallest p first
 *                (model_evidence.h)
 *   unknown      ids of learners for which no significance can be computed
 *   features     {stage, feature, change, a, b}      largest change of weight first; null: the
 *                                                    answer lacks the feature (weight 0)
 *   rounded      number of features whose weights differ only by rounding; the others are in
 *                `features` */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exec/answers/answer.h"
#include "host/log/log.h"
#include "model.h"
#include "model_evidence.h"
#include "model_states.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/log/json_text.h"
#include "core/text/plain_text.h"

enum { DEFAULT_K = 20, ASKED = 100000 };

/* ---- parameters ---- */

static void add_parameter(void *to, const struct fingerprint_difference *d)
{
    json_array_append_new(to, json_pack("{s:o, s:s, s:o, s:o}", "stage", json_text_or_null(d->id),
                                        "name", d->name ? d->name : "stage", "a",
                                        json_text_or_null(d->a), "b", json_text_or_null(d->b)));
}

/* ---- figures ---- */

static bool diff_figure_rounded(const json_t *a, const json_t *b)
{
    double x = json_number_value(a), y = json_number_value(b);
    return (json_is_real(a) || json_is_real(b)) &&
           states_rounded(x, y, fmax(fabs(x), fabs(y)), false);
}

/* Adds the differences between two sets of figures. Takes ownership of a and b. */
static void add_figures(json_t *to, const char *stage, json_t *a, json_t *b)
{
    const char *key;
    json_t *v;
    json_object_foreach(a, key, v)
    {
        json_t *there = json_object_get(b, key);
        if (!there || json_equal(v, there)) continue;
        json_t *o = json_pack("{s:o, s:s, s:O, s:O}", "stage", json_text_or_null(stage), "name",
                              key, "a", v, "b", there);
        if (diff_figure_rounded(v, there)) json_object_set_new(o, "by", json_string("rounding"));
        json_array_append_new(to, o);
    }
    json_decref(a);
    json_decref(b);
}

static json_t *diff_counts(const struct model *m)
{
    return json_pack("{s:I, s:I}", "records", (json_int_t)run_records(&m->run), "rejected",
                     (json_int_t)m->run.rejects.count);
}

static bool are_learners(const struct node *a, const struct node *b)
{
    return b && a->stage->kind == LEAT_LEARNER && b->stage->kind == LEAT_LEARNER;
}

static json_t *figures(struct model *a, struct model *b)
{
    json_t *all = json_array();
    add_figures(all, NULL, diff_counts(a), diff_counts(b));
    for (uint32_t i = 0; i < a->graph.n_nodes; i++) {
        const struct node *n = &a->graph.node[i], *there = graph_find(&b->graph, n->id);
        if (are_learners(n, there))
            add_figures(all, n->id, model_figures(a, n), model_figures(b, there));
    }
    return all;
}

/* ---- features ---- */

struct weight {
    const char *name;
    size_t len;
    double w;
    uint32_t row; /* row in the answer */
};

static int diff_by_name(const void *x, const void *y)
{
    const struct weight *a = x, *b = y;
    int by = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    return by ? by : (a->len > b->len) - (a->len < b->len);
}

/* A learner's answer in one of the two models. */
struct told {
    struct answer answer;
    struct evidence_side side;
    struct weight *weight; /* weights of all features, sorted by name */
    uint32_t n;
};

static int diff_ask(struct model *m, struct node *n, struct told *t)
{
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = ASKED};
    int status = model_restore_stage(m, n);
    *t = (struct told){.n = 0};
    if (status != LEAT_OK || !n->stage->learner->query) return status;
    bool hushed = log_hush(true); /* hides warnings about k, which the user did not choose */
    status = answer_ask(&t->answer, run_instance(&m->run, n, 0), &want, &m->arena);
    log_hush(hushed);
    if (status != LEAT_OK) return model_tell(m, &m->run, n, status);
    evidence_side_init(&t->side, &t->answer, (double)model_examples(m, n));
    const struct answer *a = &t->answer;
    uint32_t column = answer_column(a, "weight");
    if (column == a->n_columns) return LEAT_OK;
    t->weight = arena_alloc(&m->arena, (a->n_rows + 1) * sizeof *t->weight);
    t->n = a->n_rows;
    for (uint32_t r = 0; r < t->n; r++)
        t->weight[r] =
            (struct weight){a->name[r], a->len[r], a->values[r * a->n_columns + column], r};
    qsort(t->weight, t->n, sizeof *t->weight, diff_by_name);
    return LEAT_OK;
}

struct diff_change {
    const char *stage;
    const struct weight *a, *b; /* NULL: that model's answer lacks the feature */
    double by;
};

static int by_change(const void *x, const void *y)
{
    const struct diff_change *a = x, *b = y;
    int less = (fabs(a->by) < fabs(b->by)) - (fabs(a->by) > fabs(b->by));
    return less ? less : diff_by_name(a->a ? a->a : a->b, b->a ? b->a : b->b);
}

struct diff_changes {
    struct diff_change *v;
    uint32_t n, rounded; /* rounded: features that differ only by rounding */
};

/* Precision of a learner's weights. */
struct diff_precision {
    double largest; /* largest weight */
    bool single;    /* all weights are numbers of single precision */
};

static void diff_add_change(struct diff_changes *all, const char *stage, const struct weight *a,
                            const struct weight *b, const struct diff_precision *p)
{
    double in_a = a ? a->w : 0, in_b = b ? b->w : 0, by = in_b - in_a;
    if (by == 0) return;
    if (a && b && states_rounded(in_a, in_b, p->largest, p->single))
        all->rounded++;
    else
        all->v[all->n++] = (struct diff_change){stage, a, b, by};
}

static void diff_see_precision(const struct told *t, struct diff_precision *p)
{
    for (uint32_t i = 0; i < t->n; i++) {
        if (isfinite(t->weight[i].w)) p->largest = fmax(p->largest, fabs(t->weight[i].w));
        p->single &= (double)(float)t->weight[i].w == t->weight[i].w;
    }
}

static int64_t diff_row_of(const struct weight *w) { return w ? (int64_t)w->row : EVIDENCE_NONE; }

static void add_evidence(json_t *to, const char *stage, const struct told *a,
                         const struct weight *in_a, const struct told *b, const struct weight *in_b)
{
    const struct weight *named = in_a ? in_a : in_b;
    json_t *row = evidence_compare(&a->side, diff_row_of(in_a), &b->side, diff_row_of(in_b));
    if (!row) return;
    json_object_set_new(row, "stage", json_text(stage));
    json_object_set_new(row, "feature", json_text_n(named->name, named->len));
    json_array_append_new(to, row);
}

/* Compares the two lists of weights, which are sorted by name. */
static void compare_told(const char *id, const struct told *a, const struct told *b,
                         struct diff_changes *all, json_t *moved)
{
    const bool known = evidence_is_known(&a->side) && evidence_is_known(&b->side);
    struct diff_precision precision = {.single = true};
    diff_see_precision(a, &precision);
    diff_see_precision(b, &precision);
    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        int by = i == a->n ? 1 : j == b->n ? -1 : diff_by_name(&a->weight[i], &b->weight[j]);
        const struct weight *in_a = by <= 0 ? &a->weight[i] : NULL;
        const struct weight *in_b = by >= 0 ? &b->weight[j] : NULL;
        diff_add_change(all, id, in_a, in_b, &precision);
        if (known) add_evidence(moved, id, a, in_a, b, in_b);
        i += by <= 0;
        j += by >= 0;
    }
}

/* Changes of the features of all learners. */
struct learned {
    struct diff_changes changes;
    json_t *moved, *unknown, *bounded; /* unknown and bounded: ids of learners */
    json_t *states;                    /* verdicts on all states; not owned */
};

static int compare_learner(struct model *a, struct node *n, struct model *b, struct node *there,
                           struct learned *to)
{
    struct diff_changes *all = &to->changes;
    const uint32_t earlier = all->n;
    struct told in_a, in_b = {.n = 0};
    json_t *moved = json_array();
    int status = diff_ask(a, n, &in_a);
    if (status == LEAT_OK) status = diff_ask(b, there, &in_b);
    struct diff_change *v = arena_alloc(&a->arena, (all->n + in_a.n + in_b.n + 1) * sizeof *v);
    if (all->n) memcpy(v, all->v, all->n * sizeof *v);
    all->v = v;
    if (status == LEAT_OK) compare_told(n->id, &in_a, &in_b, all, moved);
    if (status == LEAT_OK && in_a.n + in_b.n && !json_array_size(moved))
        json_array_append_new(to->unknown, json_text(n->id));
    else if (status == LEAT_OK && (in_a.side.had_to_leave || in_b.side.had_to_leave))
        json_array_append_new(to->bounded, json_text(n->id));
    if (all->n > earlier) states_mark_changed(to->states, n->id);
    evidence_judge(moved);
    json_array_extend(to->moved, moved);
    json_decref(moved);
    return status;
}

/* ---- order by significance ---- */

static double diff_figure_of(const json_t *row, const char *name)
{
    return fabs(json_number_value(json_object_get(row, name)));
}

static int by_certainty(const void *x, const void *y)
{
    const json_t *a = *(json_t *const *)x, *b = *(json_t *const *)y;
    double p = diff_figure_of(a, "p") - diff_figure_of(b, "p");
    double z = diff_figure_of(b, "z") - diff_figure_of(a, "z"); /* p may be 0 in both */
    double less = p != 0 ? p : z;
    return less != 0 ? (less > 0) - (less < 0)
                     : strcmp(json_string_value(json_object_get(a, "feature")),
                              json_string_value(json_object_get(b, "feature")));
}

/* Returns the first k rows, smallest p first. Takes ownership of `rows`. Sets *more to the number
 * of other rows whose difference is significant. */
static json_t *most_certain(json_t *rows, uint32_t k, struct arena *a, json_int_t *more)
{
    size_t i, n = json_array_size(rows);
    json_t **row = arena_alloc(a, (n + 1) * sizeof(json_t *)), *o, *first = json_array();
    json_array_foreach(rows, i, o) { row[i] = o; }
    if (n) qsort(row, n, sizeof(json_t *), by_certainty);
    *more = 0;
    for (i = 0; i < n; i++)
        if (i < k)
            json_array_append(first, row[i]);
        else
            *more += json_is_true(json_object_get(row[i], "significant"));
    json_decref(rows);
    return first;
}

static json_t *weight_json(const struct weight *w)
{
    return w ? json_real_or_null(w->w) : json_null();
}

static json_t *first_changes(const struct diff_changes *all, uint32_t k)
{
    json_t *first = json_array();
    if (all->n) qsort(all->v, all->n, sizeof *all->v, by_change);
    for (uint32_t i = 0; i < all->n && i < k; i++) {
        const struct diff_change *c = &all->v[i];
        const struct weight *named = c->a ? c->a : c->b;
        json_array_append_new(first,
                              json_pack("{s:s, s:o, s:f, s:o, s:o}", "stage", c->stage, "feature",
                                        json_text_n(named->name, named->len), "change", c->by, "a",
                                        weight_json(c->a), "b", weight_json(c->b)));
    }
    return first;
}

static int add_features(struct model *a, struct model *b, const struct command_line *c, json_t *to)
{
    uint32_t k = c->k ? c->k : DEFAULT_K;
    json_int_t more;
    struct learned all = {.moved = json_array(),
                          .unknown = json_array(),
                          .bounded = json_array(),
                          .states = json_object_get(to, "states")};
    int status = LEAT_OK;
    for (uint32_t i = 0; i < a->graph.n_nodes && status == LEAT_OK; i++) {
        struct node *n = &a->graph.node[i], *there = graph_find(&b->graph, n->id);
        if (are_learners(n, there) && model_can_open(a, n) && model_can_open(b, there))
            status = compare_learner(a, n, b, there, &all);
    }
    if (status != LEAT_OK) all.changes.n = 0;
    json_object_set_new(to, "features", first_changes(&all.changes, k));
    json_object_set_new(to, "rounded", json_integer(all.changes.rounded));
    k = c->json && !c->k ? UINT32_MAX : k;
    json_object_set_new(to, "moved", most_certain(all.moved, k, &a->arena, &more));
    json_object_set_new(to, "more", json_integer(more));
    json_object_set_new(to, "unknown", all.unknown);
    json_object_set_new(to, "bounded", all.bounded);
    return status;
}

/* ---- for people: learned features, quality, storage ---- */

static bool diff_is(const json_t *o, const char *key, const char *word)
{
    const char *is = json_string_value(json_object_get(o, key));
    return is && !strcmp(is, word);
}

/* Prints a verdict that is no change: rounding or turned. */
static void diff_put_small(const json_t *o, const char *key, struct arena *a)
{
    bool turned = diff_is(o, key, "turned");
    double largest = json_number_value(json_object_get(o, "largest"));
    fputs(turned ? "stands for the same: directions are turned or have other signs"
                 : "differs only by rounding",
          stdout);
    if (largest > 0)
        printf(turned ? " (its products differ by at most %s of the largest)"
                      : " (largest difference %s of its largest number)",
               arena_printf(a, "%.1g", largest));
    putchar('\n');
}

static void diff_put_states(const json_t *all, struct arena *a)
{
    size_t i;
    json_t *o;
    if (json_array_size(all)) puts("\nstates");
    json_array_foreach(all, i, o)
    {
        printf("  %s: ", model_of(o, a, "section"));
        if (diff_is(o, "verdict", "rounding") || diff_is(o, "verdict", "turned"))
            diff_put_small(o, "verdict", a);
        else
            puts(model_of(o, a, "verdict"));
    }
}

static void diff_put_pairs(const json_t *all, const char *title, const char *where,
                           const char *what, struct arena *a)
{
    size_t i;
    json_t *o;
    if (json_array_size(all)) printf("\n%s\n", title);
    json_array_foreach(all, i, o)
    {
        const char *place = json_string_value(json_object_get(o, where));
        printf("  %s%s%s: ", place ? place : "", place ? " " : "", model_of(o, a, what));
        if (diff_is(o, "by", "rounding") || diff_is(o, "by", "turned"))
            diff_put_small(o, "by", a);
        else if (json_object_get(o, "differ"))
            printf("%s of %s elements differ\n", model_of(o, a, "differ"),
                   model_of(o, a, "elements"));
        else if (json_object_get(o, "length_a"))
            printf("%s and %s elements\n", model_of(o, a, "length_a"), model_of(o, a, "length_b"));
        else
            printf("%s and %s\n", model_of(o, a, "a"), model_of(o, a, "b"));
    }
}

/* Returns copies of the significant rows. Shares become per cent. */
static json_t *diff_significant(const json_t *all)
{
    json_t *rows = json_array(), *o;
    size_t i;
    json_array_foreach((json_t *)all, i, o)
    {
        if (!json_is_true(json_object_get(o, "significant"))) continue;
        json_t *row = json_copy(o);
        bool share = json_string_value(json_object_get(o, "measure"))[0] == 's';
        for (int side = 0; share && side < 2; side++) {
            const char *key = side ? "b" : "a";
            const json_t *v = json_object_get(o, key);
            if (json_is_number(v))
                json_object_set_new(row, key, json_real(100 * json_number_value(v)));
        }
        if (share) json_object_set_new(row, "measure", json_string("share, %"));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void put_moved(const json_t *all, json_int_t more, struct arena *a)
{
    static const struct report_column columns[] = {
        {.name = "what", .type = REPORT_WORD, .heading = "_"},
        {.name = "z", .type = REPORT_NUMBER, .decimals = 1},
        {.name = "a", .type = REPORT_FIGURE},
        {.name = "b", .type = REPORT_FIGURE},
        {.name = "measure", .type = REPORT_WORD},
        {.name = "stage", .type = REPORT_WORD, .heading = "learner"},
        {.name = "feature", .type = REPORT_NAME}};
    json_t *rows = diff_significant(all);
    bool none = !json_array_size(rows);
    if (!none)
        model_table(rows, "features that rose or fell by more than chance, most certain first",
                    columns, sizeof columns / sizeof *columns, a);
    json_decref(rows);
    if (more) printf("and %lld more: --k N shows N, --json all\n", (long long)more);
    if (none && json_array_size(all)) puts("\nno feature is known to differ by more than chance");
}

static void put_ids(const char *what, const json_t *ids)
{
    size_t i;
    json_t *id;
    if (!json_array_size(ids)) return;
    printf("\n%s:", what);
    json_array_foreach(ids, i, id) { printf("%s %s", i ? "," : "", json_string_value(id)); }
    putchar('\n');
}

static void put_features(const json_t *all, struct arena *a)
{
    static const struct report_column columns[] = {
        {.name = "change", .type = REPORT_FIGURE},
        {.name = "a", .type = REPORT_FIGURE},
        {.name = "b", .type = REPORT_FIGURE},
        {.name = "stage", .type = REPORT_WORD, .heading = "learner"},
        {.name = "feature", .type = REPORT_NAME}};
    if (json_array_size(all))
        model_table(all, "weights, largest change first", columns, sizeof columns / sizeof *columns,
                    a);
}

static void put_diff(const json_t *o, struct arena *a)
{
    static const char *const sides[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        const json_t *head = json_object_get(o, sides[i]);
        printf("%s  %s: %s, snapshot %s%s, %s records\n", sides[i], model_of(head, a, "file"),
               model_of(head, a, "pipeline"), model_of(head, a, "checkpoint"), model_made(head, a),
               model_of(head, a, "records"));
    }
    diff_put_pairs(json_object_get(o, "parameters"), "parameters", "stage", "name", a);
    diff_put_states(json_object_get(o, "states"), a);
    put_moved(json_object_get(o, "moved"), json_integer_value(json_object_get(o, "more")), a);
    put_ids("features were dropped, so counts have wide bounds, and features in only one model are "
            "left out (raise the budget to keep more)",
            json_object_get(o, "bounded"));
    put_ids("significance is not known: the weights have no errors and the counts no bounds",
            json_object_get(o, "unknown"));
    put_features(json_object_get(o, "features"), a);
    if (json_integer_value(json_object_get(o, "rounded")))
        printf("\n%s weights differ only by rounding\n", model_of(o, a, "rounded"));
    diff_put_pairs(json_object_get(o, "figures"), "figures", "stage", "name", a);
    diff_put_pairs(json_object_get(o, "state"), "fields of the states", "section", "field", a);
}

static int diff(struct model *a, struct model *b, const struct command_line *c)
{
    json_t *parameters = json_array(), *fields = json_array();
    fingerprint_differences(a->pipeline, b->pipeline, add_parameter, parameters);
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "a", model_head(a), "b", model_head(b),
                          "parameters", parameters, "figures", figures(a, b), "states",
                          states_compare(a, b, fields), "state", fields);
    int status = add_features(a, b, c, o);
    model_print(o, c, put_diff, &a->arena);
    return status;
}

int model_diff(const struct command_line *c, struct registry *known)
{
    struct model a, b;
    int status = model_open(&a, c->operand[0], c->memory, known), status_b;
    /* Opens b even if a failed, to print the problems of both. */
    status_b = model_open(&b, c->operand[1], c->memory, known);
    if (status == LEAT_OK) status = status_b;
    if (status == LEAT_OK) status = diff(&a, &b, c);
    model_close(&b);
    model_close(&a);
    return status;
}
