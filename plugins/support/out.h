/* out.h -- the file that a sink writes: opened, buffered, and its errors reported once, by name.
 *
 * "-" is standard output, which is never closed here. Text gathers in a buffer of 64 KiB and is
 * written when out_flush is called or the buffer is half full at the end of a line, so that several
 * sinks on one terminal or pipe do not break each other's lines. Only a line longer than the rest
 * of the buffer is written in parts.
 *
 * Errors: writing never fails in the middle. out_line and out_flush return the first error from
 * then on, so it is enough to look at the last of them. The host gets the error once: out_finish,
 * which runs when the host ends the run for that reason, does not repeat it. */
#ifndef LEAT_SUPPORT_OUT_H
#define LEAT_SUPPORT_OUT_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "base/text_out.h"

#define OUT_BUFFER ((size_t)64 * 1024)

struct out {
    struct text_out text; /* write through this */
    const char *path;
    int fd;
    bool fresh;     /* the file is empty: a heading is due                              */
    bool reported;  /* the host knows of the failure                                    */
    bool begun;     /* out_begin was called                                             */
    uint64_t begin; /* length at which writing begins; what the file holds after it goes */
};

/* The two parameters of every sink that writes. */
#define OUT_PARAMS(CFG)                                                                            \
    {.name = "path",                                                                               \
     .type = LEAT_PATH,                                                                            \
     .offset = offsetof(CFG, path),                                                                \
     .def = "-",                                                                                   \
     .doc = "file to write; - is standard output"},                                                \
    {                                                                                              \
        .name = "append", .type = LEAT_BOOL, .offset = offsetof(CFG, append), .def = "false",      \
        .doc = "write after what the file holds instead of emptying it first"                      \
    }

static inline void out_validate(const char *path, struct leat_diag *d)
{
    if (!path || !path[0])
        d->error(d, "path", "\"\" is no file: give a file name, or - for standard output");
}

/* Waits where the other end is not ready. */
static inline int out_drain(void *to, const char *bytes, size_t n)
{
    struct out *o = to;
    while (n) {
        ssize_t done = write(o->fd, bytes, n);
        if (done >= 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd p = {.fd = o->fd, .events = POLLOUT};
            poll(&p, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static inline const char *out_name(const struct out *o)
{
    return o->fd == STDOUT_FILENO ? "standard output" : o->path;
}

static inline int out_open(struct leat_ctx *ctx, struct out *o, const char *path, int append)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND;
    char *buf = ctx->host->alloc(ctx, OUT_BUFFER);
    if (!buf)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an output buffer");
    *o = (struct out){.path = path, .fd = STDOUT_FILENO, .fresh = true};
    if (strcmp(path, "-") && (o->fd = open(path, flags, 0666)) < 0) {
        int why = errno;
        ctx->host->free(ctx, buf);
        return ctx->host->fail(ctx, LEAT_EIO, "cannot open %s: %s", path, strerror(why));
    }
    struct stat st;
    if (append && o->fd != STDOUT_FILENO && fstat(o->fd, &st) == 0) o->begin = (uint64_t)st.st_size;
    o->fresh = !o->begin;
    o->text = (struct text_out){.buf = buf, .cap = OUT_BUFFER, .drain = out_drain, .to = o};
    return LEAT_OK;
}

static inline bool out_is_file(const struct out *o, struct stat *st)
{
    return fstat(o->fd, st) == 0 && S_ISREG(st->st_mode);
}

static inline int out_result(struct leat_ctx *ctx, struct out *o, int failed)
{
    if (!failed) return LEAT_OK;
    if (o->reported) return LEAT_EIO;
    o->reported = true;
    return ctx->host->fail(ctx, LEAT_EIO, "cannot write %s: %s", out_name(o), strerror(failed));
}

static inline int out_flush(struct leat_ctx *ctx, struct out *o)
{
    return out_result(ctx, o, text_flush(&o->text));
}

/* In start(), before anything is written: only now is the file emptied, or cut to the length it had
 * at the snapshot. */
static inline int out_begin(struct leat_ctx *ctx, struct out *o)
{
    struct stat st;
    o->begun = true;
    if (o->fd == STDOUT_FILENO || !out_is_file(o, &st)) return LEAT_OK;
    if ((uint64_t)st.st_size < o->begin)
        return ctx->host->fail(ctx, LEAT_EDATA,
                               "%s has %lld bytes, fewer than the %llu it had at the snapshot",
                               o->path, (long long)st.st_size, (unsigned long long)o->begin);
    int status = ctx->host->sync_file(ctx, o->fd);
    return status < 0 ? status : out_result(ctx, o, ftruncate(o->fd, (off_t)o->begin) ? errno : 0);
}

/* End a line. */
static inline int out_line(struct leat_ctx *ctx, struct out *o)
{
    text_line(&o->text);
    return out_result(ctx, o, o->text.failed);
}

/* In stop(): writes the rest and closes the file, which on some file systems is when errors appear. */
static inline int out_finish(struct leat_ctx *ctx, struct out *o)
{
    int failed = text_flush(&o->text), fd = o->fd;
    if (fd > STDERR_FILENO) {
        o->fd = -1;
        if (close(fd) && errno != EINTR && !failed) failed = errno;
    }
    return o->reported ? LEAT_OK : out_result(ctx, o, failed);
}

/* In close(). */
static inline void out_close(struct leat_ctx *ctx, struct out *o)
{
    if (o->fd > STDERR_FILENO) close(o->fd);
    ctx->host->free(ctx, o->text.buf);
}

/* The calls of a stage whose instance begins with its struct out. */
static inline int out_tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    (void)now;
    return out_flush(ctx, self);
}

static inline int out_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    (void)checkpoint;
    return out_flush(ctx, self);
}

/* State: the length of the file, after the barrier has written the rest. */
static inline void out_snapshot(const struct out *o, struct leat_writer *w)
{
    struct stat st;
    bool known = o->fd != STDOUT_FILENO && out_is_file(o, &st);
    w->u64(w, "length", known && o->begun ? (uint64_t)st.st_size : o->begin);
}

static inline int out_restore(struct out *o, struct leat_reader *r)
{
    int status = r->u64(r, "length", &o->begin);
    o->fresh = !o->begin;
    return status;
}

/* The calls of a stage that keeps nothing else. */
static inline int out_start_call(struct leat_ctx *ctx, void *self) { return out_begin(ctx, self); }

static inline int out_snapshot_call(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    (void)ctx;
    out_snapshot(self, w);
    return LEAT_OK;
}

static inline int out_restore_call(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                   uint32_t version)
{
    (void)ctx;
    (void)version;
    return out_restore(self, r);
}

#define OUT_STATE .state_version = 1, .snapshot = out_snapshot_call, .restore = out_restore_call

static inline int out_stop(struct leat_ctx *ctx, void *self) { return out_finish(ctx, self); }

#endif
