/* page.h -- a page that shows the results of a run: one file without outside parts.
 *
 * The page is HTML or Markdown. It is made of summaries only (cli/summary/summary.h: of a run, or
 * of a snapshot), so the same summary gives the same bytes. If a summary lacks a part, the page
 * leaves it out; where a reader would look for it, a line says how to get it. All texts are
 * escaped, because names may be anything. */
#ifndef LEAT_PROGRAM_PAGE_PAGE_H
#define LEAT_PROGRAM_PAGE_PAGE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum page_format { PAGE_HTML, PAGE_MARKDOWN, PAGE_FORMATS };

/* The names "html" and "md", ended by NULL. */
extern const char *const page_formats[];

/* Returns the format for the end of a file's name (.html, .htm, .md); PAGE_FORMATS if it has
 * another end. */
enum page_format page_format_of(const char *path);

/* Returns NULL if that JSON is a summary that has something to show; else the fault, as the
 * predicate of a message. */
const char *page_fault(const json_t *summary);

/* Writes one page on n >= 1 summaries without faults, one below the other. Returns 0, or an errno
 * if it could not be written. Any thread; the summaries are only read. */
int page_write(FILE *out, enum page_format format, const json_t *const *summary, size_t n);

/* Writes the page to a file, in the format (PAGE_FORMATS: that of its name); "-" is standard
 * output. Returns LEAT_OK, or LEAT_EIO after a message. */
int page_write_file(const char *path, enum page_format format, const json_t *const *summary,
                    size_t n);

#endif
