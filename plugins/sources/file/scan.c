/* scan.c -- finds the files that have or had the followed names (follow.h). */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/inputs/binary.h"
#include "core/mix64.h"
#include "core/text/byte_order_mark.h"
#include "core/time/clock.h"
#include "follow.h"

enum { SCANS = 10 };

/* ---- files that cannot be followed ---- */

/* Remembers the name of an unfit file. Returns true if it was reported before, or the table is
 * full. */
static bool was_reported(struct follow *fs, const char *path)
{
    uint64_t hash = 0;
    for (const char *p = path; *p; p++)
        hash = mix64(hash + (unsigned char)*p + MIX64_GOLDEN);
    for (uint32_t i = 0; i < fs->n_reported; i++)
        if (fs->reported[i] == hash) return true;
    if (fs->n_reported == FOLLOW_REPORTED) return true;
    fs->reported[fs->n_reported++] = hash;
    return false;
}

static void warn_unfit(struct leat_ctx *ctx, struct follow *fs, const char *path, const char *why)
{
    if (was_reported(fs, path)) return;
    ctx->host->log(ctx, LEAT_WARN, "%s is not followed: %s%s", path, why,
                   fs->n_reported == FOLLOW_REPORTED ? "; similar files are not reported" : "");
}

static int scan_unfit(struct leat_ctx *ctx, struct follow *fs, const char *path, const char *why)
{
    if (!fs->begun) return ctx->host->fail(ctx, LEAT_EIO, "cannot follow %s: %s", path, why);
    warn_unfit(ctx, fs, path, why);
    return LEAT_OK;
}

static const char *why_not_open(void)
{
    return errno == EMFILE
               ? "too many files are open: raise the limit (ulimit -n), or lower max_files"
               : strerror(errno);
}

/* Opens the file that has this name. Returns false if the file is missing or unfit; *status is then
 * LEAT_OK, or a failure reported to the host. Does not wait for a pipe without a writer. The name
 * may belong to another file than before. */
static bool scan_open(struct leat_ctx *ctx, struct follow *fs, const char *path, int *fd,
                      int *status)
{
    static const char no_file[] = "only files grow, and this is not a file";
    struct stat st;
    *status = LEAT_OK;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
        *status = scan_unfit(ctx, fs, path, no_file);
        return false;
    }
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 && errno != ENOENT) *status = scan_unfit(ctx, fs, path, why_not_open());
    if (*fd < 0) return false;
    if (!fstat(*fd, &st) && S_ISREG(st.st_mode)) return true;
    close(*fd);
    *status = scan_unfit(ctx, fs, path, no_file);
    return false;
}

static void warn_encoding(struct leat_ctx *ctx, struct follow *fs, const struct followed *f,
                          const char *encoding)
{
    char why[120];
    snprintf(why, sizeof why,
             "its first bytes show text in %s, and a file that is followed must be UTF-8",
             encoding);
    warn_unfit(ctx, fs, f->path, why);
}

static const char *other_encoding(int fd)
{
    char first[BYTE_ORDER_MARK_MAX];
    struct byte_order_mark mark = {NULL, "", 0};
    ssize_t n = pread(fd, first, sizeof first, 0);
    bool found = n > 0 && byte_order_mark_find(first, (size_t)n, false, &mark);
    return found && mark.encoding && strcmp(mark.encoding, "UTF-8") != 0 ? mark.encoding : NULL;
}

static int refuse_coded(struct leat_ctx *ctx, const struct followed *f, const char *coding,
                        const char *encoding)
{
    bool readable = encoding && !strcmp(encoding, "UTF-16");
    if (coding)
        return ctx->host->fail(
            ctx, LEAT_EDATA,
            "%s is compressed or binary (%s), and such a file does not grow line "
            "by line: name only plain files, or set follow = false",
            f->path, coding);
    return ctx->host->fail(
        ctx, LEAT_EDATA,
        "the first bytes of %s show text in %s, and a file that is followed must be UTF-8: %s",
        f->path, encoding,
        readable ? "set encoding = \"utf-16\" and follow = false" : "convert it (iconv)");
}

/* Writes what a file is if it is no text (binary.h). Returns false if it may be text. */
static bool scan_is_binary(const struct followed *f, char why[BINARY_MESSAGE + 8])
{
    unsigned char first[BINARY_BYTES];
    char what[BINARY_MESSAGE];
    ssize_t n = pread(f->fd, first, sizeof first, 0);
    const struct binary_kind *k = n > 0 ? binary_kind(first, (size_t)n) : NULL;
    if (k) snprintf(why, BINARY_MESSAGE + 8, "it is %s", binary_message(k, f->path, what));
    return k;
}

