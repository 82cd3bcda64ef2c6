/* snapshot_dir.h -- the directory of `--state`: the last snapshots of one pipeline, and a lock.
 *
 *     lock                         held (flock) as long as a run uses the directory
 *     0000000000000042.snapshot    of checkpoint 42; the last SNAPSHOT_DIR_KEEP are kept
 *     writing.tmp                  becomes the next one; worthless when found
 *
 * A snapshot is written to writing.tmp, synced and renamed, and then the directory is synced. So at
 * any moment the newest snapshot with a good checksum is whole. A damaged snapshot is reported, and
 * the previous one is used.
 */
#ifndef LEAT_HOST_STORE_SNAPSHOT_DIR_H
#define LEAT_HOST_STORE_SNAPSHOT_DIR_H

#include "snapshot.h"

enum { SNAPSHOT_DIR_KEEP = 3, SNAPSHOT_DIR_CHECKPOINTS = 64 };

struct snapshot_dir {
    const char *path;
    int fd, lock;
    char error[SNAPSHOT_MESSAGE];
};

/* Creates the directory if it does not exist (its parent must) and locks it. Returns LEAT_OK, or
 * LEAT_EIO with the reason in `error`. Afterwards always close it. */
int snapshot_dir_open(struct snapshot_dir *d, const char *path);
void snapshot_dir_close(struct snapshot_dir *d);

/* Lists the checkpoints that have a snapshot, newest first, at most SNAPSHOT_DIR_CHECKPOINTS.
 * Returns their number; -1 with errno if the directory cannot be read. */
int snapshot_dir_list(const char *path, uint64_t *checkpoint);
void snapshot_dir_name(uint64_t checkpoint, char name[32]);

/* Reads the newest whole snapshot of a directory, locked or not; logs newer, damaged ones by name.
 * Returns LEAT_OK; LEAT_AGAIN: no snapshot at all; LEAT_EDATA: all are damaged; LEAT_ENOMEM: too
 * little memory or too few descriptors for the newest; LEAT_EIO: the directory cannot be read. The
 * last two are logged. */
int snapshot_dir_newest(const char *path, struct snapshot *s);
/* Reads the newest whole snapshot of checkpoints before this one. */
int snapshot_dir_newest_before(const char *path, uint64_t before, struct snapshot *s);
/* Removes the snapshots after checkpoint `last`. */
void snapshot_dir_cut(struct snapshot_dir *d, uint64_t last);

/* Writes a snapshot. Returns LEAT_OK, or LEAT_EIO with the reason in `error`; earlier snapshots are
 * still there. */
int snapshot_dir_write(struct snapshot_dir *d, uint64_t checkpoint,
                       const struct snapshot_section *section, uint32_t n);

#endif
