/* follow_unfit.c -- see follow_unfit.h. */
#include "follow_unfit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mix64.h"
#include "core/text/byte_order_mark.h"

/* Was it told before? It is now. */
static bool is_told(struct follow *fs, const char *path)
{
    uint64_t hash = 0;
    for (const char *p = path; *p; p++)
        hash = mix64(hash + (unsigned char)*p + MIX64_GOLDEN);
    for (uint32_t i = 0; i < fs->n_told; i++)
        if (fs->told[i] == hash) return true;
    if (fs->n_told == FOLLOW_TOLD) return true;
    fs->told[fs->n_told++] = hash;
    return false;
}

static void leave_alone(struct leat_ctx *ctx, struct follow *fs, const char *path, const char *why)
{
    if (is_told(fs, path)) return;
    ctx->host->log(ctx, LEAT_WARN, "%s is not followed: %s%s", path, why,
                   fs->n_told == FOLLOW_TOLD ? "; others like it are not told" : "");
}

static int unfit(struct leat_ctx *ctx, struct follow *fs, const char *path, const char *why)
{
    if (!fs->begun) return ctx->host->fail(ctx, LEAT_EIO, "cannot follow %s: %s", path, why);
    leave_alone(ctx, fs, path, why);
    return LEAT_OK;
}

static const char *why_not_open(void)
{
    return errno == EMFILE
               ? "too many files are open: raise the limit (ulimit -n), or lower max_files"
               : strerror(errno);
}

/* A pipe without a writer must not be waited for, and who has the name may change meanwhile. */
bool follow_open(struct leat_ctx *ctx, struct follow *fs, const char *path, int *fd, int *status)
{
    static const char no_file[] = "only files grow, and this is no file";
    struct stat st;
    *status = LEAT_OK;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
        *status = unfit(ctx, fs, path, no_file);
        return false;
    }
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 && errno != ENOENT) *status = unfit(ctx, fs, path, why_not_open());
    if (*fd < 0) return false;
    if (!fstat(*fd, &st) && S_ISREG(st.st_mode)) return true;
    close(*fd);
    *status = unfit(ctx, fs, path, no_file);
    return false;
}

static void tell_encoding(struct leat_ctx *ctx, struct follow *fs, const struct followed *f,
                          const char *encoding)
{
    char why[120];
    snprintf(why, sizeof why,
             "it is text in %s, as its first bytes say, and a file that is followed "
             "must be UTF-8",
             encoding);
    leave_alone(ctx, fs, f->path, why);
}

static const char *other_encoding(int fd)
{
    char first[BYTE_ORDER_MARK_MAX];
    struct byte_order_mark mark = {NULL, "", 0};
    ssize_t n = pread(fd, first, sizeof first, 0);
    bool found = n > 0 && byte_order_mark_find(first, (size_t)n, false, &mark);
    return found && mark.encoding && strcmp(mark.encoding, "UTF-8") != 0 ? mark.encoding : NULL;
}

static int refuse(struct leat_ctx *ctx, const struct followed *f, const char *coding,
                  const char *encoding)
{
    bool readable = encoding && !strcmp(encoding, "UTF-16");
    if (coding)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s is compressed (%s), and what is compressed does not grow line "
            "by line: give the names of plain files alone, or set follow = false",
            f->path, coding);
    return ctx->host->fail(ctx, LEAT_EDATA,
                           "%s is text in %s, as its first bytes say, and a file that is followed "
                           "must be UTF-8: %s",
                           f->path, encoding,
                           readable ? "set encoding = \"utf-16\" and follow = false"
                                    : "convert it (iconv)");
}

int follow_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    const char *coding = beside_coding(f->fd), *encoding = coding ? NULL : other_encoding(f->fd);
    char why[120];
    f->skipped = false;
    if (!coding && !encoding) return LEAT_OK;
    if (!fs->begun) return refuse(ctx, f, coding, encoding);
    snprintf(why, sizeof why,
             "it is compressed (%s): give a pattern that does not match files that were rotated",
             coding ? coding : "");
    f->skipped = true;
    if (coding)
        leave_alone(ctx, fs, f->path, why);
    else
        tell_encoding(ctx, fs, f, encoding);
    return LEAT_OK;
}

void follow_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding)
{
    f->skipped = true;
    f->offset = f->at = 0;
    tell_encoding(ctx, fs, f, encoding);
}
