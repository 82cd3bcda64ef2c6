/* session.h -- reads and checks a script, for every command that takes one. */
#ifndef LEAT_PROGRAM_CLI_SESSION_H
#define LEAT_PROGRAM_CLI_SESSION_H

#include "host/log/diag.h"
#include "host/memory/arena.h"
#include "host/checkpoint/forecast.h"
#include "command.h"
#include "host/exec/trial/peek.h"
#include "host/graph/graph.h"
#include "host/plugin/registry.h"

/* session_prepare() fills it and session_release() frees it. It must not move between them. */
struct session {
    struct command_line line; /* copy of the command line, from which a run removes --reset */
    bool reloads;       /* true while another session's run is at work, whose words messages use */
    const char *during; /* word that is added to messages: "reloading"; or NULL */
    struct arena arena;
    struct registry known;
    struct graph graph;
    struct diag diag;
    struct forecast forecast; /* effect of the snapshot on each stage, for `leat check` */
};

/* Depth of the preparation. A run uses SESSION_SCHEMAS, because its sources read headers later. */
enum session_depth {
    SESSION_LINKED,
    SESSION_OFFLINE, /* reads no file except the script and the snapshots */
    SESSION_SCHEMAS, /* negotiates schemas; for `leat run` */
    SESSION_HEADERS, /* reads headers too, for commands that start no workers; writes nothing */
    SESSION_RECORDS  /* reads tables and the first records too; for `leat check` */
};

/* Functions that leat.beginning calls to read the beginning of a file. */
extern const struct lua_beginning session_beginnings;

/* Builds the graph of a script, then negotiates its schemas. Returns LEAT_OK. Otherwise returns
 * LEAT_EARG, with the problems in s->diag. */
int session_prepare(struct session *s, const struct command_line *c, enum session_depth depth);
/* Prepares the session for a reload, to the depth SESSION_RECORDS, and makes the plan. Does not
 * affect the run at work. Ignores --reset for stages that have not changed. */
int session_prepare_reload(struct session *s, const struct command_line *c);
/* Makes messages mention the options --set of this session's script (command_words.h). Call it
 * while no other thread works. */
void session_take_words(const struct session *s);
void session_release(struct session *s);
/* Makes messages name `subject` in place of the script. Used if leat, not the user, wrote the
 * script. */
void session_name_subject(struct session *s, const char *subject);
/* Prints the problems that have not been printed yet. */
void session_print_problems(struct session *s, const struct command_line *c);
/* True if all errors are about files. The exit code is then EXIT_DATA. */
bool session_only_files(const struct diag *d);

#endif
