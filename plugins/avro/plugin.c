/* plugin.c -- the plugin of parse.avro. */
#include <leat/plugin.h>

extern const struct leat_stage parse_avro;

LEAT_PLUGIN("avro", "1.0", "Apache-2.0", "Avro records to columns", &parse_avro);
