/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage label_constant, label_holdout, label_is, label_class, label_number,
    label_mad, label_period, label_quantile, label_weight;

LEAT_PLUGIN("labels", "1.0", "Apache-2.0", "labels of records, and which of them are held out",
            &label_constant, &label_holdout, &label_is, &label_class, &label_number, &label_mad,
            &label_period, &label_quantile, &label_weight);
