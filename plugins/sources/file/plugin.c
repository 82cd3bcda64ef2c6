/* plugin.c -- the plugin of source.file. */
#include <leat/plugin.h>

extern const struct leat_stage source_file;

LEAT_PLUGIN("sources.file", "1.0", "Apache-2.0", "files and standard input", &source_file);
