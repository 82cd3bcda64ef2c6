/* model_states.c -- the states of two snapshots: equal, rounded, turned or changed. */
#include "model_states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "host/log/json_text.h"
#include "host/memory/memory.h"
#include "host/store/state_codec.h"

enum states_by { STATES_EQUAL, STATES_ROUNDED, STATES_TURNED, STATES_CHANGED };
static const char *const states_words[] = {"equal", "rounding", "turned", "changed"};

enum { STATES_TRIALS = 2 }; /* vectors of random coefficients */
/* Rows shorter than this share of the longest are rounding errors of a product of lengths. */
static const double STATES_SHORT = 1e-7;

/* A field of both states. */
struct states_field {
    const struct stored_field *a, *b;
    uint64_t differ; /* elements with different bits */
    enum states_by by;
    double largest;
    uint64_t rows, columns; /* rows: 0 if the field is no matrix */
};

/* ---- numbers ---- */

static bool states_is_float(const struct stored_field *f)
{
    return f->element == LEAT_F64 || f->element == LEAT_F32;
}

static double states_at(const struct stored_field *f, uint64_t i)
{
    float single;
    double d;
    if (f->element == LEAT_F32) {
        memcpy(&single, f->payload + i * sizeof single, sizeof single);
        return (double)single;
    }
    memcpy(&d, f->payload + i * sizeof d, sizeof d);
    return d;
}

static double states_tolerance(const struct stored_field *f)
{
    return f->element == LEAT_F32 ? STATES_ROUNDING_F32 : STATES_ROUNDING;
}

static bool states_is_whole(double x) { return x == trunc(x) && fabs(x) < 0x1p53; }

/* Returns the distance of two numbers. It is infinite if rounding cannot explain it. */
static double states_gap(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b))) return 0;
    bool whole = states_is_whole(a) && states_is_whole(b);
    return whole || !isfinite(a - b) ? (double)INFINITY : fabs(a - b);
}

bool states_rounded(double a, double b, double scale, bool single)
{
    return states_gap(a, b) <= (single ? STATES_ROUNDING_F32 : STATES_ROUNDING) * scale;
}

/* Returns the largest gap of the numbers first, first + step, …, divided by their largest. */
static double states_largest(const struct states_field *f, uint64_t first, uint64_t step)
{
    double gap = 0, scale = 0;
    for (uint64_t i = first; i < f->a->count; i += step) {
        double a = states_at(f->a, i), b = states_at(f->b, i);
        gap = fmax(gap, states_gap(a, b));
        scale = fmax(scale, fmax(fabs(a), fabs(b)));
    }
    return gap > 0 && isfinite(gap) ? gap / scale : gap;
}

/* ---- matrices ---- */

struct states_row {
    uint64_t key, row;
    double length; /* the longer of both; 0: too short to compare */
};

struct states_matrix {
    const struct states_field *f;
    bool *turned; /* of each column: true if it differs by more than rounding */
    struct states_row *row;
};

static double states_cell(const struct states_matrix *m, int side, uint64_t row, uint64_t column)
{
    return states_at(side ? m->f->b : m->f->a, row * m->f->columns + column);
}

static double states_row_length(const struct states_matrix *m, int side, uint64_t row)
{
    double sum = 0;
    for (uint64_t c = 0; c < m->f->columns; c++)
        if (m->turned[c]) sum += states_cell(m, side, row, c) * states_cell(m, side, row, c);
    return sqrt(sum);
}

static bool states_column_is_whole(const struct states_matrix *m, uint64_t c)
{
    bool whole = !m->turned[c];
    for (uint64_t r = 0; r < m->f->rows && whole; r++)
        whole = states_is_whole(states_cell(m, 0, r, c));
    return whole;
}

static int states_by_key(const void *x, const void *y)
{
    const struct states_row *a = x, *b = y;
    int by = (a->key > b->key) - (a->key < b->key);
    return by ? by : (a->row > b->row) - (a->row < b->row);
}

