/* reload.h -- SIGHUP: the script is read again, and the run continues with it, in the same process.
 *
 *     main thread                                                   signals thread
 *     -----------                                                   --------------
 *     waits for the end of the run   <----------------------------- SIGHUP
 *     reload_try: reads and checks the script beside the run
 *       wrong: says so; the run has noticed nothing
 *       right: asks for a snapshot, and if that can be written,
 *       asks the run to end           (a stop cancels it) <-------- SIGTERM
 *     the run has ended, with its closing snapshot
 *     reload_switches? the new script's session becomes the run's
 *     it opens, and continues from the snapshot: reload_is_done
 *       it does not open: reload_undo; the old session runs again, from the same snapshot
 *
 * What is read again is the script with what it requires, and plugins that are not loaded yet. The
 * command line, LEAT_ variables and plugins stay as they are. All on the main thread. */
#ifndef LEAT_PROGRAM_CLI_RUN_RELOAD_H
#define LEAT_PROGRAM_CLI_RUN_RELOAD_H

#include <stdbool.h>

#include "program/cli/session.h"
#include "program/watch/http.h"

struct run;
struct signals;

struct reload {
    const struct command_line *line; /* as it was given */
    struct http *http;               /* or NULL */
    struct session *next;            /* checked: the run ends, and this one starts */
    struct session *before;          /* has ended, and runs again unless the one of now opens */
    uint64_t asked_ns;               /* when the run was asked for a snapshot, or to end */
    uint64_t tried;                  /* the checkpoint before that snapshot */
    bool saving;                     /* the snapshot is under way */
    bool told;                       /* what is waited for */
};

/* Now and then while the run works: does what SIGHUP asks for, if it has come. */
void reload_try(struct reload *l, struct run *r, struct signals *s);
/* The run has ended: does the next script follow? If not, it is dropped. */
bool reload_switches(struct reload *l, const struct run *r, const struct signals *s);
/* *now, whose run is closed, gives way to the next one. */
void reload_switch(struct reload *l, struct session **now);
/* *now is open and works. */
void reload_is_done(struct reload *l, struct session *now);
/* *now could not be opened, which is said: the one before it comes back. */
void reload_undo(struct reload *l, struct session **now);
/* At the end. */
void reload_drop(struct reload *l);

#endif
