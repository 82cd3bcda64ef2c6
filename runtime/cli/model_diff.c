/* model_diff.c -- `leat model diff`: in what two snapshots differ. As in model_info.c one JSON
 * object is made, and laid out as lines for people.
 *
 *   parameters   {stage, name, a, b}                 seed, stages, parameters
 *   figures      {stage, name, a, b}                 records, and what progressive validation says
 *   state        {section, field, a, b}              numbers
 *                {section, field, length_a, length_b} arrays of other lengths or types
 *                {section, field, elements, differ}  arrays of one length: how many elements differ
 *   features     {stage, feature, change, a, b}      first weights that moved most; null: not in
 * that model's answer, and counted as 0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/answer.h"
#include "command_model.h"
#include "graph/fingerprint.h"
#include "base/json_text.h"
#include "store/state_codec.h"

enum { DEFAULT_K = 20, ASKED = 100000 };

/* ---- parameters ---- */

static void add_parameter(void *to, const struct fingerprint_difference *d)
{
    json_array_append_new(to, json_pack("{s:o, s:s, s:o, s:o}", "stage", json_text_or_null(d->id),
                                        "name", d->name ? d->name : "stage", "a",
                                        json_text_or_null(d->a), "b", json_text_or_null(d->b)));
}

/* ---- figures ---- */

/* Takes a and b. */
static void add_figures(json_t *to, const char *stage, json_t *a, json_t *b)
{
    const char *key;
    json_t *v;
    json_object_foreach(a, key, v)
    {
        json_t *there = json_object_get(b, key);
        if (there && !json_equal(v, there))
            json_array_append_new(to, json_pack("{s:o, s:s, s:O, s:O}", "stage",
                                                json_text_or_null(stage), "name", key, "a", v, "b",
                                                there));
    }
    json_decref(a);
    json_decref(b);
}

static json_t *counts(const struct model *m)
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
    add_figures(all, NULL, counts(a), counts(b));
    for (uint32_t i = 0; i < a->graph.n_nodes; i++) {
        const struct node *n = &a->graph.node[i], *there = graph_find(&b->graph, n->id);
        if (are_learners(n, there))
            add_figures(all, n->id, model_figures(a, n), model_figures(b, there));
    }
    return all;
}

/* ---- states ---- */

/* Of a field that is no array. */
static json_t *value_of(const struct stored_field *f)
{
    uint64_t u;
    double d;
    if (f->text) return json_text_n(f->payload, (size_t)f->count);
    memcpy(&u, f->payload, sizeof u);
    memcpy(&d, f->payload, sizeof d);
    if (f->element == LEAT_F64) return json_real_or_null(d);
    if (f->element == LEAT_I64) return json_integer((json_int_t)u);
    return u <= INT64_MAX ? json_integer((json_int_t)u)
                          : json_sprintf("%llu", (unsigned long long)u);
}

static void compare_fields(json_t *to, const char *section, const struct stored_field *f,
                           const struct stored_field *g)
{
    size_t each = f->element == LEAT_U8                              ? 1
                  : f->element == LEAT_U32 || f->element == LEAT_F32 ? 4
                                                                     : 8;
    bool alike = f->element == g->element && f->array == g->array && f->text == g->text &&
                 f->count == g->count;
    uint64_t differ = 0;
    json_t *o, *name = json_text_n(f->name, f->name_len);
    for (uint64_t i = 0; alike && i < f->count; i++)
        differ += memcmp(f->payload + i * each, g->payload + i * each, each) != 0;
    if (f->array && !alike)
        o = json_pack("{s:o, s:o, s:I, s:I}", "section", json_text(section), "field", name,
                      "length_a", (json_int_t)f->count, "length_b", (json_int_t)g->count);
    else if (f->array)
        o = json_pack("{s:o, s:o, s:I, s:I}", "section", json_text(section), "field", name,
                      "elements", (json_int_t)f->count, "differ", (json_int_t)differ);
    else
        o = json_pack("{s:o, s:o, s:o, s:o}", "section", json_text(section), "field", name, "a",
                      value_of(f), "b", value_of(g));
    if (differ || !alike) json_array_append(to, o);
    json_decref(o);
}

