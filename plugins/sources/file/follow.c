/* follow.c -- see follow.h. Here: which files there are, and waiting for text. Their state:
 * follow_state.c. Their records: reader.c. */
#include "follow.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "follow_inside.h"
#include "follow_unfit.h"
#include "common/inputs/wake_fd.h"

enum { WAIT_MS = 100, BLIND_MS = 20, SCANS = 10 };
static const uint64_t MS = 1000000, LOOK_NS = 500000000, QUIET_NS = UINT64_C(5000000000);

/* ---- names ---- */

static bool is_taken(const struct follow *fs, uint32_t name)
{
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].input == name) return true;
    return false;
}

/* The number of a name; a free one when it is new. */
static int name_input(struct leat_ctx *ctx, struct follow *fs, const char *path, uint32_t *input)
{
    uint32_t n = 2 * fs->cap, k = fs->last_name;
    for (uint32_t i = 0; i < n; i++)
        if (fs->name[i] && !strcmp(fs->name[i], path)) {
            *input = i;
            return LEAT_OK;
        }
    do
        k = (k + 1) % n;
    while (is_taken(fs, k));
    size_t size = strlen(path) + 1;
    char *copy = ctx->host->alloc(ctx, size);
    if (!copy) return LEAT_ENOMEM;
    ctx->host->free(ctx, fs->name[k]);
    fs->name[k] = memcpy(copy, path, size);
    *input = fs->last_name = k;
    return ctx->host->name_input(ctx, k, path);
}

/* ---- files ---- */

struct followed *follow_by_inode(const struct follow *fs, uint64_t device, uint64_t inode)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->device == device && f->is.inode == inode) return f;
    }
    return NULL;
}

/* The last of this name. */
static struct followed *last_of(const struct follow *fs, uint32_t input)
{
    struct followed *last = NULL;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->input == input && (!last || f->turn > last->turn)) last = f;
    }
    return last;
}

static void watch(struct follow *fs, struct followed *f)
{
    char path[64];
    f->watch = -1;
    if (fs->notify < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    f->watch = inotify_add_watch(fs->notify, path, IN_MODIFY | IN_ATTRIB);
}

static void watch_folder(const struct follow *fs, const char *path)
{
    char folder[BESIDE_PATH];
    if (fs->notify >= 0 && beside_path(path, "", folder))
        (void)inotify_add_watch(fs->notify, *folder ? folder : ".",
                                IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR);
}

static int told_full(struct leat_ctx *ctx, struct follow *fs, const char *path)
{
    if (!fs->told_full && !fs->to_end) /* to the end there are places enough, one after the other */
        ctx->host->log(ctx, LEAT_WARN,
                       "%u files are followed, as many as max_files allows: %s and others are not "
                       "read until some of them are gone. Raise max_files",
                       fs->cap - 1, path);
    fs->told_full = true;
    for (uint32_t i = 0; i < fs->cap; i++) /* rotated ones make room as soon as they are read */
        if (fs->file[i].left) fs->file[i].grown_ns = 0;
    return LEAT_AGAIN;
}

int follow_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
               struct followed **added)
{
    struct stat st;
    uint32_t input, i = 0, max = rotated ? fs->cap : fs->cap - 1;
    while (i < fs->cap && fs->file[i].path)
        i++;
    int status = fs->n < max ? name_input(ctx, fs, path, &input) : told_full(ctx, fs, path);
    if (status == LEAT_OK && fstat(fd, &st)) status = LEAT_AGAIN;
    if (status != LEAT_OK) {
        close(fd);
        return status;
    }
    *added = &fs->file[i];
    **added = (struct followed){.path = fs->name[input],
                                .input = input,
                                .fd = fd,
                                .device = (uint64_t)st.st_dev,
                                .is.inode = (uint64_t)st.st_ino,
                                .line = 1,
                                .turn = ++fs->turns,
                                .left = rotated,
                                .waits = last_of(fs, input) != NULL,
                                .changed = true,
                                .grown_ns = clock_ns()};
    fs->n++;
    watch(fs, *added);
    return LEAT_OK;
}

