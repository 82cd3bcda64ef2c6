/* state_fields.c -- implementation of state_fields.h: states as tables of their fields.
 *
 * A number of any type is stored both as a whole number and as a double. For a signed number, the
 * whole number has the same bits.
 */
#include "state_fields.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const state_false_true[] = {"false", "true", NULL};

/* ---- members ---- */

struct state_fields_type {
    size_t size;
    double min, max;
};

static struct state_fields_type state_fields_type_of(uint32_t element)
{
    static const struct state_fields_type types[] = {
        [LEAT_U8] = {1, 0, UINT8_MAX},       [LEAT_U32] = {4, 0, UINT32_MAX},
        [LEAT_U64] = {8, 0, 0x1p64},         [LEAT_F32] = {4, -(double)FLT_MAX, (double)FLT_MAX},
        [LEAT_F64] = {8, -DBL_MAX, DBL_MAX}, [LEAT_I64] = {8, -0x1p63, 0x1p63},
    };
    assert(element >= LEAT_U8 && element <= LEAT_I64);
    return types[element];
}

static bool state_fields_is_real(uint32_t type) { return type == LEAT_F32 || type == LEAT_F64; }

struct state_fields_number {
    uint64_t whole;
    double real;
};

static struct state_fields_number state_fields_whole_number(uint64_t v)
{
    return (struct state_fields_number){v, (double)v};
}

static struct state_fields_number state_fields_signed_number(int64_t v)
{
    return (struct state_fields_number){(uint64_t)v, (double)v};
}

static struct state_fields_number state_fields_get_number(const void *v, uint32_t type, uint64_t i)
{
    switch (type) {
    case LEAT_U8:
        return state_fields_whole_number(((const uint8_t *)v)[i]);
    case LEAT_U32:
        return state_fields_whole_number(((const uint32_t *)v)[i]);
    case LEAT_U64:
        return state_fields_whole_number(((const uint64_t *)v)[i]);
    case LEAT_I64:
        return state_fields_signed_number(((const int64_t *)v)[i]);
    case LEAT_F32:
        return (struct state_fields_number){0, (double)((const float *)v)[i]};
    default:
        return (struct state_fields_number){0, ((const double *)v)[i]};
    }
}

static void state_fields_set_number(void *v, uint32_t type, struct state_fields_number x)
{
    switch (type) {
    case LEAT_U8:
        *(uint8_t *)v = (uint8_t)x.whole;
        break;
    case LEAT_U32:
        *(uint32_t *)v = (uint32_t)x.whole;
        break;
    case LEAT_U64:
    case LEAT_I64:
        *(uint64_t *)v = x.whole;
        break;
    case LEAT_F32:
        *(float *)v = (float)x.real;
        break;
    default:
        *(double *)v = x.real;
        break;
    }
}

static struct state_fields_number state_fields_number_at(const void *state, struct state_member m)
{
    return state_fields_get_number((const char *)state + m.offset, m.type, 0);
}

static bool state_fields_is_array(const struct state_field *f) { return f->role >= STATE_INSIDE; }

/* Returns the address of an array. If the member is a pointer, copies the pointer's bytes, because
 * the type that it points to is not known. */
static void *state_fields_elements_at(const struct state_field *f, const void *state)
{
    char *member = (char *)(uintptr_t)state + f->at.offset;
    void *p;
    assert(state_fields_is_array(f));
    if (f->role == STATE_INSIDE) return member;
    memcpy(&p, member, sizeof p);
    return p;
}

static bool state_fields_is_there(const struct state_field *f, const void *state)
{
    return !state_fields_is_array(f) || !f->optional || state_fields_elements_at(f, state);
}

/* Returns the number of elements of an array. On overflow returns UINT64_MAX, a number that no
 * array has. */
static uint64_t state_fields_count_of(const struct state_field *f, const void *state)
{
    uint64_t n = f->each ? f->each : 1;
    for (int i = 0; i < 2 && f->count[i].type; i++)
        if (__builtin_mul_overflow(n, state_fields_number_at(state, f->count[i]).whole, &n))
            return UINT64_MAX;
    return n;
}

/* ---- ranges ---- */

struct state_fields_range {
    double min, max;
    bool whole_type; /* the field sets no bounds, so the range is that of its type */
};

static uint64_t state_fields_n_choices(const char *const *choices)
{
    uint64_t n = 0;
    while (choices[n])
        n++;
    return n;
}

