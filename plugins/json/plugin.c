/* plugin.c -- the plugin of the parsers of JSON. */
#include <leat/plugin.h>

extern const struct leat_stage parse_json, parse_container, parse_elements;

LEAT_PLUGIN("json", "1.0", "Apache-2.0", "JSON objects, their elements, and container logs",
            &parse_json, &parse_container, &parse_elements);