void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    if (f->watch >= 0) inotify_rm_watch(fs->notify, f->watch);
    close(f->fd);
    ctx->host->log(ctx, LEAT_DEBUG, "%s: a file that has lost this name is read to its end",
                   f->path);
    *f = (struct followed){.fd = -1};
    fs->n--;
    fs->look = true; /* others may have waited for a place */
}

void follow_leave(struct followed *f)
{
    if (f->left) return;
    f->left = f->changed = true;
    f->grown_ns = clock_ns();
}

static void note_head(const struct followed *f, struct fingerprint *is)
{
    ssize_t n = pread(f->fd, is->head, sizeof is->head, 0);
    is->n_head = n > 0 ? (uint32_t)n : 0;
}

static bool is_still(const struct followed *f, const struct fingerprint *is)
{
    struct stat st;
    return is->n_head ? fingerprint_fits(is, f->fd) : !fstat(f->fd, &st) && !st.st_size;
}

/* What was rotated while one text was in f: of others, which came later, none is in the list. */
static void list_between(struct follow *fs, const char *path, struct beside_place last,
                         const struct followed *now, struct fingerprint *is)
{
    for (int i = 0; i < SCANS; i++) {
        if (now) note_head(now, is);
        beside_rotated(path, last, &fs->between);
        if (!now || is_still(now, is)) return;
        beside_close(&fs->between);
    }
}

/* One of fs->between, unless it is followed already. false: there is no place for it. */
static bool add_one_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                            const struct beside *one)
{
    struct stat st;
    struct followed *f;
    if (fstat(one->fd, &st) || follow_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino)) {
        close(one->fd);
        return true;
    }
    if (follow_add(ctx, fs, path, one->fd, true, &f) != LEAT_OK) return false;
    ctx->host->log(ctx, LEAT_INFO, "%s was rotated more than once: %s is read, too", path,
                   one->name);
    return true;
}

bool follow_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                        struct beside_place *last, const struct followed *now)
{
    struct fingerprint is = {0};
    bool all = true;
    list_between(fs, path, *last, now, &is);
    for (uint32_t i = 0; i < fs->between.n; i++) {
        const struct beside *one = &fs->between.v[i];
        if (!all || beside_is_copy(one, &is))
            close(one->fd);
        else if ((all = add_one_between(ctx, fs, path, one)))
            *last = (struct beside_place){one->written_ns, one->inode};
    }
    return all && !fs->between.more;
}

/* false: others come before the next, and there was no place for all of them. */
static bool succeed(struct leat_ctx *ctx, struct follow *fs, struct followed *before)
{
    struct stat st;
    struct beside_place last = {.inode = before->is.inode};
    follow_leave(before);
    if (fstat(before->fd, &st)) return true;
    last.written_ns = beside_written(&st);
    return follow_add_between(ctx, fs, before->path, &last, NULL);
}

/* The file that has this name now. */
static int see(struct leat_ctx *ctx, struct follow *fs, const char *path)
{
    struct stat st;
    struct followed *f;
    uint32_t input;
    int status, fd;
    watch_folder(fs, path);
    if (stat(path, &st)) return LEAT_OK;
    if ((f = follow_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino))) {
        f->left = false;
        return LEAT_OK;
    }
    if (!follow_open(ctx, fs, path, &fd, &status)) return status;
    if ((status = name_input(ctx, fs, path, &input)) != LEAT_OK) {
        close(fd);
        return status;
    }
    struct followed *before = last_of(fs, input);
    bool next = !before || succeed(ctx, fs, before);
    if (!next || fstat(fd, &st) || follow_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino)) {
        close(fd); /* not its turn; or rotated meanwhile, and found by its new name */
        return LEAT_OK;
    }
    status = follow_add(ctx, fs, path, fd, false, &f);
    if (status == LEAT_OK) status = follow_check(ctx, fs, f);
    return status == LEAT_AGAIN ? LEAT_OK : status;
}

