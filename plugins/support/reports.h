/* reports.h -- reports (base/report.h) of a sink: the parameter that names their format, and the
 * output they go to. */
#ifndef LEAT_SUPPORT_REPORTS_H
#define LEAT_SUPPORT_REPORTS_H

#include <sys/ioctl.h>

#include "base/answer_report.h"
#include "support/out.h"

/* CFG has a member `format`. */
#define REPORT_PARAM(CFG, DEF, DOC)                                                                \
    {                                                                                              \
        .name = "format", .type = LEAT_CHOICE, .offset = offsetof(CFG, format),                    \
        .choices = report_formats, .def = DEF, .doc = DOC                                          \
    }

/* The columns of the terminal that the output is; 0 when it is none. */
static inline size_t reports_terminal(const struct out *o)
{
    struct winsize w;
    return isatty(o->fd) && ioctl(o->fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* A report that goes to the output: in start(), after out_begin. title: of tables, or NULL. */
static inline struct report reports_to(struct out *o, int32_t format, const char *title)
{
    return (struct report){.out = &o->text,
                           .format = (enum report_format)format,
                           .headed = format == REPORT_CSV && !o->fresh,
                           .terminal = reports_terminal(o),
                           .title = title};
}

#endif
