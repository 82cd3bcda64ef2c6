/* figure_columns.h -- figures in tables that compare learners, in the order of the columns. */
#ifndef LEAT_CORE_REPORT_FIGURE_COLUMNS_H
#define LEAT_CORE_REPORT_FIGURE_COLUMNS_H

#include <math.h>
#include <stdbool.h>

#include "report.h"

static const struct figure_column {
    const char *name, *heading;
    enum report_type type;
    int decimals;
} figure_columns[] = {{"model_bytes", "model", REPORT_BYTES, 0},
                      {"total_bytes", "total", REPORT_BYTES, 0},
                      {"examples", "examples", REPORT_NUMBER, 0},
                      {"error_rate", "error", REPORT_NUMBER, 4},
                      {"error_rate_last", "last fifth", REPORT_NUMBER, 4},
                      {"log_loss", "log loss", REPORT_NUMBER, 4},
                      {"auc", "AUC", REPORT_NUMBER, 4},
                      {"error_rate_held_out", "held out", REPORT_NUMBER, 4},
                      {"rmse", "RMSE", REPORT_NUMBER, 0},
                      {"rmse_last", "last fifth", REPORT_NUMBER, 0},
                      {"mae", "MAE", REPORT_NUMBER, 0},
                      {"mae_last", "last fifth", REPORT_NUMBER, 0},
                      {"rmse_held_out", "held out", REPORT_NUMBER, 0},
                      {"examples_per_second", "ex/s", REPORT_NUMBER, 0}};
/* Figures of the constant prediction, which uses no features. `as` is the learner's figure to
 * compare each with. */
static const struct constant_column {
    const char *name, *as;
} constant_columns[] = {{"error_rate_constant", "error_rate"},
                        {"log_loss_constant", "log_loss"},
                        {"rmse_constant", "rmse"},
                        {"rmse_constant_last", "rmse_last"},
                        {"mae_constant", "mae"},
                        {"mae_constant_last", "mae_last"},
                        {"rmse_constant_held_out", "rmse_held_out"}};
enum { CONSTANT_COLUMNS = sizeof constant_columns / sizeof *constant_columns };
enum { FIGURE_COLUMNS = sizeof figure_columns / sizeof *figure_columns };

/* If the error bound of an AUC (score_bins.h) is larger than this, the last displayed digits are
 * uncertain, and the report adds a note. */
#define FIGURE_AUC_UNSURE 0.005

/* True if learners of two labels should be ranked by log loss, not by error rate. That is so if the
 * learners predict log odds and the error rate says little. It says little if fewer than a tenth of
 * the examples have the rarer label, or if no learner's error rate is 5 % below that of the
 * constant prediction. `constant` is the error rate of the constant prediction, `least` that of the
 * best learner, `log_loss` the log loss of any learner. */
#define FIGURE_RARE 0.1
static inline bool figure_ranks_by_loss(double constant, double least, double log_loss)
{
    if (!(constant > 0) || isnan(log_loss))
        return false; /* all examples have one label, or no log odds */
    return constant < FIGURE_RARE || least > 0.95 * constant;
}

#endif