static struct state_fields_range state_fields_range_of(const struct state_field *f,
                                                       const void *state)
{
    struct state_fields_type t = state_fields_type_of(f->at.type);
    if (f->limit.type && !f->sets_count)
        return (struct state_fields_range){f->min, state_fields_number_at(state, f->limit).real,
                                           false};
    if (f->choices)
        return (struct state_fields_range){0, (double)state_fields_n_choices(f->choices) - 1,
                                           false};
    if (f->min == 0 && f->max == 0) return (struct state_fields_range){t.min, t.max, true};
    return (struct state_fields_range){fmax(f->min, t.min), fmin(f->max, t.max), false};
}

static void state_fields_print_number(char text[32], uint32_t type, struct state_fields_number x)
{
    if (state_fields_is_real(type))
        snprintf(text, 32, "%g", x.real);
    else if (type == LEAT_I64)
        snprintf(text, 32, "%" PRId64, (int64_t)x.whole);
    else
        snprintf(text, 32, "%" PRIu64, x.whole);
}

/* Refuses a number that is out of range. what: name of the field, or of an element of it. */
static int state_fields_refuse_number(struct leat_reader *r, const struct state_field *f,
                                      const char *what, struct state_fields_number x,
                                      struct state_fields_range range)
{
    char text[32];
    state_fields_print_number(text, f->at.type, x);
    if (range.whole_type && state_fields_is_real(f->at.type))
        return r->refuse(r, "%s is %s; it must be a finite number", what, text);
    return r->refuse(r, "%s is %s; it must be %.10g to %.10g%s%s%s", what, text, range.min,
                     range.max, f->hint ? " (" : "", f->hint ? f->hint : "", f->hint ? ")" : "");
}

/* Returns the index of the first of n elements that is out of range; n if all are in range. NaN is
 * always out of range. */
static uint64_t state_fields_find_outside(const void *v, uint32_t type, uint64_t n,
                                          struct state_fields_range range)
{
#define FIND(T)                                                                                    \
    for (uint64_t i = 0; i < n; i++) {                                                             \
        double x = (double)((const T *)v)[i];                                                      \
        if (!(x >= range.min && x <= range.max)) return i;                                         \
    }                                                                                              \
    return n
    if (range.whole_type && !state_fields_is_real(type)) return n;
    switch (type) {
    case LEAT_U8:
        FIND(uint8_t);
    case LEAT_U32:
        FIND(uint32_t);
    case LEAT_U64:
        FIND(uint64_t);
    case LEAT_I64:
        FIND(int64_t);
    case LEAT_F32:
        FIND(float);
    default:
        FIND(double);
    }
#undef FIND
}

/* ---- writing ---- */

static int state_fields_write_field(struct leat_writer *w, const struct state_field *f,
                                    const void *state)
{
    if (state_fields_is_array(f)) {
        void *v = state_fields_elements_at(f, state);
        uint64_t n = state_fields_count_of(f, state);
        if (f->turn) f->turn(v, n);
        int status = w->array(w, f->name, f->at.type, v, n);
        if (f->turn) f->turn(v, n);
        return status;
    }
    struct state_fields_number x = state_fields_number_at(state, f->at);
    if (f->at.type == LEAT_I64) return w->i64(w, f->name, (int64_t)x.whole);
    return state_fields_is_real(f->at.type) ? w->f64(w, f->name, x.real)
                                            : w->u64(w, f->name, x.whole);
}

int state_write(struct leat_writer *w, const struct state_field *field, size_t n, const void *state)
{
    int status = LEAT_OK;
    for (size_t i = 0; i < n && status == LEAT_OK; i++)
        if (state_fields_is_there(&field[i], state))
            status = state_fields_write_field(w, &field[i], state);
    return status;
}

/* ---- reading ---- */

static int state_fields_same_choice(struct leat_reader *r, const char *name,
                                    const char *const *choices, uint64_t here)
{
    uint64_t there;
    if (r->u64(r, name, &there) != LEAT_OK) return LEAT_EDATA;
    if (there == here) return LEAT_OK;
    return r->refuse(r, "%s is %s in the saved state and %s here", name,
                     there < state_fields_n_choices(choices) ? choices[there] : "something unknown",
                     choices[here]);
}

static int state_fields_same_number(struct leat_reader *r, const struct state_field *f,
                                    const void *state)
{
    struct state_fields_number here = state_fields_number_at(state, f->at);
    if (f->choices) return state_fields_same_choice(r, f->name, f->choices, here.whole);
    if (f->at.type == LEAT_I64) return r->same_i64(r, f->name, (int64_t)here.whole);
    return state_fields_is_real(f->at.type) ? r->same_f64(r, f->name, here.real)
                                            : r->same_u64(r, f->name, here.whole);
}

