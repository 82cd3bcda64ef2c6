/* learner_figures.h -- what learners report, in the words of their stages' tables of figures. */
#ifndef LEAT_COMMON_LEARNERS_LEARNER_FIGURES_H
#define LEAT_COMMON_LEARNERS_LEARNER_FIGURES_H

#include <leat/plugin.h>

/* clang-format off */
#define FIGURE_MODEL_BYTES  {"model_bytes", "bytes", "the model", LEAT_GAUGE}
#define FIGURE_BUDGET_BYTES {"budget_bytes", "bytes", "what the model may take", LEAT_GAUGE}
#define FIGURE_TABLE_BYTES  {"table_bytes", "bytes", "indexes and padding, beside the budget", LEAT_GAUGE}
#define FIGURE_NAMES_BYTES  {"names_bytes", "bytes", "names of features, beside the budget", LEAT_GAUGE}
#define FIGURE_USED_BYTES   {"used_bytes", "bytes", "what of the budget the model has taken so far", LEAT_GAUGE}
#define FIGURE_FEATURES     {"features", "features", "features in the model", LEAT_GAUGE}
#define FIGURE_ACTIVE       {"active", "features", "features kept by name", LEAT_GAUGE}
#define FIGURE_IGNORED      {"ignored_entries", "entries", "entries of features that came when max_features were there", LEAT_COUNTER}
#define FIGURE_UNNAMED      {"unnamed_features", "features", "features that came when there was no more room for names", LEAT_COUNTER}
#define FIGURE_BIAS         {"bias", "1", "the weight of the constant feature", LEAT_GAUGE}
#define FIGURE_DRIFTS       {"drifts", "1", "times that drift reset or shrank the model, or was only told", LEAT_COUNTER}

/* What growing_report() gives (growing.h). */
#define GROWING_FIGURES FIGURE_FEATURES, FIGURE_IGNORED, FIGURE_NAMES_BYTES, FIGURE_UNNAMED
/* clang-format on */

#endif
