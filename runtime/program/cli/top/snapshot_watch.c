/* snapshot_watch.c -- see snapshot_watch.h. */
#include "snapshot_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/log/log.h"
#include "host/memory/memory.h"
#include "host/log/json_text.h"
#include "core/time/clock.h"
#include "program/cli/model/model.h"
#include "program/cli/model/model_summary.h"
#include "host/store/snapshot_dir.h"

enum { MOST_BYTES = 64 << 20 };

/* ---- the child ---- */

static int read_newest(const struct snapshot_watch *w)
{
    struct model m;
    struct registry known;
    command_load_plugins(&known, w->line);
    int status = model_open(&m, w->dir, w->line->memory, &known);
    if (status == LEAT_OK) {
        json_t *o = model_summary(&m);
        double age = m.run.saved_at ? (double)(clock_unix_ns() - m.run.saved_at) / 1e9 : 0;
        json_object_set_new(o, "age", json_real(age));
        json_object_set_new(o, "checkpoint", json_integer((json_int_t)m.from.checkpoint));
        if (json_print(o, JSON_COMPACT, stdout) || fflush(stdout)) status = LEAT_EIO;
    }
    model_close(&m);
    registry_free(&known);
    return status;
}

static void be_child(const struct snapshot_watch *w, int to)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(to, STDOUT_FILENO);
    dup2(w->messages, STDERR_FILENO);
    log_set_level(LEAT_ERROR);
    _exit(read_newest(w) == LEAT_OK ? EXIT_DONE : EXIT_DATA);
}

/* ---- the parent ---- */

static void trouble(struct snapshot_watch *w, const char *what)
{
    snprintf(w->look.trouble, sizeof w->look.trouble, "%s: %s", w->dir, what);
}

/* What distinguishes the newest snapshot. false: there is none, after a message. */
static bool find_newest(struct snapshot_watch *w, struct stat *st)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    char name[32], path[PATH_MAX];
    int n = snapshot_dir_list(w->dir, checkpoint);
    if (n < 0) trouble(w, strerror(errno));
    if (n == 0) trouble(w, "there is no snapshot yet");
    if (n <= 0) return false;
    snapshot_dir_name(checkpoint[0], name);
    snprintf(path, sizeof path, "%s/%s", w->dir, name);
    if (!stat(path, st)) return true;
    trouble(w, strerror(errno)); /* of a moment: the next look finds the one that replaced it */
    return false;
}

static bool start_child(struct snapshot_watch *w)
{
    int ends[2];
    w->messages = memfd_create("messages", MFD_CLOEXEC);
    if (w->messages < 0 || pipe2(ends, O_CLOEXEC)) return false;
    fflush(stdout);
    w->child = fork();
    if (!w->child) be_child(w, ends[1]);
    close(ends[1]);
    w->fd = ends[0];
    fcntl(w->fd, F_SETFL, O_NONBLOCK);
    w->n = 0;
    return w->child > 0;
}

static void end_child(struct snapshot_watch *w, int *status)
{
    if (w->child > 0) waitpid(w->child, status, 0);
    if (w->fd >= 0) close(w->fd);
    if (w->messages >= 0) close(w->messages);
    w->child = 0;
    w->fd = w->messages = -1;
}

void snapshot_watch_begin(struct snapshot_watch *w)
{
    struct stat st;
    int status;
    look_clear(&w->look);
    w->fd = w->messages = -1;
    if (!find_newest(w, &st)) return;
    const struct stat *old = &w->shown;
    if (st.st_ino == old->st_ino && st.st_mtim.tv_sec == old->st_mtim.tv_sec &&
        st.st_mtim.tv_nsec == old->st_mtim.tv_nsec)
        return;
    w->shown = st;
    if (start_child(w)) return;
    trouble(w, strerror(errno));
    end_child(w, &status);
}

static void keep(struct snapshot_watch *w, const char *bytes, size_t n)
{
    if (w->n + n > w->cap) {
        char *grown = memory_take(2 * (w->n + n));
        if (w->n) memcpy(grown, w->bytes, w->n);
        free(w->bytes);
        w->bytes = grown;
        w->cap = 2 * (w->n + n);
    }
    memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

/* The last line that the child has said, without what begins every message. */
static void take_message(struct snapshot_watch *w)
{
    char text[LOOK_TROUBLE];
    ssize_t n = pread(w->messages, text, sizeof text - 1, 0);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n > 0 ? n : 0] = 0;
    const char *line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    if (!strncmp(line, "leat: ", 6)) line += 6;
    if (!strncmp(line, "error: ", 7)) line += 7;
    if (*line)
        snprintf(w->look.trouble, sizeof w->look.trouble, "%s", line);
    else
        trouble(w, "the snapshot could not be read");
}

static void take_all(struct snapshot_watch *w)
{
    if (w->n <= MOST_BYTES) w->look.status = json_loadb(w->bytes, w->n, JSON_ALLOW_NUL, NULL);
    if (w->look.status) return;
    take_message(w);
    w->shown.st_ino = 0; /* it is read again */
}

bool snapshot_watch_step(struct snapshot_watch *w)
{
    char bytes[1 << 14];
    int status;
    if (w->fd < 0) return true;
    for (;;) {
        ssize_t n = read(w->fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
        if (n <= 0 || w->n > MOST_BYTES) break;
        keep(w, bytes, (size_t)n);
    }
    if (w->n > MOST_BYTES) kill(w->child, SIGKILL);
    take_all(w);
    end_child(w, &status);
    return true;
}

void snapshot_watch_free(struct snapshot_watch *w)
{
    int status;
    if (w->child > 0) kill(w->child, SIGKILL);
    end_child(w, &status);
    look_clear(&w->look);
    free(w->bytes);
}
