/* page.h -- a page about the results of a run: one file that refers to no other files.
 *
 * The page is HTML or Markdown. It depends only on the summaries (cli/summary/summary.h: of a run
 * or a snapshot), so the same summary gives the same bytes. The page omits the parts that a summary
 * lacks. Where a reader would expect such a part, a line tells how to get it. All texts are
 * escaped, because names may contain anything. */
#ifndef LEAT_PROGRAM_PAGE_PAGE_H
#define LEAT_PROGRAM_PAGE_PAGE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum page_format { PAGE_HTML, PAGE_MARKDOWN, PAGE_FORMATS };

/* Names of the formats, indexed by enum page_format: "html", "md", NULL. */
extern const char *const page_formats[];

/* Returns the format for the suffix of a file name (.html, .htm, .md); PAGE_FORMATS for others. */
enum page_format page_format_of(const char *path);

/* Returns NULL if the JSON is a summary with something to show. Otherwise returns the fault as the
 * predicate of a sentence, such as "has no stages: …". */
const char *page_fault(const json_t *summary);

/* Writes one page about n >= 1 summaries, one below the other. page_fault() must be NULL for each.
 * Returns 0, or errno if writing failed. May be called on any thread; only reads the summaries. */
int page_write(FILE *out, enum page_format format, const json_t *const *summary, size_t n);

/* Writes the page to the file `path`; "-" is standard output. If `format` is PAGE_FORMATS, the
 * suffix of `path` decides the format. Returns LEAT_OK, or LEAT_EIO after a message. */
int page_write_file(const char *path, enum page_format format, const json_t *const *summary,
                    size_t n);

#endif
