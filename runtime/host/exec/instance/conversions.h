/* conversions.h -- columns in the types that a stage takes, before each of its calls
 * (leat_negotiation.column). */
#ifndef LEAT_HOST_EXEC_INSTANCE_CONVERSIONS_H
#define LEAT_HOST_EXEC_INSTANCE_CONVERSIONS_H

#include "host/flow/batch.h"
#include "instance.h"

/* Fills the columns that are converted for the stage. Records whose values cannot be are rejected,
 * and not selected any more. */
void conversions_run(struct instance *i, struct hbatch *h);

#endif
