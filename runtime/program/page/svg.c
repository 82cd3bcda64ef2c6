/* svg.c -- implementation of svg.h: bars, ranks, charts, upright bars. */
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/exp.h"
#include "core/pow10.h"
#include "escape.h"

void svg_put(struct text_out *o, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_str(o, text);
}

void svg_number(struct text_out *o, double v)
{
    double size = fabs(v);
    if (size >= 1e9)
        svg_put(o, "%.3gG", v / 1e9);
    else if (size >= 1e6)
        svg_put(o, "%.3gM", v / 1e6);
    else if (size >= 1e4)
        svg_put(o, "%.3gk", v / 1e3);
    else
        svg_put(o, size >= 100 ? "%.0f" : "%.3g", size < 1e-12 ? 0 : v);
}

/* ---- bars ---- */

enum { BAR_WIDTH = 120, BAR_HEIGHT = 14, BAR_EDGE = 4 };

/* Returns the horizontal position of a value. A value beyond an end of the scale is drawn at that
 * end. */
static double bar_x(const struct sheet_bars *b, double v)
{
    double from = b->from, to = b->to;
    if (b->logarithmic) {
        from = exp_log_all(from);
        to = exp_log_all(to);
        v = v > 0 ? exp_log_all(v) : from;
    }
    double share = to > from ? (v - from) / (to - from) : 0.5;
    return BAR_EDGE + (BAR_WIDTH - 2 * BAR_EDGE) * fmin(fmax(share, 0), 1);
}

static void put_interval(struct text_out *o, double low, double high, bool wide)
{
    const double top = BAR_HEIGHT / 2 - 4, bottom = BAR_HEIGHT / 2 + 4;
    svg_put(o, "<path class=\"range%s\" d=\"M%.1f %dH%.1fM%.1f %.0fV%.0fM%.1f %.0fV%.0f\"/>",
            wide ? " wide" : "", low, BAR_HEIGHT / 2, high, low, top, bottom, high, top, bottom);
}

void svg_bar(struct text_out *o, const struct sheet_bars *bars, const struct report_value *v)
{
    double zero = isnan(bars->zero) ? BAR_EDGE : bar_x(bars, bars->zero);
    double value = v->number;
    if (isnan(value) && v->ranged) value = (v->low + v->high) / 2;
    if (isnan(value)) return;
    double x = bar_x(bars, value);
    svg_put(o,
            "<svg class=\"bar\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">"
            "<path class=\"zero\" d=\"M%.1f 0V%d\"/>",
            BAR_WIDTH, BAR_HEIGHT, zero, BAR_HEIGHT);
    svg_put(o, "<rect class=\"%s\" x=\"%.1f\" y=\"5\" width=\"%.1f\" height=\"4\"/>",
            x < zero ? "below" : "above", fmin(x, zero), fabs(x - zero));
    if (v->high > v->low)
        put_interval(o, bar_x(bars, v->low), bar_x(bars, v->high), v->wide);
    else
        svg_put(o, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/>",
                x < zero ? "below" : "above", x, BAR_HEIGHT / 2);
    text_str(o, "</svg>");
}

/* ---- ranks ---- */

enum { RANK_STEP = 6, RANK_HEIGHT = 24, RANK_EDGE = 4 };

static double rank_y(const struct sheet_ranks *r, uint32_t rank)
{
    double share = r->worst > 1 ? (rank - 1.0) / (r->worst - 1.0) : 0;
    return RANK_EDGE + (RANK_HEIGHT - 2 * RANK_EDGE) * share;
}

static void put_path(struct text_out *o, const struct sheet_ranks *r, uint32_t row)
{
    uint32_t before = 0;
    text_str(o, "<path class=\"line\" d=\"");
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t rank = r->rank(r->of, row, i);
        if (rank)
            svg_put(o, "%c%u %.1f", before ? 'L' : 'M', (unsigned)(RANK_EDGE + i * RANK_STEP),
                    rank_y(r, rank));
        before = rank;
    }
    text_str(o, "\"/>");
}

void svg_ranks(struct text_out *o, const struct sheet_ranks *ranks, uint32_t row)
{
    svg_put(o, "<svg class=\"ranks\" viewBox=\"0 0 %u %d\" width=\"%u\" aria-hidden=\"true\">",
            (unsigned)(2 * RANK_EDGE + (ranks->n - 1) * RANK_STEP), RANK_HEIGHT,
            (unsigned)(2 * RANK_EDGE + (ranks->n - 1) * RANK_STEP));
    put_path(o, ranks, row);
    for (uint32_t i = 0; i < ranks->n; i++) {
        uint32_t rank = ranks->rank(ranks->of, row, i);
        if (rank)
            svg_put(o, "<circle cx=\"%u\" cy=\"%.1f\" r=\"%s\"/>",
                    (unsigned)(RANK_EDGE + i * RANK_STEP), rank_y(ranks, rank),
                    i + 1 == ranks->n ? "3" : "1.5");
    }
    text_str(o, "</svg>");
}

