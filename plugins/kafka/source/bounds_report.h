/* bounds_report.h -- prints for `leat check --online` where each partition begins and ends. */
#ifndef LEAT_KAFKA_SOURCE_BOUNDS_REPORT_H
#define LEAT_KAFKA_SOURCE_BOUNDS_REPORT_H

#include "kafka/client/inquiry.h"
#include "source_params.h"

/* Prints a line for each partition of the inquiry's topics, at most 100. Reports places that name
 * partitions which do not exist, and offsets that the logs do not have. */
void bounds_report(struct inquiry *q, const struct consumer_cfg *cfg);

#endif
