/* reload.h -- SIGHUP: reads the script again, and continues the run with it, in the same process.
 *
 *     main thread                                                   signals thread
 *     -----------                                                   --------------
 *     waits for the end of the run   <----------------------------- SIGHUP
 *     reload_try: reads and checks the script while the run works
 *       wrong: reports it; the run is not affected
 *       right: asks for a snapshot, and if that can be written,
 *       asks the run to end           (a stop cancels it) <-------- SIGTERM
 *     the run has ended, with its closing snapshot
 *     reload_switches? the new script's session becomes the run's
 *     it opens, and continues from the snapshot: reload_is_done
 *       it does not open: reload_undo; the old session runs again, from the same snapshot
 *
 * A reload reads the script, the modules that it requires, and plugins that are not loaded yet. The
 * command line, LEAT_ variables and loaded plugins do not change. All functions run on the main
 * thread. */
#ifndef LEAT_PROGRAM_CLI_RUN_RELOAD_H
#define LEAT_PROGRAM_CLI_RUN_RELOAD_H

#include <stdbool.h>

#include "program/cli/session.h"
#include "program/watch/http.h"

struct run;
struct signals;

struct reload {
    const struct command_line *line; /* given by the user */
    struct http *http;               /* or NULL */
    struct session *next;            /* checked: it starts once the run has ended */
    struct session *before;          /* has ended; runs again unless the present one opens */
    uint64_t asked_ns;               /* when the run was asked for a snapshot, or to end */
    uint64_t tried;                  /* last checkpoint before that snapshot */
    bool saving;                     /* waiting for the snapshot */
    bool told;                       /* has printed the reason for waiting */
};

/* Does the work that SIGHUP asks for, if it has come. Called now and then while the run works. */
void reload_try(struct reload *l, struct run *r, struct signals *s);
/* True if the next script follows the run, which has ended. Otherwise drops the next script. */
bool reload_switches(struct reload *l, const struct run *r, const struct signals *s);
/* Replaces *now, whose run is closed, by the next session. */
void reload_switch(struct reload *l, struct session **now);
/* Ends a reload, when *now is open and works. */
void reload_is_done(struct reload *l, struct session *now);
/* Brings the session before *now back, after *now could not be opened, which has been reported. */
void reload_undo(struct reload *l, struct session **now);
/* Drops sessions that did not start. Call it at the end. */
void reload_drop(struct reload *l);

#endif
