/* plugin.c -- the plugin of source.pcap. */
#include <leat/plugin.h>

extern const struct leat_stage source_pcap;

LEAT_PLUGIN("sources.pcap", "1.0", "Apache-2.0", "packets of capture files", &source_pcap);
