/* access_log.h -- splits the usual lines of access logs, in the common and the combined format
 *
 *   10.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "GET /p/1.gif HTTP/1.1" 200 2326 "http://a/" "curl"
 *   host ident user time                         method path protocol status bytes referer agent
 *
 * A regular expression describes these formats (parsers/log_formats.c). It also takes lines with an
 * identity, without a protocol or with another request, users with blanks and brackets, and quotes
 * after a backslash. access_log_split() knows the lines that the expression matches without going
 * back, where each part ends at the first place that the next one can begin at. It refuses all
 * others.
 */
#ifndef LEAT_KERNELS_TEXT_ACCESS_LOG_H
#define LEAT_KERNELS_TEXT_ACCESS_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum access_log_part {
    ACCESS_LOG_HOST,
    ACCESS_LOG_IDENT,
    ACCESS_LOG_USER,
    ACCESS_LOG_TIME,
    ACCESS_LOG_METHOD,
    ACCESS_LOG_PATH,
    ACCESS_LOG_PROTOCOL,
    ACCESS_LOG_REQUEST, /* another request; lines with one are refused */
    ACCESS_LOG_STATUS,
    ACCESS_LOG_BYTES,
    ACCESS_LOG_REFERER, /* this and the next: combined only */
    ACCESS_LOG_AGENT,
    ACCESS_LOG_PARTS
};

/* Parts of a line. Part p is text[from[p] .. to[p]). */
struct access_log {
    size_t from[ACCESS_LOG_PARTS], to[ACCESS_LOG_PARTS];
};

/* Splits a line; ACCESS_LOG_REQUEST is not set. Returns false if the line has another form than
 * those above. It may then have changed *log in part. */
bool access_log_split(const char *text, size_t len, bool combined, struct access_log *log);

#endif
