/* follow.c -- implementation of follow.h: new text, the files' turns, and waiting. */
#include "follow.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "common/inputs/wake_fd.h"

enum { WAIT_MS = 100, BLIND_MS = 20 };
static const uint64_t MS = 1000000, LOOK_NS = 500000000, QUIET_NS = UINT64_C(5000000000);

/* ---- text ---- */

void follow_remove(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    if (f->watch >= 0) inotify_rm_watch(fs->notify, f->watch);
    close(f->fd);
    ctx->host->log(ctx, LEAT_DEBUG, "%s: a file that no longer has this name was read to its end",
                   f->path);
    *f = (struct followed){.fd = -1};
    fs->n--;
    fs->look = true; /* other files may wait for the free entry */
}

/* Ends the wait of the next file of the same name. */
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

/* Adds the copy that was made of f before f was truncated, to read the rest of the text there.
 * Returns LEAT_AGAIN if no entry is free yet; LEAT_EOS if there is no copy. */
static int add_copy(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    char found[ROTATE_PATH];
    struct followed *copy;
    int fd = scan_find(fs, f->path, &f->is, f->at, 0, found);
    if (fd < 0) return LEAT_EOS;
    if (scan_add(ctx, fs, f->path, fd, true, &copy) != LEAT_OK) return LEAT_AGAIN;
    copy->offset = copy->at = f->offset;
    copy->line = f->line;
    copy->too_long = f->too_long;
    fingerprint_take_text(&copy->is, &f->is, f->at);
    copy->waits = false;
    ctx->host->log(ctx, LEAT_WARN,
                   "%s was truncated after byte %llu: the rest is read from its copy, %s", f->path,
                   (unsigned long long)f->offset, found);
    f->unseen = rotate_place_of(fd);
    return LEAT_OK;
}

static void restart_truncated(struct leat_ctx *ctx, struct follow *fs, struct followed *f,
                              uint64_t written)
{
    struct rotate_place here = {written, f->is.inode, f->is.born};
    /* find_unseen() finds the copies of a file of which nothing was read */
    bool unread = !f->at && f->unseen.written_ns;
    int status = unread ? LEAT_OK : add_copy(ctx, fs, f);
    f->waits = !unread && status != LEAT_EOS;
    if (status == LEAT_AGAIN) return; /* tried again at the next check */
    if (status == LEAT_EOS) {
        f->unseen = here;
        ctx->host->log(
            ctx, LEAT_WARN,
            "%s was truncated after byte %llu, and no copy was found in its folder: it is read "
            "from its beginning. The bytes written after that byte are lost, at least %llu",
            f->path, (unsigned long long)f->offset, (unsigned long long)(f->at - f->offset));
    }
    f->offset = f->at = 0;
    f->line = 1;
    fingerprint_reset(&f->is);
    f->too_long.state = LONG_NONE;
    f->turn = ++fs->turns;
    f->restarted = true;
    f->scanned_ns = f->since.written_ns = 0;
}

/* Adds the rotated files of f->path that are unread and older than f. If there are such files, or
 * if not all of them could be added, makes f wait for them and returns true. */
static bool find_unseen(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    uint64_t turns = fs->turns;
    bool all = scan_add_between(ctx, fs, f->path, &f->unseen, f);
    if (all && fs->turns == turns) return false;
    f->turn = ++fs->turns;
    scan_release(fs);
    return f->waits = true;
}

bool follow_accept(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *text,
                   size_t n)
{
    uint32_t n_head = f->is.n_head;
    fingerprint_add(&f->is, f->at, text, n);
    bool unseen = n && f->unseen.written_ns && !f->rotated && find_unseen(ctx, fs, f);
    if (unseen || (n && !f->rotated && !fingerprint_fits(&f->is, f->fd))) {
        f->is.n_head = n_head;
        f->size = f->at;
        return !(f->changed = true);
    }
    if (n && f->unseen.written_ns) f->since = f->unseen, f->unseen.written_ns = 0;
    f->at += n;
    f->read_ns = f->written_ns;
    return true;
}

/* Checks the size of the file: it may have grown, or been truncated. */
static void measure_file(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    struct stat st;
    f->changed = false;
    if (fstat(f->fd, &st)) return;
    uint64_t size = (uint64_t)st.st_size;
    bool grown = size > f->size;
    if (!f->rotated && (size < f->at || (grown && !fingerprint_fits(&f->is, f->fd))))
        restart_truncated(ctx, fs, f, rotate_written(&st));
    if (grown) f->grown_ns = clock_ns(), f->flushed = false;
    if (grown && !f->at) (void)scan_check(ctx, fs, f);
    f->size = size > f->at ? size : f->at;
    f->written_ns = rotate_written(&st);
    if (size || f->waits || !f->unseen.written_ns || f->scanned_ns == rotate_written(&st)) return;
    f->scanned_ns = rotate_written(&st); /* search once for each write time of the empty file */
    (void)find_unseen(ctx, fs, f);
}

bool follow_is_idle(const struct follow *fs, const struct followed *f)
{
    return fs->idle_ns && !f->flushed && f->at > f->offset &&
           (f->rotated || clock_ns() - f->grown_ns > fs->idle_ns);
}

