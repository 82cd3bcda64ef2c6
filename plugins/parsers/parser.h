/* parser.h -- members of struct leat_stage that parsers share. */
#ifndef LEAT_PARSERS_PARSER_H
#define LEAT_PARSERS_PARSER_H

#include <leat/plugin.h>

/* Members of a parser that makes columns of each record. */
#define PARSER_OF_COLUMNS                                                                          \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER,                                   \
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS)

/* Function `framing` of a parser whose records are lines. */
static inline int parser_of_lines(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

#endif
