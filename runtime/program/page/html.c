/* html.c -- a sheet in HTML: one file that contains its style, and is also well-formed XML.
 *
 * The page has no scripts and refers to no other files. It forbids both by its content policy. */
#include <string.h>

#include "core/report/cell_text.h"
#include "escape.h"
#include "program/page/docs.h"
#include "sheet.h"
#include "svg.h"

const char *sheet_heading(const struct report_column *c, char text[SHEET_HEADING])
{
    snprintf(text, SHEET_HEADING, "%s", cell_heading(c));
    for (char *at = text; !c->heading && (at = strchr(at, '_'));)
        *at = ' ';
    return text;
}

static void raw(struct sheet *s, const char *html) { text_str(&s->out, html); }

static void html_put(struct sheet *s, const char *text)
{
    escape_html(&s->out, text, strlen(text));
}

static void html_put_element(struct sheet *s, const char *open, const char *text, const char *close)
{
    raw(s, open);
    html_put(s, text);
    raw(s, close);
}

/* ---- begin and end of the page ---- */

static void html_begin(struct sheet *s, const char *title)
{
    raw(s, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" "
           "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n");
    html_put_element(s, "<title>", title, "</title>\n");
    raw(s, "<style>\n");
    raw(s, style_css);
    raw(s, "</style>\n</head>\n<body>\n<main>\n");
}

static void end_section(struct sheet *s)
{
    if (s->in_section) raw(s, "</section>\n");
    s->in_section = false;
}

static void html_end(struct sheet *s)
{
    end_section(s);
    raw(s, "</main>\n</body>\n</html>\n");
}

static void html_put_title(struct sheet *s, const char *above, const char *text)
{
    end_section(s);
    html_put_element(s, "<header>\n<p class=\"above\">", above, "</p>\n");
    html_put_element(s, "<h1>", text, "</h1>\n</header>\n");
}

static void html_put_heading(struct sheet *s, const char *text)
{
    if (s->folded) {
        html_put_element(s, "<h3>", text, "</h3>\n");
        return;
    }
    end_section(s);
    html_put_element(s, "<section>\n<h2>", text, "</h2>\n");
    s->in_section = true;
}

static void html_put_paragraph(struct sheet *s, enum sheet_tone tone, const char *text)
{
    static const char *const open[] = {[SHEET_PLAIN] = "<p>",
                                       [SHEET_LEAD] = "<p class=\"lead\">",
                                       [SHEET_NOTE] = "<p class=\"note\">",
                                       [SHEET_WARNING] =
                                           "<p class=\"warning\"><strong>Warning:</strong> "};
    html_put_element(s, open[tone], text, "</p>\n");
}

/* ---- tables ---- */

/* Prints the two ends of the scale in the heading of a column of bars. */
static void put_scale(struct sheet *s, const struct sheet_bars *b)
{
    double unit = b->shares ? 100 : 1;
    const char *sign = b->shares ? " %" : "";
    raw(s, "<th scope=\"col\" class=\"scale\"><span>");
    svg_number(&s->out, b->from * unit);
    raw(s, sign);
    raw(s, b->logarithmic ? "</span><span>log</span><span>" : "</span><span></span><span>");
    svg_number(&s->out, b->to * unit);
    raw(s, sign);
    raw(s, "</span></th>");
}

static void html_put_headings(struct sheet *s, const struct sheet_table *t)
{
    char heading[SHEET_HEADING];
    raw(s, "<thead><tr>");
    for (uint32_t c = 0; c < t->list->n_columns; c++) {
        const struct report_column *column = &t->list->column[c];
        if (!sheet_shows(column)) continue;
        raw(s, sheet_is_text(column) ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">");
        html_put_element(s, "", sheet_heading(column, heading), "</th>");
        if (t->bars && t->bars->column == c) put_scale(s, t->bars);
    }
    if (t->ranks) raw(s, "<th scope=\"col\">rank over the run</th>");
    raw(s, "</tr></thead>\n");
}

/* Returns the tag of a cell. The style lets names break anywhere, and other texts and numbers
 * nowhere. */
static const char *cell_tag(const struct report_column *c, bool *heads_row)
{
    bool heads = c->type == REPORT_NAME && *heads_row;
    if (heads) *heads_row = false;
    if (heads) return "<th scope=\"row\" class=\"name\">";
    if (c->type == REPORT_NAME) return "<td class=\"name\">";
    return c->type == REPORT_WORD ? "<td>" : "<td class=\"n\">";
}

/* Prints a name such as a=b, which may break after the '='. */
static void html_put_name(struct sheet *s, const struct report_value *v)
{
    const char *end = v->len <= ESCAPE_LONGEST ? memchr(v->text, '=', v->len) : NULL;
    size_t n = end ? (size_t)(end - v->text) + 1 : v->len;
    escape_html(&s->out, v->text, n);
    if (!end) return;
    raw(s, "<wbr/>");
    escape_html(&s->out, v->text + n, v->len - n);
}

/* True if a phone shows each row as a block, whose cells have their headings beside them. */
static bool html_is_wide(const struct sheet_table *t)
{
    enum { NARROW = 4 };
    uint32_t shown = t->ranks != NULL;
    for (uint32_t c = 0; c < t->list->n_columns; c++)
        shown += sheet_shows(&t->list->column[c]);
    return shown > NARROW;
}

/* Prints the tag of a cell, with the heading as an attribute if `wide`. Names need none. */
static void html_put_tag(struct sheet *s, const char *tag, const struct report_column *c, bool wide)
{
    char heading[SHEET_HEADING];
    size_t n = strlen(tag);
    if (!wide || c->type == REPORT_NAME) {
        raw(s, tag);
        return;
    }
    text_bytes(&s->out, tag, n - 1);
    html_put_element(s, " data-h=\"", sheet_heading(c, heading), "\">");
}

