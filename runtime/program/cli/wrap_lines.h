/* wrap_lines.h -- long lines for a narrow terminal. */
#ifndef LEAT_PROGRAM_CLI_WRAP_LINES_H
#define LEAT_PROGRAM_CLI_WRAP_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Prints a text whose lines end in line feeds. A line of more than `width` columns is broken at
 * blanks; what follows is indented by two columns more than the line itself. A word that is wider
 * stays whole. */
void wrap_lines(FILE *out, const char *text, size_t width);

#endif
