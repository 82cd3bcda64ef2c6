/* child.h -- a shell command that reads from leat on its standard input.
 *
 * It shares leat's standard output. Lines on its standard error become warnings; the last line also
 * goes into the message of a failure. The command has its own process group, so a Ctrl-C that ends
 * the run lets it read the rest. */
#ifndef LEAT_SINKS_CHILD_H
#define LEAT_SINKS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include <leat/plugin.h>

enum { CHILD_WORDS = 256 };

struct child {
    struct leat_ctx *ctx;
    pid_t pid;   /* 0 if none runs */
    int in, err; /* leat's ends of its pipes, or -1 */
    int status;  /* of waitpid, once it has ended */
    /* Standard error: unfinished line; last whole line. */
    char line[CHILD_WORDS], last[CHILD_WORDS];
    size_t n_line;
};

/* Returns LEAT_OK, or a failure reported to the host. */
int child_start(struct leat_ctx *ctx, struct child *c, const char *command);
/* Logs new lines of standard error. */
void child_hear(struct child *c);
/* Returns 0, or an errno: EPIPE if the command reads no more, ETIMEDOUT if the run is stopping and
 * cannot wait for it. */
int child_write(struct child *c, const char *bytes, size_t n);
/* Closes the command's input and waits for its end. Returns false if the run is stopping and cannot
 * wait; then it has terminated the command. */
bool child_end(struct child *c);

#endif
