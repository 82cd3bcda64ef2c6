/* snapshot_dir.c -- implementation of snapshot_dir.h. */
#include "snapshot_dir.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "fault.h"
#include "host/log/log.h"

#define TEMPORARY "writing.tmp"

static int fail(struct snapshot_dir *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int fail(struct snapshot_dir *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(d->error, sizeof d->error, format, args);
    va_end(args);
    return LEAT_EIO;
}

int snapshot_dir_open(struct snapshot_dir *d, const char *path)
{
    *d = (struct snapshot_dir){.path = path, .fd = -1, .lock = -1};
    if (mkdir(path, 0777) && errno != EEXIST)
        return fail(d, "--state %s cannot be created: %s", path, strerror(errno));
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0) return fail(d, "--state %s: %s", path, strerror(errno));
    d->lock = openat(d->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                     SNAPSHOT_MODE);
    if (d->lock < 0 && errno == ELOOP)
        return fail(d, "--state %s: its file 'lock' is a symbolic link: remove it", path);
    if (d->lock < 0) return fail(d, "--state %s: cannot write there: %s", path, strerror(errno));
    if (flock(d->lock, LOCK_EX | LOCK_NB))
        return fail(
            d,
            errno == EWOULDBLOCK
                ? "--state %s: another run is using this directory: give each run another one"
                : "--state %s: cannot be locked",
            path);
    return LEAT_OK;
}

void snapshot_dir_close(struct snapshot_dir *d)
{
    if (d->lock >= 0) close(d->lock);
    if (d->fd >= 0) close(d->fd);
    d->lock = d->fd = -1;
}

void snapshot_dir_name(uint64_t checkpoint, char name[32])
{
    snprintf(name, 32, "%016" PRIu64 ".snapshot", checkpoint);
}

/* Sets the number of the checkpoint whose snapshot file is called `name`. Returns false if this is
 * not the name of a snapshot. */
static bool checkpoint_of(const char *name, uint64_t *checkpoint)
{
    char again[32];
    *checkpoint = strtoull(name, NULL, 10);
    snapshot_dir_name(*checkpoint, again);
    return !strcmp(again, name);
}

static int newer(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Adds a checkpoint to the list. If the list is full, drops the oldest. */
static void note_checkpoint(uint64_t *checkpoint, int *n, uint64_t found)
{
    int oldest = 0;
    if (*n < SNAPSHOT_DIR_CHECKPOINTS) {
        checkpoint[(*n)++] = found;
        return;
    }
    for (int i = 1; i < *n; i++)
        if (checkpoint[i] < checkpoint[oldest]) oldest = i;
    if (found > checkpoint[oldest]) checkpoint[oldest] = found;
}

static int list_snapshot_dir(DIR *dir, uint64_t *checkpoint)
{
    int n = 0;
    if (!dir) return -1;
    errno = 0;
    uint64_t found;
    for (struct dirent *e; (e = readdir(dir));)
        if (checkpoint_of(e->d_name, &found)) note_checkpoint(checkpoint, &n, found);
    int why = errno;
    closedir(dir);
    errno = why;
    if (why) return -1;
    qsort(checkpoint, (size_t)n, sizeof *checkpoint, newer);
    return n;
}

int snapshot_dir_list(const char *path, uint64_t *checkpoint)
{
    return list_snapshot_dir(opendir(path), checkpoint);
}

/* Lists the checkpoints of the locked directory, even if the directory was renamed. */
static int list_own(const struct snapshot_dir *d, uint64_t *checkpoint)
{
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir) close(fd);
    return list_snapshot_dir(dir, checkpoint);
}

/* Reads one snapshot of a directory. Returns LEAT_AGAIN if newer snapshots have replaced it
 * meanwhile. */
