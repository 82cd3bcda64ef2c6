/* markdown.c -- a sheet in Markdown with GitHub's tables. Charts become tables. */
#include <string.h>

#include "escape.h"
#include "core/report/cell_text.h"
#include "sheet.h"

enum { CHART_ROWS = 12 };

static void markdown_put(struct sheet *s, const char *text)
{
    escape_markdown(&s->out, text, strlen(text));
}

static void markdown_begin(struct sheet *s, const char *title) {}

static void markdown_end(struct sheet *s) {}

static void markdown_put_title(struct sheet *s, const char *above, const char *text)
{
    text_str(&s->out, "# ");
    markdown_put(s, text);
    text_str(&s->out, "\n\n");
    markdown_put(s, above);
    text_str(&s->out, "\n\n");
}

static void markdown_put_heading(struct sheet *s, const char *text)
{
    text_str(&s->out, s->folded ? "#### " : "## ");
    markdown_put(s, text);
    text_str(&s->out, "\n\n");
}

static void markdown_put_paragraph(struct sheet *s, enum sheet_tone tone, const char *text)
{
    static const char *const before[] = {[SHEET_PLAIN] = "",
                                         [SHEET_LEAD] = "",
                                         [SHEET_NOTE] = "> ",
                                         [SHEET_WARNING] = "> **Warning:** "};
    text_str(&s->out, before[tone]);
    markdown_put(s, text);
    text_str(&s->out, "\n\n");
}

/* ---- tables ---- */

static void markdown_put_headings(struct sheet *s, const struct report_list *l)
{
    for (uint32_t c = 0; c < l->n_columns; c++) {
        if (!sheet_shows(&l->column[c])) continue;
        char heading[SHEET_HEADING];
        text_str(&s->out, "| ");
        markdown_put(s, sheet_heading(&l->column[c], heading));
        text_char(&s->out, ' ');
    }
    text_str(&s->out, "|\n");
    for (uint32_t c = 0; c < l->n_columns; c++)
        if (sheet_shows(&l->column[c]))
            text_str(&s->out, sheet_is_text(&l->column[c]) ? "| --- " : "| ---: ");
    text_str(&s->out, "|\n");
}

static void markdown_put_row(struct sheet *s, const struct report_list *l,
                             const struct cell_style *style, uint32_t row)
{
    char buf[CELL_TEXT];
    for (uint32_t c = 0; c < l->n_columns; c++) {
        if (!sheet_shows(&l->column[c])) continue;
        struct report_value v = cell_text(&l->column[c], &style[c], l->cell(l->of, row, c), buf);
        text_str(&s->out, "| ");
        escape_markdown(&s->out, v.text, v.len);
        text_char(&s->out, ' ');
    }
    text_str(&s->out, "|\n");
}

static void markdown_put_list(struct sheet *s, const struct report_list *l, uint32_t every)
{
    struct cell_style style[REPORT_MAX_COLUMNS];
    for (uint32_t c = 0; c < l->n_columns; c++)
        style[c] = cell_style_of(l, c);
    markdown_put_headings(s, l);
    for (uint32_t row = 0; row < l->n_rows; row++)
        if ((l->n_rows - 1 - row) % every == 0) markdown_put_row(s, l, style, row);
    text_char(&s->out, '\n');
}

static void markdown_put_table(struct sheet *s, const struct sheet_table *t)
{
    if (t->caption) markdown_put_paragraph(s, SHEET_PLAIN, t->caption);
    markdown_put_list(s, t->list, 1);
}

/* ---- charts, as tables of some of their points; the last point is included ---- */

static struct report_value markdown_point_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct sheet_line *line = of;
    return report_number(column ? line->y[row] : line->x[row]);
}

static void markdown_put_line(struct sheet *s, const struct sheet_chart *c,
                              const struct sheet_line *line)
{
    const struct report_column column[] = {{.name = c->x_label, .type = REPORT_NUMBER},
                                           {.name = c->y_label, .type = REPORT_NUMBER}};
    if (line->name) markdown_put_paragraph(s, SHEET_PLAIN, line->name);
    markdown_put_list(s,
                      &(struct report_list){.column = column,
                                            .n_columns = 2,
                                            .n_rows = line->n,
                                            .cell = markdown_point_cell,
                                            .of = line},
                      line->n / CHART_ROWS + 1);
}

static void markdown_put_charts(struct sheet *s, const struct sheet_chart *chart, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_str(&s->out, "### ");
        markdown_put(s, chart[i].title);
        text_str(&s->out, "\n\n");
        markdown_put_paragraph(s, SHEET_PLAIN, chart[i].says);
        for (uint32_t k = 0; k < chart[i].n_lines; k++)
            markdown_put_line(s, &chart[i], &chart[i].line[k]);
    }
}

static void markdown_put_columns(struct sheet *s, const struct sheet_columns *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        markdown_put_paragraph(s, SHEET_PLAIN, c[i].says);
    markdown_put_list(s, c[0].list, 1);
}

/* ---- other elements ---- */

/* Prints indented code. The text cannot end the code block, because line ends are escaped. */
static void markdown_put_code(struct sheet *s, const char *text)
{
    text_str(&s->out, "    ");
    text_shown(&s->out, text, strlen(text), 0);
    text_str(&s->out, "\n\n");
}

static void markdown_fold(struct sheet *s, const char *what)
{
    markdown_put_heading(s, what);
    s->folded = true;
}

static void markdown_unfold(struct sheet *s) { s->folded = false; }

const struct sheet_language sheet_markdown = {.begin = markdown_begin,
                                              .end = markdown_end,
                                              .title = markdown_put_title,
                                              .heading = markdown_put_heading,
                                              .paragraph = markdown_put_paragraph,
                                              .table = markdown_put_table,
                                              .charts = markdown_put_charts,
                                              .columns = markdown_put_columns,
                                              .code = markdown_put_code,
                                              .fold = markdown_fold,
                                              .unfold = markdown_unfold};