/* ---- charts ---- */

/* Sizes of a chart. On a phone, one unit is about a pixel, and texts must be legible. */
enum { WIDTH = 360, HEIGHT = 240, LEFT = 52, RIGHT = 14, TOP = 10, BOTTOM = 40, TICKS = 5 };

struct axis {
    double from, to, step;
};

struct axes {
    struct axis x, y;
};

/* Returns an axis whose limits are multiples of its step. The step is 1, 2 or 5 times a power of
 * ten, so that there are at most TICKS steps. */
static struct axis axis_of(double low, double high)
{
    double around = fmax(fabs(low), 1) / 2; /* half the axis if all values are equal */
    if (!(high > low)) low -= around, high = low + 2 * around;
    double step = pow10_of(pow10_exponent((high - low) / TICKS));
    while ((high - low) / step > TICKS)
        step *= (high - low) / step > 2 * TICKS ? ((high - low) / step > 5 * TICKS ? 10 : 5) : 2;
    return (struct axis){floor(low / step) * step, ceil(high / step) * step, step};
}

static void svg_stretch(const double *v, uint32_t n, double *low, double *high)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        *low = fmin(*low, v[i]);
        *high = fmax(*high, v[i]);
    }
}

static struct axes axes_of(const struct sheet_chart *c)
{
    double low[2] = {(double)INFINITY, (double)INFINITY}, high[2] = {0, -(double)INFINITY};
    if (c->shares) return (struct axes){{0, 1, 0.25}, {0, 1, 0.25}};
    for (uint32_t k = 0; k < c->n_lines; k++) {
        svg_stretch(c->line[k].x, c->line[k].n, &low[0], &high[0]);
        svg_stretch(c->line[k].y, c->line[k].n, &low[1], &high[1]);
    }
    return (struct axes){axis_of(0, high[0]), axis_of(low[1], high[1])};
}

/* Returns the position of a value on an axis that reaches from `first` to `last`. A value beyond an
 * end of the axis is drawn at that end. */
static double svg_place(const struct axis *a, double v, double first, double last)
{
    double share = (v - a->from) / (a->to - a->from);
    return first + (last - first) * fmin(fmax(share, 0), 1);
}

static double x_of(const struct axes *a, double v)
{
    return svg_place(&a->x, v, LEFT, WIDTH - RIGHT);
}

static double y_of(const struct axes *a, double v)
{
    return svg_place(&a->y, v, HEIGHT - BOTTOM, TOP);
}

/* Sets *v to the value of tick i. Returns false if there are no more ticks. */
static bool tick_at(const struct axis *a, int i, double *v)
{
    *v = a->from + i * a->step;
    return i <= TICKS + 2 && *v <= a->to + a->step / 2;
}

static void put_y_ticks(struct text_out *o, const struct axes *a)
{
    double v;
    for (int i = 0; tick_at(&a->y, i, &v); i++) {
        svg_put(o, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y_of(a, v), WIDTH - RIGHT);
        svg_put(o, "<text class=\"y\" x=\"%d\" y=\"%.1f\">", LEFT - 6, y_of(a, v) + 4);
        svg_number(o, v);
        text_str(o, "</text>");
    }
}

static void put_ticks(struct text_out *o, const struct axes *a)
{
    double v;
    put_y_ticks(o, a);
    for (int i = 0; tick_at(&a->x, i, &v); i++) {
        svg_put(o, "<text class=\"x\" x=\"%.1f\" y=\"%d\">", x_of(a, v), HEIGHT - BOTTOM + 15);
        svg_number(o, v);
        text_str(o, "</text>");
    }
}

