/* plugin.c -- the stages of this folder, which are one plugin. */
#include <leat/plugin.h>

extern const struct leat_stage parse_json;

LEAT_PLUGIN("json", "1.0", "Apache-2.0", "JSON objects to columns", &parse_json);