static int see_pattern(struct leat_ctx *ctx, struct follow *fs, const char *pattern)
{
    glob_t found = {0};
    int status = LEAT_OK;
    watch_folder(fs, pattern);
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; status == LEAT_OK && i < found.gl_pathc; i++)
            status = see(ctx, fs, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

bool follow_has_earlier(const struct follow *fs, const struct followed *f)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        const struct followed *g = &fs->file[i];
        if (g->path && g->input == f->input && g->turn < f->turn) return true;
    }
    return false;
}

/* Those that have none before them: it is gone, or what they waited for was a place for it. */
static void release_first(struct follow *fs)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        f->waits = f->waits && follow_has_earlier(fs, f);
    }
}

/* What has been removed will not come again. */
static void leave_removed(struct follow *fs)
{
    struct stat st;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && !f->left && !fstat(f->fd, &st) && !st.st_nlink) follow_leave(f);
    }
}

int follow_look(struct leat_ctx *ctx, struct follow *fs)
{
    int status = LEAT_OK;
    fs->looked_ns = clock_ns();
    fs->look = false;
    for (uint32_t i = 0; status == LEAT_OK && i < fs->paths->n; i++) {
        const char *path = fs->paths->v[i];
        bool pattern = strpbrk(path, "*?[") && access(path, F_OK);
        status = pattern ? see_pattern(ctx, fs, path) : see(ctx, fs, path);
    }
    leave_removed(fs);
    release_first(fs);
    for (uint32_t i = 0; i < fs->cap; i++)
        fs->file[i].changed = true;
    fs->begun = true;
    return status;
}

/* ---- text ---- */

/* The next of this name may be read. */
static void release_next(struct follow *fs, const struct followed *f)
{
    struct followed *next = NULL;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *g = &fs->file[i];
        if (g->path && g->input == f->input && g->turn > f->turn && (!next || g->turn < next->turn))
            next = g;
    }
    if (!next || !next->waits) return;
    next->waits = false;
    fs->released = true;
}

/* The rest of a file that was truncated, from a copy of it. LEAT_OK; LEAT_AGAIN: there is no place
 * for it yet; LEAT_EOS: there is no copy. */
static int add_copy(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    char found[BESIDE_PATH];
    struct followed *copy;
    struct stat st;
    int fd = beside_find(f->path, &f->is, f->at, found);
    if (fd < 0) return LEAT_EOS;
    if (follow_add(ctx, fs, f->path, fd, true, &copy) != LEAT_OK) return LEAT_AGAIN;
    copy->offset = copy->at = f->offset;
    copy->line = f->line;
    copy->too_long = f->too_long;
    memcpy(copy->is.head, f->is.head, f->is.n_head);
    copy->is.n_head = f->is.n_head;
    copy->waits = false;
    ctx->host->log(ctx, LEAT_WARN,
                   "%s was truncated after byte %llu: what follows is read from its copy, %s",
                   f->path, (unsigned long long)f->offset, found);
    f->unseen = (struct beside_place){fstat(fd, &st) ? 0 : beside_written(&st), copy->is.inode};
    return LEAT_OK;
}

static void truncated(struct leat_ctx *ctx, struct follow *fs, struct followed *f, uint64_t written)
{
    struct beside_place here = {written, f->is.inode};
    int status = add_copy(ctx, fs, f);
    f->waits = status != LEAT_EOS;
    if (status == LEAT_AGAIN) return; /* when it is looked at again, it still is */
    if (status == LEAT_EOS) {
        f->unseen = here;
        ctx->host->log(ctx, LEAT_WARN,
                       "%s was truncated after byte %llu, and no copy is beside it: it is read "
                       "from its beginning. What was written to it after that byte is lost, %llu "
                       "bytes at least",
                       f->path, (unsigned long long)f->offset,
                       (unsigned long long)(f->at - f->offset));
    }
    f->offset = f->at = 0;
    f->line = 1;
    f->is.n_head = 0;
    f->too_long.state = LONG_NONE;
    f->turn = ++fs->turns;
    f->restarted = true;
    f->scanned_ns = 0;
}