static int read_checkpoint(const char *path, uint64_t checkpoint, struct snapshot *s, bool last)
{
    char name[32], file[4096];
    snapshot_dir_name(checkpoint, name);
    snprintf(file, sizeof file, "%s/%s", path, name);
    int status = snapshot_read(s, file);
    if (status == LEAT_OK && s->checkpoint == checkpoint) return LEAT_OK;
    if (status == LEAT_EIO && access(file, F_OK) && errno == ENOENT) return LEAT_AGAIN;
    if (status == LEAT_ENOMEM) { /* the file may be whole, so an older one must not replace it */
        log_message(LEAT_ERROR, "%s %s", file, s->error);
        return status;
    }
    if (status == LEAT_OK)
        snprintf(s->error, sizeof s->error,
                 "has the name of another checkpoint: rename it to %016llu.snapshot",
                 (unsigned long long)s->checkpoint);
    log_message(LEAT_WARN, "%s %s%s", file, s->error, last ? "" : "; trying the previous snapshot");
    return LEAT_EDATA;
}

static int snapshot_dir_listed(const char *path, uint64_t *checkpoint)
{
    int n = snapshot_dir_list(path, checkpoint);
    if (n < 0) log_message(LEAT_ERROR, "%s cannot be read: %s", path, strerror(errno));
    return n;
}

int snapshot_dir_newest(const char *path, struct snapshot *s)
{
    return snapshot_dir_newest_before(path, UINT64_MAX, s);
}

int snapshot_dir_newest_before(const char *path, uint64_t before, struct snapshot *s)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = snapshot_dir_listed(path, checkpoint), again = 100;
    int status = n < 0 ? LEAT_EIO : LEAT_AGAIN;
    *s = (struct snapshot){0};
    for (int i = 0; i < n; i++) {
        if (checkpoint[i] >= before) continue;
        snapshot_free(s);
        status = read_checkpoint(path, checkpoint[i], s, i + 1 == n);
        if (status == LEAT_OK || status == LEAT_ENOMEM) return status;
        if (status != LEAT_AGAIN || !again--) continue;
        n = snapshot_dir_listed(path, checkpoint); /* again: a run has written new ones */
        if (n < 0) return LEAT_EIO;
        i = -1;
    }
    return status;
}

static void remove_checkpoint(struct snapshot_dir *d, uint64_t checkpoint)
{
    char name[32];
    snapshot_dir_name(checkpoint, name);
    unlinkat(d->fd, name, 0);
}

static void remove_old(struct snapshot_dir *d)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = list_own(d, checkpoint);
    for (int i = SNAPSHOT_DIR_KEEP; i < n; i++)
        remove_checkpoint(d, checkpoint[i]);
}

void snapshot_dir_cut(struct snapshot_dir *d, uint64_t last)
{
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    int n = list_own(d, checkpoint);
    for (int i = 0; i < n && checkpoint[i] > last; i++)
        remove_checkpoint(d, checkpoint[i]);
}

static int write_temporary(struct snapshot_dir *d, uint64_t checkpoint,
                           const struct snapshot_section *section, uint32_t n)
{
    unlinkat(d->fd, TEMPORARY, 0); /* left by a killed run, or a link that somebody made */
    int fd = openat(d->fd, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    SNAPSHOT_MODE);
    if (fd < 0) return fail(d, "%s/" TEMPORARY ": %s", d->path, strerror(errno));
    fault("snapshot_created");
    int bad = snapshot_write(fd, checkpoint, section, n) != LEAT_OK;
    fault("snapshot_written");
    bad = bad || fsync(fd);
    int why = errno;
    if (close(fd) && !bad) bad = 1, why = errno;
    if (!bad) return LEAT_OK;
    unlinkat(d->fd, TEMPORARY, 0);
    return fail(d, "%s/" TEMPORARY ": %s", d->path, strerror(why));
}

int snapshot_dir_write(struct snapshot_dir *d, uint64_t checkpoint,
                       const struct snapshot_section *section, uint32_t n)
{
    char name[32];
    assert(d->lock >= 0);
    snapshot_dir_name(checkpoint, name);
    int status = write_temporary(d, checkpoint, section, n);
    if (status != LEAT_OK) return status;
    fault("snapshot_synced");
    if (renameat(d->fd, TEMPORARY, d->fd, name))
        return fail(d, "%s/%s: %s", d->path, name, strerror(errno));
    fault("snapshot_renamed");
    if (fsync(d->fd)) return fail(d, "%s: %s", d->path, strerror(errno));
    fault("snapshot_durable");
    remove_old(d);
    return LEAT_OK;
}
