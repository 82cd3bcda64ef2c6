/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage label_where, shape_dedup, shape_lookup, shape_reservoir,
    shape_sample, shape_set, shape_sort, shape_where, shape_window;

LEAT_PLUGIN("shape", "1.0", "Apache-2.0",
            "columns made by expressions or looked up; which records stay; spans of time",
            &shape_dedup, &shape_lookup, &shape_reservoir, &shape_sample, &shape_set, &shape_sort,
            &shape_where, &shape_window, &label_where);