/* Sorts the rows into groups with equal numbers in all columns of whole numbers. */
static void states_group(struct states_matrix *m)
{
    double longest = 0;
    for (uint64_t r = 0; r < m->f->rows; r++) {
        double length = fmax(states_row_length(m, 0, r), states_row_length(m, 1, r));
        m->row[r] = (struct states_row){0, r, length};
        longest = fmax(longest, length);
    }
    for (uint64_t c = 0; c < m->f->columns; c++) {
        if (!states_column_is_whole(m, c)) continue;
        for (uint64_t r = 0; r < m->f->rows; r++)
            m->row[r].key = mix64(m->row[r].key ^ (uint64_t)(int64_t)states_cell(m, 0, r, c));
    }
    for (uint64_t r = 0; r < m->f->rows; r++)
        if (m->row[r].length < STATES_SHORT * longest) m->row[r].length = 0;
    qsort(m->row, m->f->rows, sizeof *m->row, states_by_key);
}

/* Sets sum to the sum of a group's rows [from, to), each divided by its length and multiplied by a
 * random coefficient. Returns the length of the sum. */
static double states_sum(const struct states_matrix *m, int side, uint64_t from, uint64_t to,
                         uint64_t random, double *sum)
{
    double square = 0;
    memset(sum, 0, m->f->columns * sizeof *sum);
    for (uint64_t i = from; i < to; i++) {
        double times = (double)(int64_t)mix64_next(&random) * 0x1p-63;
        for (uint64_t c = 0; c < m->f->columns && m->row[i].length != 0; c++)
            if (m->turned[c])
                sum[c] += times / m->row[i].length * states_cell(m, side, m->row[i].row, c);
    }
    for (uint64_t c = 0; c < m->f->columns; c++)
        square += sum[c] * sum[c];
    return sqrt(square);
}

/* Returns the largest relative difference of the products of m's rows [from, to) with the sums,
 * whose lengths are at most `length`. */
static double states_products_gap(const struct states_matrix *m, uint64_t from, uint64_t to,
                                  double *const sum[2], double length)
{
    double largest = 0;
    for (uint64_t i = from; i < to; i++) {
        double gap = 0;
        if (m->row[i].length == 0) continue; /* a short row */
        for (uint64_t c = 0; c < m->f->columns; c++)
            if (m->turned[c])
                gap += states_cell(m, 0, m->row[i].row, c) * sum[0][c] -
                       states_cell(m, 1, m->row[i].row, c) * sum[1][c];
        gap = fabs(gap) / (m->row[i].length * length);
        largest = fmax(largest, isnan(gap) ? (double)INFINITY : gap);
    }
    return largest;
}

/* Compares the products of m's rows [from, to) with the rows [with_from, with_to) of `with`. */
static double states_rows_gap(const struct states_matrix *m, uint64_t from, uint64_t to,
                              const struct states_matrix *with, uint64_t with_from,
                              uint64_t with_to)
{
    double *sum[2], largest = 0;
    for (int side = 0; side < 2; side++)
        sum[side] = memory_take((m->f->columns + 1) * sizeof **sum);
    for (uint64_t trial = 0; trial < STATES_TRIALS; trial++) {
        double a = states_sum(with, 0, with_from, with_to, trial, sum[0]);
        double b = states_sum(with, 1, with_from, with_to, trial, sum[1]);
        if (a == 0 && b == 0) continue;
        largest = fmax(largest, states_products_gap(m, from, to, sum, fmax(a, b)));
    }
    free(sum[0]);
    free(sum[1]);
    return largest;
}

static struct states_matrix states_matrix_of(const struct states_field *f)
{
    struct states_matrix m = {f, memory_take(f->columns), memory_take(f->rows * sizeof *m.row)};
    memset(m.turned, true, f->columns);
    return m;
}