static int state_fields_read_number(struct leat_reader *r, const struct state_field *f,
                                    struct state_fields_number *x)
{
    int64_t v = 0;
    int status;
    if (state_fields_is_real(f->at.type)) return r->f64(r, f->name, &x->real);
    if (f->at.type == LEAT_I64) {
        status = r->i64(r, f->name, &v);
        *x = state_fields_signed_number(v);
    } else {
        status = r->u64(r, f->name, &x->whole);
        *x = state_fields_whole_number(x->whole);
    }
    return status;
}

static int state_fields_read_value(struct leat_reader *r, const struct state_field *f, void *state)
{
    struct state_fields_number x = {0};
    struct state_fields_range range = state_fields_range_of(f, state);
    int status = state_fields_read_number(r, f, &x);
    if (status != LEAT_OK) return status;
    if (!(x.real >= range.min && x.real <= range.max))
        return state_fields_refuse_number(r, f, f->name, x, range);
    state_fields_set_number((char *)state + f->at.offset, f->at.type, x);
    return LEAT_OK;
}

static int state_fields_check_elements(struct leat_reader *r, const struct state_field *f,
                                       uint64_t n, struct state_fields_range range, const void *v)
{
    char what[96];
    uint64_t i = state_fields_find_outside(v, f->at.type, n, range);
    if (i == n) return LEAT_OK;
    snprintf(what, sizeof what, "%s[%" PRIu64 "]", f->name, i);
    return state_fields_refuse_number(r, f, what, state_fields_get_number(v, f->at.type, i), range);
}

/* Reads an array with sets_count: any length up to its limit. Sets the count to the length. */
static int state_fields_read_counting(struct leat_reader *r, const struct state_field *f,
                                      void *state, const void **v)
{
    uint64_t n = 0, max = state_fields_number_at(state, f->limit).whole;
    assert(f->count[0].type && !f->count[1].type && f->each <= 1);
    if (r->array_up_to(r, f->name, f->at.type, UINT64_MAX, v, &n) != LEAT_OK) return LEAT_EDATA;
    if (n > max)
        return r->refuse(r, "%s has %" PRIu64 " elements; there must be 0 to %" PRIu64 "%s%s%s",
                         f->name, n, max, f->hint ? " (" : "", f->hint ? f->hint : "",
                         f->hint ? ")" : "");
    state_fields_set_number((char *)state + f->count[0].offset, f->count[0].type,
                            state_fields_whole_number(n));
    return LEAT_OK;
}

static int state_fields_read_array(struct leat_reader *r, const struct state_field *f, void *state)
{
    const void *v = NULL;
    int status = f->sets_count
                     ? state_fields_read_counting(r, f, state, &v)
                     : r->array(r, f->name, f->at.type, state_fields_count_of(f, state), &v);
    uint64_t n = state_fields_count_of(f, state);
    if (status != LEAT_OK ||
        state_fields_check_elements(r, f, n, state_fields_range_of(f, state), v) != LEAT_OK)
        return LEAT_EDATA;
    if (f->role == STATE_LENT)
        memcpy((char *)state + f->at.offset, &v, sizeof v);
    else if (n)
        memcpy(state_fields_elements_at(f, state), v, n * state_fields_type_of(f->at.type).size);
    return LEAT_OK;
}

static int state_fields_read_field(struct leat_reader *r, const struct state_field *f, void *state)
{
    if (state_fields_is_array(f)) return state_fields_read_array(r, f, state);
    return f->role == STATE_SAME ? state_fields_same_number(r, f, state)
                                 : state_fields_read_value(r, f, state);
}

int state_read(struct leat_reader *r, const struct state_field *field, size_t n, void *state)
{
    int status = LEAT_OK;
    for (size_t i = 0; i < n && status == LEAT_OK; i++)
        if (state_fields_is_there(&field[i], state))
            status = state_fields_read_field(r, &field[i], state);
    return status;
}

/* ---- checks of every restore and merge ---- */

int state_check_version(struct leat_reader *r, uint32_t there, uint32_t here)
{
    if (there == here) return LEAT_OK;
    return r->refuse(r, "the saved state has version %u, but this stage reads version %u", there,
                     here);
}

int state_check_weight(struct leat_reader *r, double weight)
{
    if (weight >= 0 && weight <= STATE_MAX_WEIGHT) return LEAT_OK;
    return r->refuse(r, "merge weight %g is out of range; it must be 0 to %g", weight,
                     STATE_MAX_WEIGHT);
}