static void compare_section(json_t *to, const struct snapshot_section *s,
                            const struct snapshot_section *t)
{
    struct state_reader a, b;
    bool whole = (state_reader_init(&a, s->bytes, s->n) == LEAT_OK) &
                 (state_reader_init(&b, t->bytes, t->n) == LEAT_OK);
    for (uint32_t i = 0; whole && i < a.n_fields; i++)
        for (uint32_t j = 0; j < b.n_fields; j++)
            if (a.field[i].name_len == b.field[j].name_len &&
                !memcmp(a.field[i].name, b.field[j].name, a.field[i].name_len))
                compare_fields(to, s->name, &a.field[i], &b.field[j]);
    state_reader_free(&a);
    state_reader_free(&b);
}

static json_t *states(const struct model *a, const struct model *b)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < a->from.n; i++) {
        const struct snapshot_section *s = &a->from.section[i];
        const struct snapshot_section *t = snapshot_find(&b->from, s->name);
        if (t && !strncmp(s->name, "stage/", 6)) compare_section(all, s, t);
    }
    return all;
}

/* ---- features ---- */

struct weight {
    const char *name;
    size_t len;
    double w;
};

static int by_name(const void *x, const void *y)
{
    const struct weight *a = x, *b = y;
    int by = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
    return by ? by : (a->len > b->len) - (a->len < b->len);
}

/* All weights that the learner tells, sorted by name. */
static int weights(struct model *m, struct node *n, struct weight **out, uint32_t *k)
{
    struct answer a;
    const struct leat_ask want = {.size = sizeof want, .kind = LEAT_QUERY_TOP, .k = ASKED};
    int status = model_restore_stage(m, n);
    if (status != LEAT_OK || !n->stage->learner->query) return status;
    status = answer_ask(&a, run_instance(&m->run, n, 0), &want, &m->arena);
    if (status != LEAT_OK) return model_fail(m, status, "%s", m->run.reason);
    uint32_t column = answer_column(&a, "weight");
    if (column == a.n_columns) return LEAT_OK;
    *out = arena_alloc(&m->arena, (a.n_rows + 1) * sizeof **out);
    *k = a.n_rows;
    for (uint32_t r = 0; r < a.n_rows; r++)
        (*out)[r] = (struct weight){a.name[r], a.len[r], a.values[r * a.n_columns + column]};
    qsort(*out, *k, sizeof **out, by_name);
    return LEAT_OK;
}

struct change {
    const char *stage;
    const struct weight *a, *b; /* NULL: not there */
    double by;
};

static int by_change(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    int less = (fabs(a->by) < fabs(b->by)) - (fabs(a->by) > fabs(b->by));
    return less ? less : by_name(a->a ? a->a : a->b, b->a ? b->a : b->b);
}

struct changes {
    struct change *v;
    uint32_t n;
};

static void add_change(struct changes *all, const char *stage, const struct weight *a,
                       const struct weight *b)
{
    double by = (b ? b->w : 0) - (a ? a->w : 0);
    if (by != 0) all->v[all->n++] = (struct change){stage, a, b, by};
}

/* The two sorted lists side by side. */
static int compare_learner(struct model *a, struct node *n, struct model *b, struct node *there,
                           struct changes *all)
{
    struct weight *in_a = NULL, *in_b = NULL;
    uint32_t n_a = 0, n_b = 0;
    int status = weights(a, n, &in_a, &n_a);
    if (status == LEAT_OK) status = weights(b, there, &in_b, &n_b);
    struct change *v = arena_alloc(&a->arena, (all->n + n_a + n_b + 1) * sizeof *v);
    if (all->n) memcpy(v, all->v, all->n * sizeof *v);
    all->v = v;
    for (uint32_t i = 0, j = 0; status == LEAT_OK && (i < n_a || j < n_b);) {
        int by = i == n_a ? 1 : j == n_b ? -1 : by_name(&in_a[i], &in_b[j]);
        add_change(all, n->id, by <= 0 ? &in_a[i] : NULL, by >= 0 ? &in_b[j] : NULL);
        i += by <= 0;
        j += by >= 0;
    }
    return status;
}

static json_t *weight_json(const struct weight *w)
{
    return w ? json_real_or_null(w->w) : json_null();
}