static void states_matrix_free(struct states_matrix *m)
{
    free(m->turned);
    free(m->row);
}

/* Returns the largest relative difference of a matrix: of its columns, or of the products of its
 * rows. Sets f->by to what the differences are if they are small enough. */
static double states_matrix_gap(struct states_field *f)
{
    struct states_matrix m = states_matrix_of(f);
    double largest = 0;
    f->by = STATES_ROUNDED;
    for (uint64_t c = 0; c < f->columns; c++) {
        double gap = states_largest(f, c, f->columns);
        m.turned[c] = !(gap <= states_tolerance(f->a));
        if (m.turned[c])
            f->by = STATES_TURNED;
        else
            largest = fmax(largest, gap);
    }
    if (f->by == STATES_TURNED) states_group(&m);
    for (uint64_t from = 0, to; f->by == STATES_TURNED && from < f->rows; from = to) {
        for (to = from + 1; to < f->rows && m.row[to].key == m.row[from].key;)
            to++;
        largest = fmax(largest, states_rows_gap(&m, from, to, &m, from, to));
    }
    states_matrix_free(&m);
    return largest;
}

/* Returns the largest relative difference of the products of two matrices' rows. */
static double states_product_gap(const struct states_field *left, const struct states_field *right)
{
    struct states_matrix l = states_matrix_of(left), r = states_matrix_of(right);
    states_group(&l);
    states_group(&r);
    double gap = states_rows_gap(&l, 0, left->rows, &r, 0, right->rows);
    states_matrix_free(&r);
    states_matrix_free(&l);
    return gap;
}

/* ---- fields ---- */

static void states_settle(struct states_field *f, double largest, enum states_by by)
{
    bool small = largest <= states_tolerance(f->a);
    f->by = small ? by : STATES_CHANGED;
    f->largest = small ? largest : 0;
}

static uint64_t states_differ(const struct stored_field *a, const struct stored_field *b)
{
    size_t each = a->element == LEAT_U8                              ? 1
                  : a->element == LEAT_U32 || a->element == LEAT_F32 ? 4
                                                                     : 8;
    uint64_t differ = 0;
    for (uint64_t i = 0; i < a->count; i++)
        differ += memcmp(a->payload + i * each, b->payload + i * each, each) != 0;
    return differ;
}

static bool states_alike(const struct stored_field *a, const struct stored_field *b)
{
    return a->element == b->element && a->array == b->array && a->text == b->text &&
           a->count == b->count;
}

/* Makes f a matrix if the field before it, `names`, names its rows. */
static void states_find_rows(struct states_field *f, const struct states_field *names)
{
    const struct stored_field *n = names->a;
    bool whole = n->array && (n->element == LEAT_U32 || n->element == LEAT_U64);
    if (!whole || names->by != STATES_EQUAL || !n->count || f->a->count % n->count ||
        f->a->count / n->count < 2)
        return;
    f->rows = n->count;
    f->columns = f->a->count / n->count;
}

static void states_judge(struct states_field *f, const struct states_field *before)
{
    f->by = STATES_CHANGED;
    if (!states_alike(f->a, f->b)) return;
    f->differ = states_differ(f->a, f->b);
    if (!f->differ) f->by = STATES_EQUAL;
    if (f->a->array && states_is_float(f->a) && before) states_find_rows(f, before);
    if (!f->differ || !states_is_float(f->a)) return;
    if (f->rows) {
        double largest = states_matrix_gap(f);
        states_settle(f, largest, f->by);
    } else {
        states_settle(f, states_largest(f, 0, 1), STATES_ROUNDED);
    }
}

/* ---- a state ---- */

struct states_pair {
    struct state_reader a, b;
    struct states_field *field;
    uint32_t n;
    enum states_by by;
    double largest;
};

static bool states_named(const struct stored_field *f, const char *name, size_t len)
{
    return f->name_len == len && !memcmp(f->name, name, len);
}

