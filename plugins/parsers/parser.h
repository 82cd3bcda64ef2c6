/* parser.h -- members that the stages of this folder share. */
#ifndef LEAT_PARSERS_PARSER_H
#define LEAT_PARSERS_PARSER_H

#include <leat/plugin.h>

/* Members of a stage that makes columns of each record. */
#define PARSER_OF_COLUMNS                                                                          \
    .kind = LEAT_TRANSFORM, .caps = LEAT_PARALLEL | LEAT_PARSER,                                   \
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_COLUMNS)

/* leat_stage.framing of records that are lines. */
static inline int parser_of_lines(const void *config, struct leat_framing *f)
{
    f->kind = LEAT_LINES;
    return LEAT_OK;
}

#endif
