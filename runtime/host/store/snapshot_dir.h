/* snapshot_dir.h -- the directory of `--state`: the last snapshots of one pipeline, and a lock.
 *
 *   lock                         held (flock) as long as a run uses the directory
 *   0000000000000042.snapshot    of checkpoint 42; the last SNAPSHOT_DIR_KEEP are kept
 *   writing.tmp                  becomes the next one; worthless when found
 *
 * A snapshot is written to writing.tmp, synced, renamed, and the directory synced: at any moment
 * the newest snapshot with a good checksum is whole. A damaged one is reported and the previous one
 * is used.
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

/* Creates the directory if it does not exist (its parent must) and locks it. LEAT_OK or LEAT_EIO:
 * `error` gives the reason. Afterwards always close it. */
int snapshot_dir_open(struct snapshot_dir *d, const char *path);
void snapshot_dir_close(struct snapshot_dir *d);

/* The checkpoints that have a snapshot, newest first, at most SNAPSHOT_DIR_CHECKPOINTS of them.
 * Returns how many; -1: the directory cannot be read, errno says why. */
int snapshot_dir_list(const char *path, uint64_t *checkpoint);
void snapshot_dir_name(uint64_t checkpoint, char name[32]);

/* The newest whole snapshot of a directory, locked or not. Damaged ones that are newer are logged
 * by name. LEAT_OK; LEAT_AGAIN: there is none at all; LEAT_EDATA: all are damaged;
 * LEAT_ENOMEM: the newest cannot be read for want of memory or descriptors; LEAT_EIO: the directory
 * cannot be read. Both are logged. */
int snapshot_dir_newest(const char *path, struct snapshot *s);
/* The same, of checkpoints before this one. */
int snapshot_dir_newest_before(const char *path, uint64_t before, struct snapshot *s);
/* Remove the snapshots after checkpoint `last`. */
void snapshot_dir_cut(struct snapshot_dir *d, uint64_t last);

/* LEAT_OK, or LEAT_EIO: `error` gives the reason, and earlier snapshots are still there. */
int snapshot_dir_write(struct snapshot_dir *d, uint64_t checkpoint,
                       const struct snapshot_section *section, uint32_t n);

#endif