int scan_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f)
{
    const char *coding = rotate_coding(f->fd, f->path),
               *encoding = coding ? NULL : other_encoding(f->fd);
    char why[BINARY_MESSAGE + 8];
    bool binary = !coding && !encoding && scan_is_binary(f, why);
    f->skipped = fs->begun && (coding || encoding || binary);
    if (binary) return scan_unfit(ctx, fs, f->path, why);
    if (!coding && !encoding) return LEAT_OK;
    if (!fs->begun) return refuse_coded(ctx, f, coding, encoding);
    snprintf(why, sizeof why,
             "it is compressed or binary (%s): give a pattern that does not match rotated files",
             coding ? coding : "");
    if (coding)
        warn_unfit(ctx, fs, f->path, why);
    else
        warn_encoding(ctx, fs, f, encoding);
    return LEAT_OK;
}

void scan_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding)
{
    f->skipped = true;
    f->offset = f->at = 0;
    warn_encoding(ctx, fs, f, encoding);
}

/* ---- names ---- */

static bool scan_is_taken(const struct follow *fs, uint32_t name)
{
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].input == name) return true;
    return false;
}

/* Finds the number of a name. A new name gets a free number. */
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
    while (scan_is_taken(fs, k));
    size_t size = strlen(path) + 1;
    char *copy = ctx->host->alloc(ctx, size);
    if (!copy) return LEAT_ENOMEM;
    ctx->host->free(ctx, fs->name[k]);
    fs->name[k] = memcpy(copy, path, size);
    *input = fs->last_name = k;
    return ctx->host->name_input(ctx, k, path);
}

/* ---- files ---- */

struct followed *scan_by_inode(const struct follow *fs, uint64_t device, uint64_t inode)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->device == device && f->is.inode == inode) return f;
    }
    return NULL;
}

/* Returns the last file of this name in the order of reading; NULL if there is none. */
static struct followed *last_of_name(const struct follow *fs, uint32_t input)
{
    struct followed *last = NULL;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->input == input && (!last || f->turn > last->turn)) last = f;
    }
    return last;
}

static void watch_file(struct follow *fs, struct followed *f)
{
    char path[64];
    f->watch = -1;
    if (fs->notify < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", f->fd);
    f->watch = inotify_add_watch(fs->notify, path, IN_MODIFY | IN_ATTRIB);
}

static void watch_folder(const struct follow *fs, const char *path)
{
    char folder[ROTATE_PATH];
    if (fs->notify >= 0 && rotate_path(path, "", folder))
        (void)inotify_add_watch(fs->notify, *folder ? folder : ".",
                                IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR);
}

static int report_full(struct leat_ctx *ctx, struct follow *fs, const char *path)
{
    if (!fs->full_reported && !fs->to_end) /* reading to the end frees entries one by one */
        ctx->host->log(ctx, LEAT_WARN,
                       "%u files are followed, and max_files allows no more: %s and others are not "
                       "read until some of these are gone. Raise max_files",
                       fs->cap - 1, path);
    fs->full_reported = true;
    for (uint32_t i = 0; i < fs->cap; i++) /* frees rotated files once they are read */
        if (fs->file[i].rotated) fs->file[i].grown_ns = 0;
    return LEAT_AGAIN;
}

int scan_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
             struct followed **added)
{
    struct stat st;
    uint32_t input, i = 0, max = rotated ? fs->cap : fs->cap - 1;
    while (i < fs->cap && fs->file[i].path)
        i++;
    int status = fs->n < max ? name_input(ctx, fs, path, &input) : report_full(ctx, fs, path);
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
                                .is = {.inode = (uint64_t)st.st_ino, .born = fingerprint_born(fd)},
                                .line = 1,
                                .turn = ++fs->turns,
                                .rotated = rotated,
                                .waits = last_of_name(fs, input) != NULL,
                                .changed = true,
                                .grown_ns = clock_ns()};
    fs->n++;
    watch_file(fs, *added);
    return LEAT_OK;
}

void scan_rotated(struct followed *f)
{
    if (f->rotated) return;
    f->rotated = f->changed = true;
    f->grown_ns = clock_ns();
}