/* A file of which nothing was read is like any other: it may have been truncated unseen. Was it? It
 * waits then for what comes before. */
static bool find_unseen(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    uint64_t turns = fs->turns;
    bool all = follow_add_between(ctx, fs, f->path, &f->unseen, f);
    if (all && fs->turns == turns) return false;
    f->turn = ++fs->turns;
    release_first(fs);
    return f->waits = true;
}

bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n)
{
    uint32_t n_head = f->is.n_head;
    fingerprint_add(&f->is, f->at, text, n);
    bool unseen = n && f->unseen.written_ns && !f->left && find_unseen(ctx, fs, f);
    if (unseen || (n && !f->left && !fingerprint_fits(&f->is, f->fd))) {
        f->is.n_head = n_head;
        f->size = f->at;
        return !(f->changed = true);
    }
    if (n) f->unseen.written_ns = 0;
    f->at += n;
    return true;
}

/* Looks at its size. */
static void measure(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    struct stat st;
    f->changed = false;
    if (fstat(f->fd, &st)) return;
    uint64_t size = (uint64_t)st.st_size;
    bool grown = size > f->size;
    if (!f->left && (size < f->at || (grown && !fingerprint_fits(&f->is, f->fd))))
        truncated(ctx, fs, f, beside_written(&st));
    if (grown) f->grown_ns = clock_ns(), f->flushed = false;
    if (grown && !f->at) (void)follow_check(ctx, fs, f);
    f->size = size > f->at ? size : f->at;
    if (size || f->waits || !f->unseen.written_ns || f->scanned_ns == beside_written(&st)) return;
    f->scanned_ns = beside_written(&st); /* nobody knows when its next text comes */
    (void)find_unseen(ctx, fs, f);
}

bool follow_is_idle(const struct follow *fs, const struct followed *f)
{
    return fs->idle_ns && !f->flushed && f->at > f->offset &&
           (f->left || clock_ns() - f->grown_ns > fs->idle_ns);
}

bool follow_is_over(const struct follow *fs, const struct followed *f)
{
    return f->left && f->at >= f->size && (fs->to_end || clock_ns() - f->grown_ns > QUIET_NS);
}

bool follow_has_waiting(const struct follow *fs)
{
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].waits) return true;
    return false;
}

static bool has_text(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    if (!f->path || f->waits) return false;
    if (f->changed) measure(ctx, fs, f);
    if (f->waits) return false; /* for a copy, now that it was truncated */
    if (f->skipped && f->left) follow_remove(ctx, fs, f);
    if (f->skipped || !f->path) return false;
    if (f->size > f->at || follow_is_idle(fs, f)) return true;
    if (f->left) release_next(fs, f);
    return follow_is_over(fs, f);
}

static struct followed *with_text(struct leat_ctx *ctx, struct follow *fs,
                                  const struct followed *last)
{
    uint32_t from = last ? (uint32_t)(last - fs->file) + 1 : 0;
    do {
        fs->released = false;
        for (uint32_t i = 0; i < fs->cap; i++) {
            struct followed *f = &fs->file[(from + i) % fs->cap];
            if (has_text(ctx, fs, f)) return f;
        }
    } while (fs->released); /* by one after it */
    return NULL;
}

struct followed *follow_unfinished(struct follow *fs, const struct followed *last)
{
    for (uint32_t i = last ? (uint32_t)(last - fs->file) + 1 : 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && (f->at > f->offset || f->too_long.state != LONG_NONE)) return f;
    }
    return NULL;
}

/* ---- waiting ---- */

static void take_event(struct follow *fs, const struct inotify_event *e)
{
    bool of_file = false;
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].watch == e->wd) of_file = fs->file[i].changed = true;
    if (!of_file) fs->look = true; /* of a folder, or too many for the queue */
}

