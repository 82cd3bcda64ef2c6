/* out.c -- implementation of out.h. */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int out_validate(const void *config, struct leat_diag *d)
{
    const struct out_cfg *cfg = config;
    if (!cfg->path || !cfg->path[0])
        d->error(d, "path", "\"\" is not a file: give a file name, or - for standard output");
    return LEAT_OK;
}

int out_plan(const void *config, const struct leat_schema *in, const struct leat_schema *out,
             struct leat_plan *p)
{
    p->work_bytes = OUT_BUFFER;
    return LEAT_OK;
}

/* ---- writing ---- */

/* Writes all bytes; waits while a pipe is full. Returns an errno, or 0. */
static int drain(void *to, const char *bytes, size_t n)
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

static bool is_standard(const struct out *o) { return !strcmp(o->path, "-"); }

static const char *out_name(const struct out *o)
{
    return is_standard(o) ? "standard output" : o->path;
}

int out_result(struct leat_ctx *ctx, struct out *o, int failed)
{
    if (!failed) return LEAT_OK;
    if (o->reported) return LEAT_EIO;
    o->reported = true;
    return ctx->host->fail(ctx, LEAT_EIO, "cannot write %s: %s", out_name(o), strerror(failed));
}

int out_flush(struct leat_ctx *ctx, struct out *o)
{
    return out_result(ctx, o, text_flush(&o->text));
}

int out_tick(struct leat_ctx *ctx, void *self, int64_t now) { return out_flush(ctx, self); }

int out_barrier(struct leat_ctx *ctx, void *self, uint64_t checkpoint)
{
    return out_flush(ctx, self);
}

/* ---- the file ---- */

int out_open(struct leat_ctx *ctx, void *self)
{
    const struct out_cfg *cfg = ctx->cfg;
    struct out *o = self;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND;
    char *buf = ctx->host->alloc(ctx, OUT_BUFFER);
    if (!buf)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an output buffer");
    *o = (struct out){.path = cfg->path, .fresh = true};
    o->fd = is_standard(o) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                           : open(o->path, flags, 0666);
    if (o->fd < 0) {
        int why = errno;
        ctx->host->free(ctx, buf);
        return ctx->host->fail(ctx, LEAT_EIO, "cannot open %s: %s", out_name(o), strerror(why));
    }
    struct stat st;
    if (cfg->append && !is_standard(o) && fstat(o->fd, &st) == 0) o->begin = (uint64_t)st.st_size;
    o->fresh = !o->begin;
    o->text = (struct text_out){.buf = buf, .cap = OUT_BUFFER, .drain = drain, .to = o};
    return LEAT_OK;
}

static bool out_is_file(const struct out *o, struct stat *st)
{
    return fstat(o->fd, st) == 0 && S_ISREG(st->st_mode);
}

/* True if the last byte before o->begin is a line end, or cannot be read. */
static bool out_ends_line(const struct out *o)
{
    char last = '\n';
    int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return true;
    bool read = pread(fd, &last, 1, (off_t)o->begin - 1) == 1;
    close(fd);
    return !read || last == '\n';
}

int out_start(struct leat_ctx *ctx, void *self)
{
    struct out *o = self;
    struct stat st;
    o->begun = true;
    if (is_standard(o) || !out_is_file(o, &st)) return LEAT_OK;
    if ((uint64_t)st.st_size < o->begin)
        return ctx->host->fail(ctx, LEAT_EDATA,
                               "%s has %lld bytes, fewer than the %llu it had at the snapshot",
                               o->path, (long long)st.st_size, (unsigned long long)o->begin);
    int status = ctx->host->sync_file(ctx, o->fd);
    if (status >= 0) status = out_result(ctx, o, ftruncate(o->fd, (off_t)o->begin) ? errno : 0);
    if (status < 0 || !o->begin || out_ends_line(o)) return status;
    text_line(&o->text);
    return out_flush(ctx, o);
}

int out_stop(struct leat_ctx *ctx, void *self)
{
    struct out *o = self;
    int failed = text_flush(&o->text), fd = o->fd;
    if (fd > STDERR_FILENO) {
        o->fd = -1;
        if (close(fd) && errno != EINTR && !failed) failed = errno;
    }
    return o->reported ? LEAT_OK : out_result(ctx, o, failed);
}

void out_close(struct leat_ctx *ctx, void *self)
{
    struct out *o = self;
    if (o->fd > STDERR_FILENO) close(o->fd);
    ctx->host->free(ctx, o->text.buf);
}

/* ---- state ---- */

int out_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct out *o = self;
    struct stat st;
    bool known = !is_standard(o) && out_is_file(o, &st);
    w->u64(w, "length", known && o->begun ? (uint64_t)st.st_size : o->begin);
    return LEAT_OK;
}

int out_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct out *o = self;
    int status = r->u64(r, "length", &o->begin);
    o->fresh = !o->begin;
    return status;
}