static bool scan_is_followed(const struct follow *fs, int fd)
{
    struct stat st;
    return fstat(fd, &st) || scan_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino);
}

/* True if the rotated file may be a copy that was made before the file `now` was truncated: it was
 * born after `now` and written before it, and `now` has another text. */
static bool was_truncated_after(const struct rotated_file *one, int now)
{
    return one->born >= fingerprint_born(now) &&
           one->written_ns <= rotate_place_of(now).written_ns && !rotate_is_copy(one, now);
}

/* Finds the oldest copy, written at `since_ns` or later. With `now`, only copies that were made
 * before `now` was truncated; else `now` is -1. */
static int find_copy(struct follow *fs, const char *path, const struct fingerprint *is,
                     uint64_t size, uint64_t since_ns, int now, char found[ROTATE_PATH])
{
    struct stat st;
    int fd = -1;
    rotate_since(path, (struct rotate_place){.written_ns = since_ns}, &fs->between);
    for (uint32_t i = 0; i < fs->between.n; i++) {
        const struct rotated_file *one = &fs->between.v[i];
        if (fd < 0 && !scan_is_followed(fs, one->fd) && !fstat(one->fd, &st) &&
            (uint64_t)st.st_size >= size && fingerprint_fits(is, one->fd) &&
            (now < 0 || was_truncated_after(one, now)) && rotate_path(path, one->name, found))
            fd = one->fd;
        else
            close(one->fd);
    }
    return fd;
}

int scan_find(struct follow *fs, const char *path, const struct fingerprint *is, uint64_t size,
              uint64_t since_ns, char found[ROTATE_PATH])
{
    int fd = rotate_find(path, is, size, found);
    if (fd >= 0 && scan_is_followed(fs, fd)) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0 || !is->n_head) return fd;
    fd = find_copy(fs, path, is, size, since_ns ? since_ns - 1 : 0, -1, found);
    return fd >= 0 || fingerprint_repeats(is) ? fd : find_copy(fs, path, is, size, 0, -1, found);
}

int scan_find_truncated(struct follow *fs, const char *path, const struct fingerprint *is,
                        uint64_t size, uint64_t since_ns, int now, char found[ROTATE_PATH])
{
    if (!size || !is->born || !fingerprint_is_file(is, now)) return -1;
    return find_copy(fs, path, is, size, since_ns + 1, now, found);
}

static void scan_note_head(const struct followed *f, struct fingerprint *is)
{
    ssize_t n = pread(f->fd, is->head, sizeof is->head, 0);
    is->n_head = n > 0 ? (uint32_t)n : 0;
}

static bool is_still(const struct followed *f, const struct fingerprint *is)
{
    struct stat st;
    return is->n_head ? fingerprint_fits(is, f->fd) : !fstat(f->fd, &st) && !st.st_size;
}

/* Lists the files that were rotated before `now` got its present text. Repeats the search if the
 * text of `now` changes meanwhile. */
static void list_between(struct follow *fs, const char *path, struct rotate_place last,
                         const struct followed *now, struct fingerprint *is)
{
    for (int i = 0; i < SCANS; i++) {
        if (now) scan_note_head(now, is);
        rotate_since(path, last, &fs->between);
        if (!now || is_still(now, is)) return;
        rotate_close(&fs->between);
    }
}

/* Adds a file of fs->between, unless it is already followed. Returns false if no entry is free. */
static bool add_one_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                            const struct rotated_file *one)
{
    struct followed *f;
    if (scan_is_followed(fs, one->fd)) {
        close(one->fd);
        return true;
    }
    if (scan_add(ctx, fs, path, one->fd, true, &f) != LEAT_OK) return false;
    ctx->host->log(ctx, LEAT_INFO, "%s was rotated more than once: %s is also read", path,
                   one->name);
    return true;
}

/* Warns if the text repeats itself: it may also be an earlier text of the file. */
static bool is_copy_of_now(struct leat_ctx *ctx, const struct rotated_file *one,
                           const struct followed *now)
{
    struct fingerprint is = {0};
    struct stat st;
    if (!rotate_is_copy(one, now->fd)) return false;
    if (!fstat(one->fd, &st)) fingerprint_read_tail(&is, one->fd, (uint64_t)st.st_size);
    if (fingerprint_repeats(&is))
        ctx->host->log(ctx, LEAT_WARN,
                       "%s has the text with which %s begins, one text again and again, so whether "
                       "it is a copy of it cannot be told: it is taken for one, and is not read",
                       one->name, now->path);
    return true;
}

