/* session.h -- a script, read and checked: what every command that takes one has. */
#ifndef LEAT_PROGRAM_CLI_SESSION_H
#define LEAT_PROGRAM_CLI_SESSION_H

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "host/checkpoint/forecast.h"
#include "command.h"
#include "host/exec/trial/peek.h"
#include "host/graph/graph.h"
#include "host/plugin/registry.h"

/* Made by session_prepare, taken down by session_release; it must not be moved between them. */
struct session {
    struct command_line line; /* a copy: a stage restarts (--reset) once */
    bool reloads;             /* a run is at work meanwhile, whose words messages have */
    const char *during;       /* what its problems are put down to: "reloading"; or NULL */
    struct arena arena;
    struct registry known;
    struct graph graph;
    struct diag diag;
    struct forecast forecast; /* of what was prepared for `leat check` */
};

/* How far a command needs the pipeline. A run reads headers itself. */
enum session_depth {
    SESSION_LINKED,
    SESSION_OFFLINE, /* without a look at any file but the script and the snapshots    */
    SESSION_SCHEMAS, /* as a run needs it                                             */
    SESSION_HEADERS, /* with headers, for stages without workers: nothing is written */
    SESSION_RECORDS  /* with headers, tables and the first records: `leat check`     */
};

/* Functions that leat.beginning calls. */
extern const struct lua_beginning session_beginnings;

/* Script → graph → schemas. LEAT_OK, or LEAT_EARG with the problems in the diag. */
int session_prepare(struct session *s, const struct command_line *c, enum session_depth depth);
/* Prepares to the depth of RECORDS and with the plan, beside a run that is at work: nothing of
 * that changes. Stages that have not changed do not restart (--reset). */
int session_prepare_reload(struct session *s, const struct command_line *c);
/* Messages have the words of this session. No thread is at work. */
void session_take_words(const struct session *s);
void session_release(struct session *s);
/* Problems name this in place of the script: a script that the user has not written is not what is
 * wrong. */
void session_name_subject(struct session *s, const char *subject);
/* Prints the problems that it has not printed yet. */
void session_print_problems(struct session *s, const struct command_line *c);
/* Only files were wrong: that is an error of the data, whether the pipeline was to run or not. */
bool session_only_files(const struct diag *d);

#endif