static struct states_field *states_find(const struct states_pair *p, const char *name, size_t len)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (states_named(p->field[i].a, name, len)) return &p->field[i];
    return NULL;
}

/* Pairs the fields of the same name, in the order of a. */
static void states_pair_fields(struct states_pair *p)
{
    p->field = memory_take((p->a.n_fields + 1) * sizeof *p->field);
    for (uint32_t i = 0; i < p->a.n_fields; i++)
        for (uint32_t j = 0; j < p->b.n_fields; j++)
            if (states_named(&p->a.field[i], p->b.field[j].name, p->b.field[j].name_len))
                p->field[p->n++] = (struct states_field){.a = &p->a.field[i], .b = &p->b.field[j]};
}

/* Compares the products of the matrices left.NAME and right.NAME. */
static void states_judge_products(struct states_pair *p)
{
    static const char left[] = "left.", right[] = "right.";
    for (uint32_t i = 0; i < p->n; i++) {
        struct states_field *l = &p->field[i], *r;
        char name[STATE_MAX_NAME + sizeof right];
        if (l->a->name_len < sizeof left || memcmp(l->a->name, left, sizeof left - 1)) continue;
        int n = snprintf(name, sizeof name, "%s%.*s", right,
                         (int)(l->a->name_len - (sizeof left - 1)), l->a->name + sizeof left - 1);
        r = states_find(p, name, (size_t)n);
        if (!r || !l->rows || !r->rows || l->columns != r->columns) continue;
        if (l->by != STATES_TURNED && r->by != STATES_TURNED) continue;
        double gap = states_product_gap(l, r);
        for (int side = 0; side < 2; side++)
            if (gap > states_tolerance(l->a)) (side ? r : l)->by = STATES_CHANGED;
    }
}

/* True if the numbers may be those of directions. Counts may not: if all numbers are whole, or
 * whole numbers differ too little for a turn. */
static bool states_may_turn(const struct states_field *f)
{
    double scale = 0;
    bool fraction = false, small = false;
    for (uint64_t i = 0; i < f->a->count; i++)
        scale = fmax(scale, fabs(states_at(f->a, i)));
    for (uint64_t i = 0; i < f->a->count; i++) {
        double a = states_at(f->a, i), b = states_at(f->b, i);
        fraction |= !states_is_whole(a);
        small |= states_gap(a, b) > fabs(a - b) && fabs(a - b) <= states_tolerance(f->a) * scale;
    }
    return fraction && !small;
}

static double states_length_gap(const struct states_field *f)
{
    double square[2] = {0, 0};
    for (uint64_t i = 0; i < f->a->count; i++) {
        double a = states_at(f->a, i), b = states_at(f->b, i);
        square[0] += a * a;
        square[1] += b * b;
    }
    double a = sqrt(square[0]), b = sqrt(square[1]);
    return a == b ? 0 : fabs(a - b) / fmax(a, b);
}

/* True if the state has matrices, and none has changed. */
static bool states_keeps_matrices(const struct states_pair *p)
{
    bool has = false, keeps = true;
    for (uint32_t i = 0; i < p->n; i++) {
        has |= p->field[i].rows > 0;
        keeps &= !p->field[i].rows || p->field[i].by != STATES_CHANGED;
    }
    return has && keeps;
}

/* Judges arrays that are no matrices, such as maps. */
static void states_judge_lengths(struct states_pair *p)
{
    bool keeps = states_keeps_matrices(p);
    for (uint32_t i = 0; i < p->n && keeps; i++) {
        struct states_field *f = &p->field[i];
        if (f->by == STATES_CHANGED && f->differ && f->a->array && !f->rows &&
            states_is_float(f->a) && states_may_turn(f))
            states_settle(f, states_length_gap(f), STATES_TURNED);
    }
}

