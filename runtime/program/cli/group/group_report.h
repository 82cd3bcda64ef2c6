/* group_report.h -- shows the records of source.group as tables, or as one object of JSON. */
#ifndef LEAT_PROGRAM_CLI_GROUP_GROUP_REPORT_H
#define LEAT_PROGRAM_CLI_GROUP_GROUP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "program/cli/command_line/command_line.h"

/* Prints the records, to which it adds members. Of the command line it uses json, and k: most
 * partitions in a table. Returns false if the record of the group, the last one, is missing. */
bool group_report(json_t *records, const struct command_line *c, FILE *out);

#endif
