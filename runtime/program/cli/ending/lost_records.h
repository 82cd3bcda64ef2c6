/* lost_records.h -- records that went nowhere. */
#ifndef LEAT_PROGRAM_CLI_ENDING_LOST_RECORDS_H
#define LEAT_PROGRAM_CLI_ENDING_LOST_RECORDS_H

#include "host/exec/run.h"

/* Warns of each stage that let no record pass, of records that no branch of a route took, and of
 * branches that took none. After run_join, before run_close. */
void lost_records_warn(const struct run *r);

#endif