bool follow_is_over(const struct follow *fs, const struct followed *f)
{
    return f->rotated && f->at >= f->size && (fs->to_end || clock_ns() - f->grown_ns > QUIET_NS);
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
    if (f->changed) measure_file(ctx, fs, f);
    if (f->waits) return false; /* truncated: waits for its copy */
    if (f->skipped && f->rotated) follow_remove(ctx, fs, f);
    if (f->skipped || !f->path) return false;
    if (f->size > f->at || follow_is_idle(fs, f)) return true;
    if (f->rotated) release_next(fs, f);
    return follow_is_over(fs, f);
}

static struct followed *follow_find_text(struct leat_ctx *ctx, struct follow *fs,
                                         const struct followed *last)
{
    uint32_t from = last ? (uint32_t)(last - fs->file) + 1 : 0;
    do {
        fs->released = false;
        for (uint32_t i = 0; i < fs->cap; i++) {
            struct followed *f = &fs->file[(from + i) % fs->cap];
            if (has_text(ctx, fs, f)) return f;
        }
    } while (fs->released); /* has_text() has ended the wait of a file */
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

static void take_notice(struct follow *fs, const struct inotify_event *e)
{
    bool of_file = false;
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].watch == e->wd) of_file = fs->file[i].changed = true;
    if (!of_file) fs->look = true; /* event of a folder, or of a full queue */
}

static void take_notices(struct follow *fs)
{
    union {
        struct inotify_event first;
        char bytes[8192];
    } events;
    ssize_t n;
    while ((n = read(fs->notify, events.bytes, sizeof events)) > 0)
        for (char *at = events.bytes; at < events.bytes + n;) {
            const struct inotify_event *e = (const void *)at;
            take_notice(fs, e);
            at += sizeof *e + e->len;
        }
}

/* Sleeps until there may be text. Returns true if wake_fd ended the sleep. */
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
        if (fs->notify >= 0) take_notices(fs);
        int status = LEAT_OK;
        if (fs->look || clock_ns() - fs->looked_ns > LOOK_NS) status = scan_names(ctx, fs);
        *f = status == LEAT_OK ? follow_find_text(ctx, fs, last) : NULL;
        if (status != LEAT_OK || *f || !wait || clock_ns() >= end) return status;
        if (sleep_for_text(ctx, fs)) return LEAT_OK;
    }
}

uint64_t follow_backlog(const struct follow *fs)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].size > fs->file[i].offset)
            bytes += fs->file[i].size - fs->file[i].offset;
    return bytes;
}

/* ---- event time ---- */

enum { NAME_OPEN = 1, NAME_AWAITED = 2 }; /* bits of follow.open */

static bool follow_is_awaited(const struct follow *fs, const struct followed *f, uint64_t now)
{
    if (!f->path || f->skipped) return false;
    return f->waits || f->size > f->offset || (f->changed && !f->at) ||
           now - f->grown_ns < fs->quiet_ns;
}

void follow_open_inputs(struct leat_ctx *ctx, struct follow *fs)
{
    uint64_t now = clock_ns();
    if (now - fs->opened_ns < WAIT_MS * MS) return;
    fs->opened_ns = now;
    for (uint32_t i = 0; i < fs->cap; i++)
        if (follow_is_awaited(fs, &fs->file[i], now)) fs->open[fs->file[i].input] |= NAME_AWAITED;
    for (uint32_t k = 0; k < 2 * fs->cap; k++) {
        uint8_t *name = &fs->open[k], awaited = *name & NAME_AWAITED, open = *name & NAME_OPEN;
        if (awaited && !open) ctx->host->open_inputs(ctx, 1);
        if (!awaited && open && ctx->host->close_input(ctx, k) != LEAT_OK)
            awaited = NAME_AWAITED; /* the next batch closes it */
        *name = awaited ? NAME_OPEN : 0;
    }
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
    return ((uint64_t)max_files + 1) * (sizeof(struct followed) + 2 * sizeof(char *) + 130);
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
    ctx->host->open_inputs(ctx, 0);
    *fs = (struct follow){
        .paths = paths, .cap = (uint32_t)max_files + 1, .to_end = to_end, .begun = to_end};
    fs->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    fs->file = ctx->host->alloc(ctx, fs->cap * sizeof *fs->file);
    fs->name = ctx->host->alloc(ctx, 2 * (size_t)fs->cap * sizeof *fs->name);
    fs->open = ctx->host->alloc(ctx, 2 * (size_t)fs->cap);
    if (!fs->file || !fs->name || !fs->open) return LEAT_ENOMEM;
    return scan_names(ctx, fs);
}

void follow_fini(struct leat_ctx *ctx, struct follow *fs)
{
    for (uint32_t i = 0; fs->file && i < fs->cap; i++)
        if (fs->file[i].path) close(fs->file[i].fd);
    for (uint32_t i = 0; fs->name && i < 2 * fs->cap; i++)
        ctx->host->free(ctx, fs->name[i]);
    ctx->host->free(ctx, fs->file);
    ctx->host->free(ctx, fs->name);
    ctx->host->free(ctx, fs->open);
    if (fs->cap && fs->notify >= 0) close(fs->notify);
    *fs = (struct follow){.notify = -1};
}
