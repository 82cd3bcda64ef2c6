/* page.h -- a page that shows what came of a run, for those who were not there: one file without
 * outside parts, as HTML or as Markdown.
 *
 * It is made of summaries (cli/summary/summary.h: of a run, or of a snapshot) and of nothing else,
 * so the same summary gives the same bytes. What a summary lacks is left out; where a reader would
 * look for it, a line says how to get it. All texts are escaped: names may be anything. */
#ifndef LEAT_PROGRAM_PAGE_PAGE_H
#define LEAT_PROGRAM_PAGE_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

enum page_format { PAGE_HTML, PAGE_MARKDOWN, PAGE_FORMATS };

/* Their names, "html" and "md", ended by NULL. */
extern const char *const page_formats[];

/* The format that a file's name ends in (.html, .htm, .md); PAGE_FORMATS: none. */
enum page_format page_format_of(const char *path);

/* Is that JSON a summary that has something to show? If not, why, as the predicate of a message. */
const char *page_fault(const json_t *summary);

/* Writes one page on n >= 1 summaries, each without fault, one below the other. 0, or an errno: it
 * could not be written. Any thread; the summaries are only read. */
int page_write(FILE *out, enum page_format format, const json_t *const *summary, size_t n);

#endif
