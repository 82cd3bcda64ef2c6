/* wrap_lines.h -- long lines for a narrow terminal. */
#ifndef LEAT_PROGRAM_CLI_WRAP_LINES_H
#define LEAT_PROGRAM_CLI_WRAP_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Prints a text of lines that end in line feeds. Breaks a line of more than `width` columns at
 * blanks, and indents the rest by two columns more than the line. A wider word stays whole. */
void wrap_lines(FILE *out, const char *text, size_t width);

#endif
