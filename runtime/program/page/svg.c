/* svg.c -- see svg.h: what stands in the rows of tables. */
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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

/* Where a value is in a bar's picture; what is beyond an end is at it. */
static double bar_x(const struct sheet_bars *b, double v)
{
    double from = b->from, to = b->to;
    if (b->logarithmic) from = log(from), to = log(to), v = v > 0 ? log(v) : from;
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
