/* dead_letter_json.h -- a dead letter as a line of JSON. */
#ifndef LEAT_HOST_EXEC_REJECTS_DEAD_LETTER_JSON_H
#define LEAT_HOST_EXEC_REJECTS_DEAD_LETTER_JSON_H

#include <leat/plugin.h>

#include "core/report/text_out.h"

/* Writes a dead letter as a line of JSON, which parse.dead_letters can read:
 *
 *     {"input", "line", "offset", "stage", "reason", "message", "cut", "headers", "record"}
 *
 * If a member NAME is not UTF-8, it is written as NAME_hex, in hexadecimal. */
void dead_letter_json(struct text_out *o, const struct leat_dead_letter *l);

#endif
