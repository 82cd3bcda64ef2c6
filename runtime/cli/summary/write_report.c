/* write_report.c -- see write_report.h. */
#include "write_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "base/log/log.h"

int write_report(const char *path, enum page_format format, const json_t *const *summary, size_t n)
{
    FILE *out = !strcmp(path, "-") ? stdout : fopen(path, "we");
    if (format == PAGE_FORMATS) format = page_format_of(path);
    int failed = out ? page_write(out, format, summary, n) : errno;
    if (out && fflush(out) == EOF && !failed) failed = errno;
    if (out && out != stdout && fclose(out) == EOF && !failed) failed = errno;
    if (failed) log_message(LEAT_ERROR, "report %s: %s", path, strerror(failed));
    return failed ? LEAT_EIO : LEAT_OK;
}
