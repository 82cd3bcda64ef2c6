/* snapshot_watch.h -- looks at the directory of `--state`: at its newest snapshot, when there is a
 * new one.
 *
 * A child reads it (model_summary.h), so that large models do not stop the screen, what plugins and
 * damaged files do stays there, and their messages come here:
 *
 *     child  --- JSON -----> fd
 *            --- messages -> a file in memory, read when fd ends
 *
 * Nothing is locked or written: the run may go on. */
#ifndef LEAT_PROGRAM_CLI_TOP_SNAPSHOT_WATCH_H
#define LEAT_PROGRAM_CLI_TOP_SNAPSHOT_WATCH_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "program/cli/command.h"
#include "look.h"

struct snapshot_watch {
    const struct command_line *line; /* --memory, --plugin-path */
    const char *dir;
    struct stat shown; /* the snapshot that was read last; st_ino 0: none */
    int fd;            /* -1: no child is under way */
    int messages;
    pid_t child;
    char *bytes;
    size_t n, cap;
    struct look look; /* its status has "age" at the time when it was read, seconds */
};

/* A look finds a status only where the newest snapshot is not the one shown. */
void snapshot_watch_begin(struct snapshot_watch *w);
/* true: it is over, with what it has found in w->look. */
bool snapshot_watch_step(struct snapshot_watch *w);
/* Ends the child. */
void snapshot_watch_free(struct snapshot_watch *w);

#endif
