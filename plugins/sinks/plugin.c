/* plugin.c -- the plugin of this folder's stages. */
#include <leat/plugin.h>

extern const struct leat_stage sink_changes, sink_command, sink_file, sink_metrics, sink_null,
    sink_predictions, sink_profile, sink_top;

LEAT_PLUGIN("sinks", "1.0", "Apache-2.0", "rows, predictions, figures and answers", &sink_changes,
            &sink_command, &sink_file, &sink_metrics, &sink_null, &sink_predictions, &sink_profile,
            &sink_top);
