/* draw_learners.c -- the table of learners: their losses before learning, and how those went. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "draw.h"
#include "look.h"
#include "program/page/fields.h"
#include "core/report/text_out.h"

enum { MARK = 2, LEAST_NAME = 10, CURVE = 24 };

static const struct {
    const char *key, *name;
} losses[] = {{"log_loss", "log loss"}, {"rmse", "RMSE"}, {"error_rate", "error rate"}};
enum { N_LOSSES = sizeof losses / sizeof *losses };

/* N_LOSSES: it has none. */
static size_t loss_of(const json_t *metrics)
{
    size_t k = 0;
    while (k < N_LOSSES && !isfinite(field_number(metrics, losses[k].key)))
        k++;
    return k;
}

static const char *loss_figure(struct frame *f, const json_t *metrics, size_t loss,
                               const char *suffix)
{
    if (loss == N_LOSSES) return "-";
    return draw_figure(
        f, field_number(metrics, arena_printf(&f->arena, "%s%s", losses[loss].key, suffix)));
}

/* The loss of each part of the run, between the smallest and the largest of them. */
static void put_curve(struct frame *f, const json_t *learner, size_t loss)
{
    const json_t *curve = field(learner, "curve");
    size_t n = json_array_size(curve), shown = n < CURVE ? n : CURVE;
    double low = INFINITY, high = -INFINITY, value[CURVE];
    if (loss == N_LOSSES || n < 2) return;
    const char *key = arena_printf(&f->arena, "%s_since", losses[loss].key);
    for (size_t k = 0; k < shown; k++) {
        value[k] = field_number(json_array_get(curve, (k + 1) * n / shown - 1), key);
        low = fmin(low, value[k]);
        high = fmax(high, value[k]);
    }
    frame_put(f, FRAME_PLAIN, "  ");
    for (size_t k = 0; k < shown; k++) {
        double part = high > low && isfinite(value[k]) ? (value[k] - low) / (high - low) : 0;
        char block[4] = "\xe2\x96\x81";
        block[2] = (char)((unsigned char)block[2] + (int)(part * 7 + 0.5));
        frame_put(f, FRAME_POSITIVE, "%s", block);
    }
}

struct cells {
    const char *examples, *kind, *loss, *last, *constant, *auc;
};

static const struct cells headings = {"examples", "", "loss", "last fifth", "constant", "AUC"};

/* What a narrow terminal leaves out: the constant and the AUC first, then the kind of loss. */
static const struct {
    size_t offset, width, least; /* least: columns that the terminal has */
} columns[] = {{offsetof(struct cells, examples), 13, 0},  {offsetof(struct cells, kind), 11, 64},
               {offsetof(struct cells, loss), 9, 0},       {offsetof(struct cells, last), 12, 50},
               {offsetof(struct cells, constant), 13, 74}, {offsetof(struct cells, auc), 8, 80}};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void put_cells(struct frame *f, enum frame_style style, size_t name, const struct cells *c)
{
    size_t at = MARK + name;
    for (size_t k = 0; k < N_COLUMNS; k++) {
        if (f->columns < columns[k].least) continue;
        const char *const *text = (const void *)((const char *)c + columns[k].offset);
        frame_right(f, style, at += columns[k].width, *text);
    }
}

static size_t name_width(const struct frame *f, const struct view *v, size_t n)
{
    size_t most = LEAST_NAME, taken = MARK;
    for (size_t i = 0; i < n; i++) {
        const char *id = field_text(look_learner(v->status, i), "id");
        size_t width = text_width(id, strlen(id));
        if (width > most) most = width;
    }
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (f->columns >= columns[k].least) taken += columns[k].width;
    size_t left = f->columns > taken + LEAST_NAME ? f->columns - taken : LEAST_NAME;
    return most < left ? most : left;
}

static void put_learner(struct frame *f, const json_t *learner, size_t name, bool chosen)
{
    const json_t *m = field(learner, "metrics");
    size_t loss = loss_of(m);
    struct cells c = {.examples = draw_count(f, field_number(m, "examples")),
                      .kind = loss < N_LOSSES ? losses[loss].name : "-",
                      .loss = loss_figure(f, m, loss, ""),
                      .last = loss_figure(f, m, loss, "_last"),
                      .constant = loss_figure(f, m, loss, "_constant"),
                      .auc = draw_figure(f, field_number(m, "auc"))};
    frame_to(f, MARK);
    frame_name(f, chosen ? FRAME_STRONG : FRAME_PLAIN, field_text(learner, "id"), name);
    put_cells(f, FRAME_PLAIN, name, &c);
    if (f->columns >= f->column + 2 + CURVE) put_curve(f, learner, loss);
    frame_line(f);
}

void draw_learners(struct frame *f, const struct view *v, size_t rows)
{
    size_t n = 0, chosen = look_learner_index(v->status, v->learner);
    while (look_learner(v->status, n))
        n++;
    if (!n) return;
    size_t name = name_width(f, v, n), first = chosen >= rows ? chosen + 1 - rows : 0;
    frame_line(f);
    frame_to(f, MARK);
    frame_name(f, FRAME_HEADING, n > rows ? arena_printf(&f->arena, "%zu learners", n) : "learner",
               name);
    put_cells(f, FRAME_HEADING, name, &headings);
    frame_line(f);
    for (size_t i = first; i < n && i < first + rows; i++)
        put_learner(f, look_learner(v->status, i), name, n > 1 && i == chosen);
}
