/* wrap_lines.h -- breaks long lines for a narrow terminal. */
#ifndef LEAT_PROGRAM_CLI_WRAP_LINES_H
#define LEAT_PROGRAM_CLI_WRAP_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Prints a text whose lines all end in line feeds. Breaks lines of more than `width` columns at
 * blanks. Continuation lines are indented two columns more. A word wider than `width` is not
 * broken. */
void wrap_lines(FILE *out, const char *text, size_t width);

#endif
