/* reload.h -- on SIGHUP, reads the script again and continues the run with it in the same process.
 *
 *     main thread                                                   signals thread
 *     -----------                                                   --------------
 *     waits for the end of the run   <----------------------------- SIGHUP
 *     reload_try: reads and checks the script while the run works
 *       script is faulty: prints the problems; the run continues
 *       script is correct: requests a snapshot, and when that is
 *       written, the end of the run   (a stop cancels it) <-------- SIGTERM
 *     the run has ended, with its closing snapshot
 *     reload_switches is true: the new script's session becomes the run's
 *     the session opens, and continues from the snapshot: reload_is_done
 *       it does not open: reload_undo; the old session runs again, from the same snapshot
 *
 * A reload reads the script, the Lua modules that it requires, and plugins that are not loaded yet.
 * The command line, LEAT_ variables and loaded plugins do not change. All functions run on the main
 * thread. */
#ifndef LEAT_PROGRAM_CLI_RUN_RELOAD_H
#define LEAT_PROGRAM_CLI_RUN_RELOAD_H

#include <stdbool.h>

#include "program/cli/session.h"
#include "program/watch/http.h"

struct run;
struct signals;

struct reload {
    const struct command_line *line; /* command line of the process */
    struct http *http;               /* server of --http, or NULL */
    struct session *next;   /* checked session of the new script; starts after the present run */
    struct session *before; /* previous session; runs again if the present one does not open */
    uint64_t asked_ns;      /* time at which the run was asked for a snapshot, or to end */
    uint64_t tried;         /* number of the last checkpoint that was tried before the reload */
    bool saving;            /* true while the reload waits for its snapshot */
    bool told;              /* true after the reason for the wait was printed */
};

/* Does the next step of a reload, if SIGHUP has come. Called periodically while the run works. */
void reload_try(struct reload *l, struct run *r, struct signals *s);
/* True if the new script shall run, now that the run has ended. Otherwise drops the new script. */
bool reload_switches(struct reload *l, const struct run *r, const struct signals *s);
/* Replaces *now, whose run is closed, by the session of the new script. */
void reload_switch(struct reload *l, struct session **now);
/* Completes the reload when the session `now` is open and works. */
void reload_is_done(struct reload *l, struct session *now);
/* Sets *now back to the session before the reload. Called when *now could not be opened, after that
 * error was printed. */
void reload_undo(struct reload *l, struct session **now);
/* Frees the sessions that are not the present one. Call it at the end. */
void reload_drop(struct reload *l);

#endif
