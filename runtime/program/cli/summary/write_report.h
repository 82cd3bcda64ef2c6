/* write_report.h -- a page on runs: of `leat report`, and of `leat run --report`. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_WRITE_REPORT_H
#define LEAT_PROGRAM_CLI_SUMMARY_WRITE_REPORT_H

#include <jansson.h>

#include "program/page/page.h"

/* Writes a page on n summaries to a file, in the format (PAGE_FORMATS: that of its name); "-" is
 * standard output. LEAT_OK, or LEAT_EIO after a message. */
int write_report(const char *path, enum page_format format, const json_t *const *summary, size_t n);

#endif