static void html_put_row(struct sheet *s, const struct sheet_table *t,
                         const struct cell_style *style, bool wide, uint32_t row)
{
    const struct report_list *l = t->list;
    bool heads_row = true;
    char buf[CELL_TEXT];
    raw(s, "<tr>");
    for (uint32_t c = 0; c < l->n_columns; c++) {
        if (!sheet_shows(&l->column[c])) continue;
        struct report_value v = l->cell(l->of, row, c);
        struct report_value text = cell_text(&l->column[c], &style[c], v, buf);
        const char *tag = cell_tag(&l->column[c], &heads_row);
        html_put_tag(s, tag, &l->column[c], wide);
        if (l->column[c].type == REPORT_NAME)
            html_put_name(s, &text);
        else
            escape_html(&s->out, text.text, text.len);
        raw(s, tag[2] == 'h' ? "</th>" : "</td>");
        if (!t->bars || t->bars->column != c) continue;
        raw(s, "<td class=\"picture\">");
        svg_bar(&s->out, t->bars, &v);
        raw(s, "</td>");
    }
    if (t->ranks) {
        raw(s, "<td class=\"picture\">");
        svg_ranks(&s->out, t->ranks, row);
        raw(s, "</td>");
    }
    raw(s, "</tr>\n");
}

static void html_put_table(struct sheet *s, const struct sheet_table *t)
{
    const struct report_list *l = t->list;
    struct cell_style style[REPORT_MAX_COLUMNS];
    bool wide = html_is_wide(t);
    for (uint32_t c = 0; c < l->n_columns; c++)
        style[c] = cell_style_of(l, c);
    raw(s, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\">\n");
    raw(s, wide ? "<table class=\"wide\">\n" : "<table>\n");
    if (t->caption) html_put_element(s, "<caption><span>", t->caption, "</span></caption>\n");
    html_put_headings(s, t);
    raw(s, "<tbody>\n");
    for (uint32_t row = 0; row < l->n_rows; row++)
        html_put_row(s, t, style, wide, row);
    raw(s, "</tbody>\n</table>\n</div>\n");
}

/* ---- charts ---- */

static void put_legend(struct sheet *s, const struct sheet_chart *c)
{
    raw(s, "<ul class=\"legend\">");
    for (uint32_t k = 0; k < c->n_lines; k++) {
        raw(s, "<li>");
        svg_sign(&s->out, k);
        html_put_element(s, " ", c->line[k].name, "</li>");
    }
    raw(s, "</ul>\n");
}

static struct report_value html_point_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct sheet_line *line = of;
    return report_number(column ? line->y[row] : line->x[row]);
}

static void put_points(struct sheet *s, const struct sheet_chart *c)
{
    const struct report_column column[] = {{.name = c->x_label, .type = REPORT_NUMBER},
                                           {.name = c->y_label, .type = REPORT_NUMBER}};
    raw(s, "<details><summary>Numbers</summary>\n");
    for (uint32_t k = 0; k < c->n_lines; k++)
        html_put_table(s,
                       &(struct sheet_table){.list = &(struct report_list){.column = column,
                                                                           .n_columns = 2,
                                                                           .n_rows = c->line[k].n,
                                                                           .cell = html_point_cell,
                                                                           .of = &c->line[k]},
                                             .caption = c->line[k].name});
    raw(s, "</details>\n");
}

static void html_put_charts(struct sheet *s, const struct sheet_chart *chart, uint32_t n)
{
    raw(s, "<div class=\"charts\">\n");
    for (uint32_t i = 0; i < n; i++) {
        html_put_element(s, "<figure>\n<figcaption><strong>", chart[i].title, "</strong> ");
        html_put_element(s, "", chart[i].says, "</figcaption>\n");
        svg_chart(&s->out, &chart[i], ++s->charts);
        if (chart[i].n_lines > 1) put_legend(s, &chart[i]);
        put_points(s, &chart[i]);
        raw(s, "</figure>\n");
    }
    raw(s, "</div>\n");
}

static void html_put_columns(struct sheet *s, const struct sheet_columns *c, uint32_t n)
{
    raw(s, "<div class=\"charts\">\n");
    for (uint32_t i = 0; i < n; i++) {
        html_put_element(s, "<figure>\n<figcaption><strong>", c[i].title, "</strong> ");
        html_put_element(s, "", c[i].says, "</figcaption>\n");
        svg_columns(&s->out, &c[i], ++s->charts);
        raw(s, "</figure>\n");
    }
    raw(s, "</div>\n<details><summary>Numbers</summary>\n");
    html_put_table(s, &(struct sheet_table){.list = c[0].list});
    raw(s, "</details>\n");
}

/* ---- other elements ---- */

static void html_put_code(struct sheet *s, const char *text)
{
    html_put_element(s, "<pre tabindex=\"0\"><code>", text, "</code></pre>\n");
}

static void html_fold(struct sheet *s, const char *what)
{
    end_section(s);
    html_put_element(s, "<details class=\"part\">\n<summary>", what, "</summary>\n");
    s->folded = true;
}

static void html_unfold(struct sheet *s)
{
    raw(s, "</details>\n");
    s->folded = false;
}

const struct sheet_language sheet_html = {.begin = html_begin,
                                          .end = html_end,
                                          .title = html_put_title,
                                          .heading = html_put_heading,
                                          .paragraph = html_put_paragraph,
                                          .table = html_put_table,
                                          .charts = html_put_charts,
                                          .columns = html_put_columns,
                                          .code = html_put_code,
                                          .fold = html_fold,
                                          .unfold = html_unfold};
