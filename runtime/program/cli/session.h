/* session.h -- a script, read and checked, for every command that takes one. */
#ifndef LEAT_PROGRAM_CLI_SESSION_H
#define LEAT_PROGRAM_CLI_SESSION_H

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "host/checkpoint/forecast.h"
#include "command.h"
#include "host/exec/trial/peek.h"
#include "host/graph/graph.h"
#include "host/plugin/registry.h"

/* Made by session_prepare, freed by session_release. It must not move between them. */
struct session {
    struct command_line line; /* a copy, so that --reset restarts a stage only once */
    bool reloads;             /* another session's run is at work, and messages use its words */
    const char *during;       /* cause of its problems: "reloading"; or NULL */
    struct arena arena;
    struct registry known;
    struct graph graph;
    struct diag diag;
    struct forecast forecast; /* of the preparation for `leat check` */
};

/* Depth of preparation. A run reads headers itself. */
enum session_depth {
    SESSION_LINKED,
    SESSION_OFFLINE, /* looks at no file but the script and the snapshots            */
    SESSION_SCHEMAS, /* for a run                                                    */
    SESSION_HEADERS, /* with headers, for stages without workers: nothing is written */
    SESSION_RECORDS  /* with headers, tables and the first records: `leat check`     */
};

/* Functions for leat.beginning. */
extern const struct lua_beginning session_beginnings;

/* Prepares a script: graph, then schemas. Returns LEAT_OK, or LEAT_EARG with the problems in the
 * diag. */
int session_prepare(struct session *s, const struct command_line *c, enum session_depth depth);
/* Prepares a reload to the depth of RECORDS, with the plan, while a run is at work and unaffected.
 * Stages that have not changed do not restart (--reset). */
int session_prepare_reload(struct session *s, const struct command_line *c);
/* Makes messages use the words of this session. Call it while no other thread works. */
void session_take_words(const struct session *s);
void session_release(struct session *s);
/* Makes problems name `subject` in place of the script, because the user has not written that
 * script. */
void session_name_subject(struct session *s, const char *subject);
/* Prints the problems that are not printed yet. */
void session_print_problems(struct session *s, const struct command_line *c);
/* True if only files were wrong: an error of the data, whether the pipeline was to run or not. */
bool session_only_files(const struct diag *d);

#endif
