/* reports.c -- implementation of reports.h. */
#include "reports.h"

#include "core/report/terminal.h"

static struct report to_output(struct out *o, int32_t format, const char *title)
{
    return (struct report){.out = &o->text,
                           .format = (enum report_format)format,
                           .headed = !o->fresh && (format == REPORT_CSV || title),
                           .terminal = terminal_columns(o->fd),
                           .title = title};
}

int reports_start(struct leat_ctx *ctx, struct reports *r, const char *title)
{
    const struct out_cfg *cfg = ctx->cfg;
    int status = out_start(ctx, &r->out);
    r->report = to_output(&r->out, cfg->format, title);
    r->timed = (ctx->in->has & LEAT_HAS_TIMESTAMP) != 0;
    return status;
}

void reports_head_count(struct report_head *h, unsigned in, const char *name, const char *noun,
                        uint64_t n)
{
    report_head_add(
        h, (struct report_column){.name = name, .type = REPORT_COUNT, .in = in, .heading = noun},
        report_count(n));
}

void reports_head_number(struct report_head *h, const char *name, double x)
{
    report_head_add(h, (struct report_column){.name = name, .in = REPORT_IN_JSONL},
                    report_number(x));
}

void reports_rows(struct reports *r, const struct report_list *list, uint32_t n_rows,
                  const void *of)
{
    struct report_list rows = *list;
    rows.n_rows = n_rows;
    rows.of = of;
    report_rows(&r->report, &rows);
}

void reports_list(struct out *o, int32_t format, const struct report_list *list)
{
    struct report r = to_output(o, format, NULL);
    report_begin(&r, NULL);
    report_rows(&r, list);
    report_end(&r);
}
