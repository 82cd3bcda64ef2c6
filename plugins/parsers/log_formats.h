/* log_formats.h -- ready patterns of parse.regex, for the lines that well-known programs write. */
#ifndef LEAT_PARSERS_LOG_FORMATS_H
#define LEAT_PARSERS_LOG_FORMATS_H

/* Numbers of the formats whose usual lines access_log_split() reads. */
enum { LOG_FORMAT_OWN, LOG_FORMAT_COMMON, LOG_FORMAT_COMBINED };

/* Names of the formats, ended by NULL. The first one means the user's own pattern. */
extern const char *const log_format_names[];

/* Patterns of the formats, in the order of the names. That of LOG_FORMAT_OWN is NULL. */
extern const char *const log_format_patterns[];

#endif
