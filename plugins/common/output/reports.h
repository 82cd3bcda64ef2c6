/* reports.h -- reports (report/report.h) of a sink: the parameter that names their format, and the
 * output they go to. */
#ifndef LEAT_COMMON_OUTPUT_REPORTS_H
#define LEAT_COMMON_OUTPUT_REPORTS_H

#include "out.h"
#include "core/report/answer_report.h"

/* The configuration begins with struct out_cfg. */
#define REPORT_PARAM(DEF, DOC)                                                                     \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = report_formats, .def = DEF,         \
               .doc = DOC)

/* How the instance of a sink that writes several reports begins. */
struct reports {
    struct out out;
    struct report report;
    bool timed; /* what learners learn has event times */
};

/* In start() of such a sink, instead of out_start. title: of tables, or NULL. */
int reports_start(struct leat_ctx *ctx, struct reports *r, const char *title);

/* Appends to the head of a report a count, in the formats `in` and with `noun` after it in tables;
 * and a number, in JSON only. */
void reports_head_count(struct report_head *h, unsigned in, const char *name, const char *noun,
                        uint64_t n);
void reports_head_number(struct report_head *h, const char *name, double x);

/* Writes a list of which only the rows are not known beforehand. */
void reports_rows(struct reports *r, const struct report_list *list, uint32_t n_rows,
                  const void *of);

/* For one that writes a single report: a list without a head, after out_start. */
void reports_list(struct out *o, int32_t format, const struct report_list *list);

#endif
