/* plugin.c -- the plugin of sink.http. */
#include <leat/plugin.h>

extern const struct leat_stage sink_http;

LEAT_PLUGIN("http", "1.0", "Apache-2.0", "records to a server by HTTP", &sink_http);
