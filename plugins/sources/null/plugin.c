/* plugin.c -- the plugin of source.null. */
#include <leat/plugin.h>

extern const struct leat_stage source_null;

LEAT_PLUGIN("sources.null", "1.0", "Apache-2.0", "a source for measuring", &source_null);
