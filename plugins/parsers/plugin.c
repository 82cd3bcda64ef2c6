/* plugin.c -- the plugin of the parsers. */
#include <leat/plugin.h>

extern const struct leat_stage parse_csv, parse_tsv, parse_dead_letters, parse_fields, parse_libsvm,
    parse_libffm, parse_lines, parse_logfmt, parse_packet, parse_regex, parse_time, parse_vw;

LEAT_PLUGIN("parsers", "1.0", "Apache-2.0", "raw bytes to columns, texts or examples", &parse_csv,
            &parse_tsv, &parse_dead_letters, &parse_fields, &parse_libsvm, &parse_libffm,
            &parse_lines, &parse_logfmt, &parse_packet, &parse_regex, &parse_time, &parse_vw);
