/* print_forecast.h -- what a run would do with the snapshot of each stage, for `leat check`. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_PRINT_FORECAST_H
#define LEAT_PROGRAM_CLI_PIPELINE_PRINT_FORECAST_H

#include <jansson.h>
#include <stdio.h>

#include "host/checkpoint/forecast.h"

void print_forecast(const struct forecast *f, const char *dir, FILE *out);
/* {"snapshot": number or null, "stages": [{"id", "outcome", "why"}]} */
json_t *print_forecast_json(const struct forecast *f);

#endif
