/* plugin.c -- the stages of this folder, which are one plugin. */
#include <leat/plugin.h>

extern const struct leat_stage sink_directions, sink_evaluate, sink_pmi, sink_product, sink_recall;

LEAT_PLUGIN("evaluate", "1.0", "Apache-2.0", "sinks that judge answers against exact ones",
            &sink_directions, &sink_evaluate, &sink_pmi, &sink_product, &sink_recall);
