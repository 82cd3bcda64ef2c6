/* plugin.c -- the plugin of source.http. */
#include <leat/plugin.h>

extern const struct leat_stage source_http;

LEAT_PLUGIN("sources.http", "1.0", "Apache-2.0", "records that others post by HTTP", &source_http);