static int features(struct model *a, struct model *b, uint32_t k, json_t **out)
{
    struct changes all = {0};
    int status = LEAT_OK;
    for (uint32_t i = 0; i < a->graph.n_nodes && status == LEAT_OK; i++) {
        struct node *n = &a->graph.node[i], *there = graph_find(&b->graph, n->id);
        if (are_learners(n, there) && model_can_open(a, n) && model_can_open(b, there))
            status = compare_learner(a, n, b, there, &all);
    }
    *out = json_array();
    if (status != LEAT_OK) return status;
    if (all.n) qsort(all.v, all.n, sizeof *all.v, by_change);
    for (uint32_t i = 0; i < all.n && i < k; i++) {
        const struct weight *named = all.v[i].a ? all.v[i].a : all.v[i].b;
        json_array_append_new(*out, json_pack("{s:s, s:o, s:f, s:o, s:o}", "stage", all.v[i].stage,
                                              "feature", json_text_n(named->name, named->len),
                                              "change", all.v[i].by, "a", weight_json(all.v[i].a),
                                              "b", weight_json(all.v[i].b)));
    }
    return status;
}

/* ---- for people: what was learned, then how well, then how it is stored ---- */

static void put_pairs(const json_t *all, const char *title, const char *where, const char *what,
                      struct arena *a)
{
    size_t i;
    json_t *o;
    if (json_array_size(all)) printf("\n%s\n", title);
    json_array_foreach(all, i, o)
    {
        const char *place = json_string_value(json_object_get(o, where));
        printf("  %s%s%s: ", place ? place : "", place ? " " : "", model_of(o, a, what));
        if (json_object_get(o, "differ"))
            printf("%s of %s elements differ\n", model_of(o, a, "differ"),
                   model_of(o, a, "elements"));
        else if (json_object_get(o, "length_a"))
            printf("%s and %s elements\n", model_of(o, a, "length_a"), model_of(o, a, "length_b"));
        else
            printf("%s and %s\n", model_of(o, a, "a"), model_of(o, a, "b"));
    }
}

static void put_features(const json_t *all, struct arena *a)
{
    size_t i;
    json_t *o;
    if (json_array_size(all))
        printf("\nweights, largest change first\n  %10s  %10s  %10s  %-10s  feature\n", "change",
               "a", "b", "learner");
    json_array_foreach(all, i, o)
    {
        printf("  %10s  %10s  %10s  %-10s  ", model_of(o, a, "change"), model_of(o, a, "a"),
               model_of(o, a, "b"), model_of(o, a, "stage"));
        for (const char *s = json_string_value(json_object_get(o, "feature")); *s; s++)
            putchar((unsigned char)*s < ' ' || *s == 127 ? '?' : *s);
        putchar('\n');
    }
}

static void put_diff(const json_t *o, struct arena *a)
{
    static const char *const sides[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        const json_t *head = json_object_get(o, sides[i]);
        printf("%s  %s: %s, snapshot %s, made %s, %s records\n", sides[i],
               model_of(head, a, "file"), model_of(head, a, "pipeline"),
               model_of(head, a, "checkpoint"), model_made(head, a), model_of(head, a, "records"));
    }
    put_pairs(json_object_get(o, "parameters"), "parameters", "stage", "name", a);
    put_features(json_object_get(o, "features"), a);
    put_pairs(json_object_get(o, "figures"), "figures", "stage", "name", a);
    put_pairs(json_object_get(o, "state"), "fields of the states", "section", "field", a);
}

static int diff(struct model *a, struct model *b, const struct command_line *c)
{
    json_t *parameters = json_array(), *moved = NULL;
    fingerprint_differences(a->pipeline, b->pipeline, add_parameter, parameters);
    int status = features(a, b, c->k ? c->k : DEFAULT_K, &moved);
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "a", model_head(a), "b", model_head(b),
                          "parameters", parameters, "figures", figures(a, b), "state", states(a, b),
                          "features", moved);
    model_print(o, c, put_diff, &a->arena);
    return status;
}

int model_diff(const struct command_line *c, struct registry *known)
{
    struct model a, b;
    int status = model_open(&a, c->operand[0], c->memory, known), status_b;
    status_b =
        model_open(&b, c->operand[1], c->memory, known); /* reports its problems in any case */
    if (status == LEAT_OK) status = status_b;
    if (status == LEAT_OK) status = diff(&a, &b, c);
    model_close(&b);
    model_close(&a);
    return status;
}
