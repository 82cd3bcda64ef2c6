/* write_report.c -- see write_report.h. */
#include "write_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

#include "host/log/log.h"

/* What to do about it; "": nobody knows. */
static const char *cure(int failed)
{
    switch (failed) {
    case ENOENT:
    case ENOTDIR:
        return ": make its folder first, or give another name";
    case EISDIR:
        return ": give the name of a file in it";
    case EACCES:
    case EPERM:
    case EROFS:
        return ": give a place that you may write to";
    case ENOSPC:
        return ": make room there, or give another place";
    default:
        return "";
    }
}

int write_report(const char *path, enum page_format format, const json_t *const *summary, size_t n)
{
    FILE *out = !strcmp(path, "-") ? stdout : fopen(path, "we");
    if (format == PAGE_FORMATS) format = page_format_of(path);
    int failed = out ? page_write(out, format, summary, n) : errno;
    if (out && fflush(out) == EOF && !failed) failed = errno;
    if (out && out != stdout && fclose(out) == EOF && !failed) failed = errno;
    if (failed)
        log_message(LEAT_ERROR, "the report %s cannot be written: %s%s", path, strerror(failed),
                    cure(failed));
    return failed ? LEAT_EIO : LEAT_OK;
}
