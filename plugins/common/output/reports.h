/* reports.h -- reports (report/report.h) of a sink: the format's parameter and the output. */
#ifndef LEAT_COMMON_OUTPUT_REPORTS_H
#define LEAT_COMMON_OUTPUT_REPORTS_H

#include "out.h"
#include "core/report/answer_report.h"

/* Row for a configuration that begins with struct out_cfg. */
#define REPORT_PARAM(DEF, DOC)                                                                     \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = report_formats, .def = DEF,         \
               .doc = DOC)

/* First member of the instance of a sink that writes several reports. */
struct reports {
    struct out out;
    struct report report;
    bool timed; /* the learners' records have event times */
};

/* Starts such a sink, instead of out_start. title: of tables, or NULL. */
int reports_start(struct leat_ctx *ctx, struct reports *r, const char *title);

/* Append to the head of a report: a count, in the formats `in` and with `noun` after it in tables;
 * and a number, in JSON only. */
void reports_head_count(struct report_head *h, unsigned in, const char *name, const char *noun,
                        uint64_t n);
void reports_head_number(struct report_head *h, const char *name, double x);

/* Writes `list` with n_rows rows, which were not known before. of: argument of its cells. */
void reports_rows(struct reports *r, const struct report_list *list, uint32_t n_rows,
                  const void *of);

/* Writes a list without a head, after out_start, for a sink with a single report. */
void reports_list(struct out *o, int32_t format, const struct report_list *list);

#endif
