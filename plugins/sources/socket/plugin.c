/* plugin.c -- the plugin of source.socket. */
#include <leat/plugin.h>

extern const struct leat_stage source_socket;

LEAT_PLUGIN("sources.socket", "1.0", "Apache-2.0", "records that others send", &source_socket);
