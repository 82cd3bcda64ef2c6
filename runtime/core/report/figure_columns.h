/* figure_columns.h -- figures in tables of learners, from left to right, and of a constant. */
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
/* Figures of a prediction without features (a constant), and the learner's figures that they
 * accompany. */
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

/* An AUC with a larger error (score_bins.h) has fewer sure digits than displayed, which the report
 * notes. */
#define FIGURE_AUC_UNSURE 0.005

/* True if learners of two labels are ranked by log loss, not by error rate. That holds for log odds
 * if the error rate says little: fewer than a tenth of the examples have the rarer label, or no
 * learner beats the constant prediction by a twentieth. constant: error rate of that prediction;
 * least: of the best learner; log_loss: of any learner. */
#define FIGURE_RARE 0.1
static inline bool figure_ranks_by_loss(double constant, double least, double log_loss)
{
    if (!(constant > 0) || isnan(log_loss))
        return false; /* one label: neither figure says
                       * anything */
    return constant < FIGURE_RARE || least > 0.95 * constant;
}

#endif