static void states_judge_all(struct states_pair *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        states_judge(&p->field[i], i ? &p->field[i - 1] : NULL);
    states_judge_products(p);
    states_judge_lengths(p);
    p->by = p->n == p->a.n_fields && p->n == p->b.n_fields ? STATES_EQUAL : STATES_CHANGED;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->field[i].by > p->by) p->by = p->field[i].by;
        p->largest = fmax(p->largest, p->field[i].largest);
    }
}

/* ---- as JSON ---- */

/* Returns the value of a field that is not an array. */
static json_t *states_value_of(const struct stored_field *f)
{
    uint64_t u;
    if (f->text) return json_text_n(f->payload, (size_t)f->count);
    if (f->element == LEAT_F64) return json_real_or_null(states_at(f, 0));
    memcpy(&u, f->payload, sizeof u);
    if (f->element == LEAT_I64) return json_integer((json_int_t)u);
    return u <= INT64_MAX ? json_integer((json_int_t)u)
                          : json_sprintf("%llu", (unsigned long long)u);
}

static void states_add_field(json_t *to, const char *section, const struct states_field *f)
{
    json_t *o = json_pack("{s:o, s:o, s:s}", "section", json_text(section), "field",
                          json_text_n(f->a->name, f->a->name_len), "by", states_words[f->by]);
    if (f->a->array && !states_alike(f->a, f->b)) {
        json_object_set_new(o, "length_a", json_integer((json_int_t)f->a->count));
        json_object_set_new(o, "length_b", json_integer((json_int_t)f->b->count));
    } else if (f->a->array) {
        json_object_set_new(o, "elements", json_integer((json_int_t)f->a->count));
        json_object_set_new(o, "differ", json_integer((json_int_t)f->differ));
    } else {
        json_object_set_new(o, "a", states_value_of(f->a));
        json_object_set_new(o, "b", states_value_of(f->b));
    }
    if (f->by != STATES_CHANGED) json_object_set_new(o, "largest", json_real(f->largest));
    json_array_append_new(to, o);
}

static void states_compare_sections(json_t *states, json_t *fields,
                                    const struct snapshot_section *s,
                                    const struct snapshot_section *t)
{
    struct states_pair p = {.n = 0};
    bool whole = state_reader_init(&p.a, s->bytes, s->n) == LEAT_OK;
    whole &= state_reader_init(&p.b, t->bytes, t->n) == LEAT_OK;
    if (whole) {
        states_pair_fields(&p);
        states_judge_all(&p);
        json_t *o =
            json_pack("{s:o, s:s}", "section", json_text(s->name), "verdict", states_words[p.by]);
        if (p.by == STATES_ROUNDED || p.by == STATES_TURNED)
            json_object_set_new(o, "largest", json_real(p.largest));
        json_array_append_new(states, o);
        for (uint32_t i = 0; i < p.n; i++)
            if (p.field[i].by != STATES_EQUAL) states_add_field(fields, s->name, &p.field[i]);
    }
    free(p.field);
    state_reader_free(&p.a);
    state_reader_free(&p.b);
}

json_t *states_compare(const struct model *a, const struct model *b, json_t *fields)
{
    json_t *states = json_array();
    for (uint32_t i = 0; i < a->from.n; i++) {
        const struct snapshot_section *s = &a->from.section[i];
        const struct snapshot_section *t = snapshot_find(&b->from, s->name);
        if (t && !strncmp(s->name, "stage/", 6)) states_compare_sections(states, fields, s, t);
    }
    return states;
}

void states_mark_changed(json_t *states, const char *id)
{
    size_t i, n = strlen(id);
    json_t *o;
    json_array_foreach(states, i, o)
    {
        const char *of = json_string_value(json_object_get(o, "section")) + strlen("stage/");
        if (strncmp(of, id, n) || of[n] != '/') continue;
        json_object_set_new(o, "verdict", json_string(states_words[STATES_CHANGED]));
        json_object_del(o, "largest");
    }
}