static void warn_coded(struct leat_ctx *ctx, struct follow *fs)
{
    if (*fs->between.coded && !was_reported(fs, fs->between.coded))
        ctx->host->log(ctx, LEAT_WARN,
                       "%s is compressed, and was written after the last text that was read: it "
                       "may have text that is not read. Compress logs later (delaycompress), or "
                       "read the file in a run of its own",
                       fs->between.coded);
}

bool scan_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                      struct rotate_place *last, const struct followed *now)
{
    struct fingerprint is = {0};
    bool all = true;
    list_between(fs, path, *last, now, &is);
    warn_coded(ctx, fs);
    for (uint32_t i = 0; i < fs->between.n; i++) {
        const struct rotated_file *one = &fs->between.v[i];
        if (!all || (now && is_copy_of_now(ctx, one, now)))
            close(one->fd);
        else if ((all = add_one_between(ctx, fs, path, one)))
            *last = (struct rotate_place){one->written_ns, one->inode, one->born};
    }
    return all && !fs->between.more;
}

/* Adds the rotated files between `before` and the file that has the name now. Sets *last to the
 * place of the last one. Returns false if there is no room (`max_files`) for all of them. */
static bool scan_successor(struct leat_ctx *ctx, struct follow *fs, struct followed *before,
                           struct rotate_place *last)
{
    *last = rotate_place_of(before->fd);
    scan_rotated(before);
    if (!last->inode) return true;
    return scan_add_between(ctx, fs, before->path, last, NULL);
}

/* Follows the file that has the name `path` now, if it is not followed yet. */
static int scan_name(struct leat_ctx *ctx, struct follow *fs, const char *path)
{
    struct stat st;
    struct followed *f;
    uint32_t input;
    int status, fd;
    watch_folder(fs, path);
    if (stat(path, &st)) return LEAT_OK;
    if ((f = scan_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino))) {
        f->rotated = false;
        return LEAT_OK;
    }
    if (!scan_open(ctx, fs, path, &fd, &status)) return status;
    if ((status = name_input(ctx, fs, path, &input)) != LEAT_OK) {
        close(fd);
        return status;
    }
    struct followed *before = last_of_name(fs, input);
    struct rotate_place last = {0};
    bool next = !before || scan_successor(ctx, fs, before, &last);
    if (!next || fstat(fd, &st) || scan_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino)) {
        close(fd); /* no room yet, or the file is followed under another name */
        return LEAT_OK;
    }
    status = scan_add(ctx, fs, path, fd, false, &f);
    if (status == LEAT_OK) f->unseen = last; /* the file may be copied and truncated unread */
    if (status == LEAT_OK) status = scan_check(ctx, fs, f);
    return status == LEAT_AGAIN ? LEAT_OK : status;
}

static int scan_pattern(struct leat_ctx *ctx, struct follow *fs, const char *pattern)
{
    glob_t found = {0};
    int status = LEAT_OK;
    watch_folder(fs, pattern);
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; status == LEAT_OK && i < found.gl_pathc; i++)
            status = scan_name(ctx, fs, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

bool scan_has_earlier(const struct follow *fs, const struct followed *f)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        const struct followed *g = &fs->file[i];
        if (g->path && g->input == f->input && g->turn < f->turn) return true;
    }
    return false;
}

/* Called after an earlier file may have gone, or has got no entry. */
void scan_release(struct follow *fs)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        f->waits = f->waits && scan_has_earlier(fs, f);
    }
}

/* Notes files that were removed. */
static void leave_removed(struct follow *fs)
{
    struct stat st;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && !f->rotated && !fstat(f->fd, &st) && !st.st_nlink) scan_rotated(f);
    }
}

int scan_names(struct leat_ctx *ctx, struct follow *fs)
{
    int status = LEAT_OK;
    fs->looked_ns = clock_ns();
    fs->look = false;
    for (uint32_t i = 0; status == LEAT_OK && i < fs->paths->n; i++) {
        const char *path = fs->paths->v[i];
        bool pattern = strpbrk(path, "*?[") && access(path, F_OK);
        status = pattern ? scan_pattern(ctx, fs, path) : scan_name(ctx, fs, path);
    }
    leave_removed(fs);
    scan_release(fs);
    for (uint32_t i = 0; i < fs->cap; i++)
        fs->file[i].changed = true;
    fs->begun = true;
    return status;
}
