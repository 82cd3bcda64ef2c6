/* session.h -- what every command that reads a script has: its stages, graph and problems. */
#ifndef LEAT_CLI_SESSION_H
#define LEAT_CLI_SESSION_H

#include "command.h"
#include "exec/beside/beginning.h"

struct session {
    struct arena arena;
    struct registry known;
    struct graph graph;
    struct diag diag;
};

/* What a script may ask of the beginnings of files. */
extern const struct lua_beginning session_beginnings;

/* How far a command needs the pipeline. A run reads headers itself. */
enum session_depth {
    SESSION_LINKED,
    SESSION_SCHEMAS, /* as a run needs it                                             */
    SESSION_HEADERS, /* with headers, for stages without workers: nothing is written */
    SESSION_RECORDS  /* with headers, tables and the first records: `leat check`     */
};

/* Script → graph → schemas. LEAT_OK, or LEAT_EARG with the problems in the diag; session_release
 * it in any case. */
int session_prepare(struct session *s, const struct command_line *c, enum session_depth depth);
void session_release(struct session *s);

/* On standard error, with how many errors they are. */
void session_print_problems(struct session *s, const struct command_line *c);
/* Only files were wrong: that is an error of the data, whether the pipeline was to run or not. */
bool session_only_files(const struct diag *d);

#endif
