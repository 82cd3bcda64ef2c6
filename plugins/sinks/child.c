/* child.c -- implementation of child.h: starts, feeds and ends the command. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { POLL_MS = 100 };
static const int64_t LAST_SECOND = INT64_C(1000000000);

/* ---- starting the command ---- */

/* Sets the signal mask and handlers that a program has when a shell starts it. */
static void set_signals(posix_spawnattr_t *attr)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(attr, &none);
    posix_spawnattr_setsigdefault(attr, &usual);
    posix_spawnattr_setpgroup(attr, 0);
    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                       POSIX_SPAWN_SETPGROUP);
}

static int spawn(struct child *c, const char *command, int in, int err)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t files;
    char *const args[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_init(&files);
    set_signals(&attr);
    int failed = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    if (!failed) failed = posix_spawn(&c->pid, "/bin/sh", &files, &attr, args, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    if (failed) c->pid = 0;
    return failed;
}

static void close_pipe(const int fd[2])
{
    if (fd[0] >= 0) close(fd[0]);
    if (fd[1] >= 0) close(fd[1]);
}

int child_start(struct leat_ctx *ctx, struct child *c, const char *command)
{
    int in[2] = {-1, -1}, err[2] = {-1, -1};
    *c = (struct child){.ctx = ctx, .in = -1, .err = -1};
    int failed = pipe2(in, O_CLOEXEC) || pipe2(err, O_CLOEXEC) ? errno : 0;
    if (!failed) failed = spawn(c, command, in[0], err[1]);
    if (failed) {
        close_pipe(in);
        close_pipe(err);
        return ctx->host->fail(ctx, LEAT_EIO, "'%s' cannot be started: %s", command,
                               strerror(failed));
    }
    close(in[0]);
    close(err[1]);
    c->in = in[1];
    c->err = err[0];
    fcntl(c->in, F_SETFL, O_NONBLOCK);
    fcntl(c->err, F_SETFL, O_NONBLOCK);
    return LEAT_OK;
}

/* ---- standard error ---- */

static void say_line(struct child *c)
{
    c->line[c->n_line] = 0;
    if (c->n_line) {
        memcpy(c->last, c->line, c->n_line + 1);
        c->ctx->host->log(c->ctx, LEAT_WARN, "the command says: %s", c->line);
    }
    c->n_line = 0;
}

/* Splits lines of standard error that are too long for c->line. */
void child_hear(struct child *c)
{
    char text[4096];
    ssize_t n;
    if (c->err < 0) return;
    while ((n = read(c->err, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            bool end = text[i] == '\n';
            if (end || c->n_line == CHILD_WORDS - 1) say_line(c);
            if (!end) c->line[c->n_line++] = text[i];
        }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(c->err); /* the command has closed standard error */
    c->err = -1;
}

/* ---- writing to the command ---- */

static bool child_is_late(const struct child *c)
{
    const struct leat_host *h = c->ctx->host;
    return h->stopping(c->ctx) && h->time_left(c->ctx) < LAST_SECOND;
}

/* Waits until the command can read more input, or has written to standard error. */
static void child_wait_for(const struct child *c)
{
    struct pollfd p[] = {{.fd = c->err, .events = POLLIN}, {.fd = c->in, .events = POLLOUT}};
    poll(p, 2, POLL_MS);
}

int child_write(struct child *c, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(c->in, bytes, n);
        if (done < 0 && errno != EAGAIN && errno != EINTR) return errno;
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        }
        child_hear(c);
        if (done > 0) continue;
        if (child_is_late(c)) return ETIMEDOUT;
        child_wait_for(c);
    }
    return 0;
}

/* ---- the end of the command ---- */

/* True if the command has ended, even if processes that it started still have its standard error
 * open. */
static bool has_ended(struct child *c)
{
    bool ended = waitpid(c->pid, &c->status, WNOHANG) != 0;
    child_hear(c);
    return ended;
}

bool child_end(struct child *c)
{
    bool in_time = true;
    if (!c->pid) return true;
    close(c->in);
    c->in = -1;
    while (!has_ended(c)) {
        if (child_is_late(c)) {
            in_time = false;
            kill(-c->pid, SIGTERM);
            break;
        }
        child_wait_for(c);
    }
    say_line(c);
    if (c->err >= 0) close(c->err);
    c->err = -1;
    c->pid = 0;
    return in_time;
}
