/* child.h -- a shell command that reads leat's output on its standard input.
 *
 * The command has leat's standard output. Each line that it writes to standard error becomes a
 * warning. If it fails, the message contains the last such line. The command has its own process
 * group, so it can read the rest of its input when Ctrl-C ends the run. */
#ifndef LEAT_SINKS_CHILD_H
#define LEAT_SINKS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include <leat/plugin.h>

enum { CHILD_WORDS = 256 };

struct child {
    struct leat_ctx *ctx;
    pid_t pid;   /* 0 if no command runs */
    int in, err; /* leat's ends of the pipes to standard input and from standard error, or -1 */
    int status;  /* status from waitpid(), once the command has ended */
    /* Text from the command's standard error: the unfinished line, and the last complete line. */
    char line[CHILD_WORDS], last[CHILD_WORDS];
    size_t n_line;
};

/* Starts the command. Returns LEAT_OK, or a failure that it has reported to the host. */
int child_start(struct leat_ctx *ctx, struct child *c, const char *command);
/* Logs new lines of the command's standard error. */
void child_hear(struct child *c);
/* Writes to the command's input. Returns 0, EPIPE if the command no longer reads, ETIMEDOUT if the
 * run is stopping and cannot wait longer, or another errno. */
int child_write(struct child *c, const char *bytes, size_t n);
/* Closes the command's input and waits for its end. If the run is stopping and cannot wait longer,
 * terminates the command and returns false. */
bool child_end(struct child *c);

#endif
