/* plugin.c -- the plugin of parse.json. */
#include <leat/plugin.h>

extern const struct leat_stage parse_json;

LEAT_PLUGIN("json", "1.0", "Apache-2.0", "JSON objects to columns", &parse_json);