static void take_events(struct follow *fs)
{
    union {
        struct inotify_event first;
        char bytes[8192];
    } events;
    ssize_t n;
    while ((n = read(fs->notify, events.bytes, sizeof events)) > 0)
        for (char *at = events.bytes; at < events.bytes + n;) {
            const struct inotify_event *e = (const void *)at;
            take_event(fs, e);
            at += sizeof *e + e->len;
        }
}

/* true: it was woken for something else. */
static bool sleep_for_text(struct leat_ctx *ctx, struct follow *fs)
{
    struct pollfd fds[3] = {{.fd = ctx->host->stop_fd(ctx), .events = POLLIN},
                            {.fd = fs->notify, .events = POLLIN},
                            {.fd = fs->wake_fd, .events = POLLIN}};
    uint64_t idle_ms = fs->idle_ns ? fs->idle_ns / MS + 1 : WAIT_MS;
    (void)poll(fds, 3, fs->notify < 0 ? BLIND_MS : idle_ms < WAIT_MS ? (int)idle_ms : WAIT_MS);
    for (uint32_t i = 0; fs->notify < 0 && i < fs->cap; i++)
        fs->file[i].changed = true;
    if (fds[2].revents) wake_fd_clear(fs->wake_fd);
    return fds[2].revents;
}

int follow_next(struct leat_ctx *ctx, struct follow *fs, const struct followed *last, bool wait,
                struct followed **f)
{
    uint64_t end = clock_ns() + WAIT_MS * MS;
    for (;;) {
        if (ctx->host->stopping(ctx)) return LEAT_EOS;
        if (fs->notify >= 0) take_events(fs);
        int status = LEAT_OK;
        if (fs->look || clock_ns() - fs->looked_ns > LOOK_NS) status = follow_look(ctx, fs);
        *f = status == LEAT_OK ? with_text(ctx, fs, last) : NULL;
        if (status != LEAT_OK || *f || !wait || clock_ns() >= end) return status;
        if (sleep_for_text(ctx, fs)) return LEAT_OK;
    }
}

uint64_t follow_behind(const struct follow *fs)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].size > fs->file[i].offset)
            bytes += fs->file[i].size - fs->file[i].offset;
    return bytes;
}

/* ---- beginning and end ---- */

void follow_validate(const struct leat_strings *paths, struct leat_diag *d)
{
    for (uint32_t i = 0; i < paths->n; i++)
        if (!strcmp(paths->v[i], "-"))
            d->error(d, "follow",
                     "standard input ('-') is read until it ends, and cannot be followed: give "
                     "names of files, or set follow = false");
}

uint64_t follow_bytes(int64_t max_files)
{
    return ((uint64_t)max_files + 1) * (sizeof(struct followed) + 2 * sizeof(char *) + 128);
}

uint32_t follow_input(const struct follow *fs, const char *path)
{
    for (uint32_t i = 0; i < 2 * fs->cap; i++)
        if (fs->name[i] && !strcmp(fs->name[i], path)) return i;
    return 0;
}

int follow_init(struct leat_ctx *ctx, struct follow *fs, const struct leat_strings *paths,
                int64_t max_files, bool to_end)
{
    *fs = (struct follow){
        .paths = paths, .cap = (uint32_t)max_files + 1, .to_end = to_end, .begun = to_end};
    fs->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    fs->file = ctx->host->alloc(ctx, fs->cap * sizeof *fs->file);
    fs->name = ctx->host->alloc(ctx, 2 * (size_t)fs->cap * sizeof *fs->name);
    if (!fs->file || !fs->name) return LEAT_ENOMEM;
    return follow_look(ctx, fs);
}

void follow_fini(struct leat_ctx *ctx, struct follow *fs)
{
    for (uint32_t i = 0; fs->file && i < fs->cap; i++)
        if (fs->file[i].path) close(fs->file[i].fd);
    for (uint32_t i = 0; fs->name && i < 2 * fs->cap; i++)
        ctx->host->free(ctx, fs->name[i]);
    ctx->host->free(ctx, fs->file);
    ctx->host->free(ctx, fs->name);
    if (fs->cap && fs->notify >= 0) close(fs->notify);
    *fs = (struct follow){.notify = -1};
}
