/* plugin.c -- the plugin of parse.protobuf. */
#include <leat/plugin.h>

extern const struct leat_stage parse_protobuf;

LEAT_PLUGIN("protobuf", "1.0", "Apache-2.0", "messages of Protocol Buffers to columns",
            &parse_protobuf);