static void put_label(struct text_out *o, const char *text, double x, double y, bool turned)
{
    svg_put(o, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\"", x, y);
    if (turned) svg_put(o, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    text_char(o, '>');
    escape_html(o, text, strlen(text));
    text_str(o, "</text>");
}

static void svg_put_line(struct text_out *o, const struct axes *a, const struct sheet_line *line,
                         uint32_t k, bool dots)
{
    bool on = false;
    svg_put(o, "<path class=\"line l%u\" d=\"", (unsigned)k % 6);
    for (uint32_t i = 0; i < line->n; i++) {
        bool there = isfinite(line->x[i]) && isfinite(line->y[i]);
        if (there)
            svg_put(o, "%c%.1f %.1f", on ? 'L' : 'M', x_of(a, line->x[i]), y_of(a, line->y[i]));
        on = there;
    }
    text_str(o, "\"/>");
    for (uint32_t i = 0; dots && i < line->n; i++)
        if (isfinite(line->x[i]) && isfinite(line->y[i]))
            svg_put(o, "<circle class=\"l%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", (unsigned)k % 6,
                    x_of(a, line->x[i]), y_of(a, line->y[i]));
}

static void svg_put_words(struct text_out *o, const char *element, const char *id, uint32_t number,
                          const char *text)
{
    svg_put(o, "<%s id=\"%s%u\">", element, id, (unsigned)number);
    escape_html(o, text, strlen(text));
    svg_put(o, "</%s>", element);
}

/* Begins a picture with axes, and writes its title and description. */
static void svg_begin(struct text_out *o, const char *title, const char *says, uint32_t number)
{
    svg_put(o,
            "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-labelledby=\"t%u d%u\">",
            WIDTH, HEIGHT, (unsigned)number, (unsigned)number);
    svg_put_words(o, "title", "t", number, title);
    svg_put_words(o, "desc", "d", number, says);
}

void svg_chart(struct text_out *o, const struct sheet_chart *c, uint32_t number)
{
    struct axes a = axes_of(c);
    svg_begin(o, c->title, c->says, number);
    put_ticks(o, &a);
    if (c->shares)
        svg_put(o, "<path class=\"zero\" d=\"M%.1f %.1fL%.1f %.1f\"/>", x_of(&a, 0), y_of(&a, 0),
                x_of(&a, 1), y_of(&a, 1));
    for (uint32_t k = 0; k < c->n_lines; k++)
        svg_put_line(o, &a, &c->line[k], k, c->dots);
    put_label(o, c->x_label, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, false);
    put_label(o, c->y_label, 12, (TOP + HEIGHT - BOTTOM) / 2.0, true);
    text_str(o, "</svg>");
}

/* ---- upright bars ---- */

enum { NAMES = 3 }; /* texts below the bars: the first, the last and those between */

static double columns_value(const struct sheet_columns *c, uint32_t row)
{
    return c->list->cell(c->list->of, row, c->column).number;
}

static void put_column_names(struct text_out *o, const struct report_list *l, double width)
{
    static const char *const anchor[] = {"start", "middle", "end"};
    uint32_t last = l->n_rows - 1, names = l->n_rows < NAMES ? l->n_rows : NAMES;
    for (uint32_t k = 0; k < names; k++) {
        uint32_t row = names > 1 ? k * last / (names - 1) : 0;
        struct report_value v = l->cell(l->of, row, 0);
        int at = !k ? 0 : row == last ? 2 : 1;
        svg_put(o, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", LEFT + width * (row + 0.5 * at),
                HEIGHT - BOTTOM + 15, anchor[at]);
        escape_html(o, v.text, v.len);
        text_str(o, "</text>");
    }
}

static void put_columns(struct text_out *o, const struct sheet_columns *c, const struct axes *a,
                        double width)
{
    double gap = width > 4 ? 1 : 0.25 * width;
    for (uint32_t row = 0; row < c->list->n_rows; row++) {
        double v = columns_value(c, row), top = y_of(a, fmax(v, 0)), end = y_of(a, fmin(v, 0));
        if (!isfinite(v)) continue;
        svg_put(o, "<rect class=\"above\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
                LEFT + width * row + gap / 2, top, width - gap, end - top);
    }
}

void svg_columns(struct text_out *o, const struct sheet_columns *c, uint32_t number)
{
    double low = 0, high = isfinite(c->all) ? c->all : 0;
    double width = (double)(WIDTH - LEFT - RIGHT) / c->list->n_rows;
    for (uint32_t row = 0; row < c->list->n_rows; row++) {
        double v = columns_value(c, row);
        svg_stretch(&v, 1, &low, &high);
    }
    struct axes a = {.y = axis_of(low, high)};
    svg_begin(o, c->title, c->says, number);
    put_y_ticks(o, &a);
    put_columns(o, c, &a, width);
    if (isfinite(c->all))
        svg_put(o, "<path class=\"zero\" d=\"M%d %.1fH%d\"/>", LEFT, y_of(&a, c->all),
                WIDTH - RIGHT);
    put_column_names(o, c->list, width);
    put_label(o, c->y_label, 12, (TOP + HEIGHT - BOTTOM) / 2.0, true);
    text_str(o, "</svg>");
}

void svg_sign(struct text_out *o, uint32_t k)
{
    svg_put(o,
            "<svg class=\"sign\" viewBox=\"0 0 28 10\" aria-hidden=\"true\">"
            "<path class=\"line l%u\" d=\"M1 5H27\"/></svg>",
            (unsigned)k % 6);
}
