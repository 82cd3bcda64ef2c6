/* reports.h -- reports (report/report.h) that a sink writes: the parameter `format` and the
 * output. */
#ifndef LEAT_COMMON_OUTPUT_REPORTS_H
#define LEAT_COMMON_OUTPUT_REPORTS_H

#include "out.h"
#include "core/report/answer_report.h"

/* Row for the parameter `format`. The configuration must begin with struct out_cfg. */
#define REPORT_PARAM(DEF, DOC)                                                                     \
    LEAT_PARAM(struct out_cfg, format, LEAT_CHOICE, .choices = report_formats, .def = DEF,         \
               .doc = DOC)

/* First member of the instance of a sink that writes several reports. */
struct reports {
    struct out out;
    struct report report;
    bool timed; /* the records of the learners have event times */
};

/* Starts a sink with struct reports, instead of out_start. title: title of tables, or NULL. */
int reports_start(struct leat_ctx *ctx, struct reports *r, const char *title);

/* Append a figure to the head of a report. The first appends a count, in the formats `in`, followed
 * by `noun` in tables; the second a number, in JSON only. */
void reports_head_count(struct report_head *h, unsigned in, const char *name, const char *noun,
                        uint64_t n);
void reports_head_number(struct report_head *h, const char *name, double x);

/* Writes `list` with n_rows rows. Both n_rows and `of`, the argument for the functions of the
 * cells, replace the members in `list`. */
void reports_rows(struct reports *r, const struct report_list *list, uint32_t n_rows,
                  const void *of);

/* Writes a list without a head. For a sink with a single report, after out_start. */
void reports_list(struct out *o, int32_t format, const struct report_list *list);

#endif
