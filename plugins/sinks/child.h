/* child.h -- a command of the shell that is fed through its standard input.
 *
 * Its standard output is that of leat. What it says on standard error becomes warnings, and the end
 * of it is kept for the message of a failure. It has a process group of its own, so the Ctrl-C that
 * ends a run lets it take the rest. */
#ifndef LEAT_SINKS_CHILD_H
#define LEAT_SINKS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include <leat/plugin.h>

enum { CHILD_WORDS = 256 };

struct child {
    struct leat_ctx *ctx;
    pid_t pid;                                 /* 0: none runs */
    int in, err;                               /* ends of its pipes, or -1 */
    int status;                                /* of waitpid, once it has ended */
    char line[CHILD_WORDS], last[CHILD_WORDS]; /* that it is saying; that it said last */
    size_t n_line;
};

/* LEAT_OK, or a failure after host->fail. */
int child_start(struct leat_ctx *ctx, struct child *c, const char *command);
/* Passes on what it has said since. */
void child_hear(struct child *c);
/* 0; or an errno: EPIPE where it takes no more, ETIMEDOUT where a run that is being stopped cannot
 * wait for it. */
int child_write(struct child *c, const char *bytes, size_t n);
/* Ends its input and waits for its end. false: a run that is being stopped cannot wait, and has
 * terminated it. */
bool child_end(struct child *c);

#endif
