/* draw_answer.c -- what one learner has learned: its heaviest features, with bars. */
#include <math.h>
#include <string.h>

#include "draw.h"
#include "look.h"
#include "program/page/fields.h"
#include "core/report/text_out.h"

enum { NUMBER = 12, LEAST_NAME = 12 };

/* The answer of a snapshot is in its summary, that of a run was asked for. NULL: there is none. */
static const json_t *answer_of(const struct view *v, const char *learner)
{
    const json_t *all = field(v->status, "answers");
    if (!v->of_dir)
        return v->top && (field(v->top, "error") || !strcmp(field_text(v->top, "stage"), learner))
                   ? v->top
                   : NULL;
    for (size_t k = 0; k < json_array_size(all); k++)
        if (!strcmp(field_text(json_array_get(all, k), "learner"), learner))
            return json_array_get(all, k);
    return NULL;
}

/* The member that rows are shown by: the weight, or else the first number. */
static const char *value_key(const json_t *row)
{
    const char *key;
    json_t *v;
    if (json_is_number(field(row, "weight"))) return "weight";
    json_object_foreach((json_t *)row, key, v)
    {
        if (json_is_number(v)) return key;
    }
    return "weight";
}

/* As the terminal shows them elsewhere: a NUL does not end it. */
static const char *whole_text(struct frame *f, const json_t *row, const char *key)
{
    const json_t *v = field(row, key);
    size_t n = json_is_string(v) ? json_string_length(v) : 0;
    char *text = arena_strndup(&f->arena, n ? json_string_value(v) : "", n);
    for (size_t i = 0; i < n; i++)
        if (!text[i]) text[i] = '?';
    return text;
}

static const char *row_name(struct frame *f, const json_t *row)
{
    const char *name = whole_text(f, row, "feature"), *also = whole_text(f, row, "also");
    return *also ? arena_printf(&f->arena, "%s; %s", name, also) : name;
}

struct bars {
    const char *key;
    size_t name, bar; /* columns */
    double most;
    bool whole;   /* all values are */
    int decimals; /* of all values, so that their points stand below each other; -1: too many */
};

/* Four digits of the largest. */
static int decimals_of(double most)
{
    int decimals = 3;
    if (most < 1e-3 || most >= 1e6) return -1;
    for (; most < 1; most *= 10)
        decimals++;
    for (; most >= 10 && decimals; most /= 10)
        decimals--;
    return decimals;
}

static const char *value_text(struct frame *f, const struct bars *b, double x)
{
    if (b->whole) return draw_count(f, x);
    if (b->decimals < 0 || !isfinite(x)) return draw_figure(f, x);
    return arena_printf(&f->arena, "%.*f", b->decimals, x);
}

static struct bars measure(struct frame *f, const json_t *rows, size_t n)
{
    struct bars b = {value_key(json_array_get(rows, 0)), LEAST_NAME, 0, 0, true, 0};
    for (size_t k = 0; k < n; k++) {
        const json_t *row = json_array_get(rows, k);
        const char *name = row_name(f, row);
        size_t width = text_width(name, strlen(name));
        if (width > b.name) b.name = width;
        double x = fabs(field_number(row, b.key));
        if (isfinite(x) && x > b.most) b.most = x;
        b.whole &= json_is_integer(field(row, b.key)) && json_integer_value(field(row, b.key)) >= 0;
    }
    size_t room = f->columns > NUMBER + 3 ? f->columns - NUMBER - 3 : 0, least = room / 4;
    if (b.name > room - least) b.name = room - least;
    b.bar = room - b.name < 60 ? room - b.name : 60;
    b.decimals = decimals_of(b.most);
    return b;
}

static void put_row(struct frame *f, const struct bars *b, const json_t *row)
{
    double x = field_number(row, b->key);
    enum frame_style style = x < 0 ? FRAME_NEGATIVE : FRAME_POSITIVE;
    frame_to(f, 2);
    frame_name(f, FRAME_PLAIN, row_name(f, row), b->name);
    frame_right(f, style, 2 + b->name + NUMBER, value_text(f, b, x));
    frame_put(f, FRAME_PLAIN, " ");
    if (b->most > 0) frame_bar(f, style, fabs(x) / b->most * (double)b->bar, b->bar);
    frame_line(f);
}

/* A run is asked for the heaviest features; a snapshot's answer is in the order of its sink. */
static void put_heading(struct frame *f, const struct view *v, const char *learner,
                        const json_t *answer, const char *key)
{
    const char *what = v->of_dir ? "first rows" : "heaviest features";
    char name[64];
    snprintf(name, sizeof name, "%s", key);
    for (char *s = name; *s; s++)
        if (*s == '_') *s = ' ';
    frame_to(f, 2);
    frame_put(f, FRAME_HEADING, "%s", learner);
    double examples = field_number(answer, "examples");
    if (isfinite(examples))
        frame_put(f, FRAME_FAINT, "  %s of its %s after %s examples", name, what,
                  draw_count(f, examples));
    frame_line(f);
}

void draw_answer(struct frame *f, const struct view *v, size_t rows)
{
    size_t chosen = look_learner_index(v->status, v->learner);
    const char *learner = field_text(look_learner(v->status, chosen), "id");
    if (!*learner || !rows) return;
    const json_t *answer = answer_of(v, learner), *all = field(answer, "rows");
    size_t n = json_array_size(all);
    if (n > rows) n = rows;
    struct bars b = measure(f, all, n);
    frame_line(f);
    put_heading(f, v, learner, answer, b.key);
    const char *none = !answer                  ? (v->of_dir ? "gave no answer" : "is being asked")
                       : field(answer, "error") ? field_text(answer, "error")
                                                : "has learned nothing yet";
    if (!n) {
        frame_put(f, FRAME_FAINT, "  %s", none);
        frame_line(f);
    }
    for (size_t k = 0; k < n; k++)
        put_row(f, &b, json_array_get(all, k));
}
