/* snapshot_dir.h -- the directory of `--state`: the last snapshots of one pipeline, and a lock.
 *
 *   lock                         held (flock) as long as a run uses the directory
 *   0000000000000042.snapshot    checkpoint 42; the last SNAPSHOT_DIR_KEEP stay
 *   writing.tmp                  on its way to be the next one; of no worth when found
 *
 * A snapshot is written beside the others, synced, renamed, and the directory synced: at any moment
 * the newest one with a good checksum is whole. A damaged one is named and the one before is used.
 */
#ifndef LEAT_STORE_SNAPSHOT_DIR_H
#define LEAT_STORE_SNAPSHOT_DIR_H

#include "snapshot.h"

enum { SNAPSHOT_DIR_KEEP = 3, SNAPSHOT_DIR_CHECKPOINTS = 64 };

struct snapshot_dir {
    const char *path;
    int fd, lock;
    char error[SNAPSHOT_MESSAGE];
};

/* Makes the directory if there is none (its parent must be there) and locks it. LEAT_OK or
 * LEAT_EIO: `error` says why. Afterwards always close it. */
int snapshot_dir_open(struct snapshot_dir *d, const char *path);
void snapshot_dir_close(struct snapshot_dir *d);

/* The checkpoints there are, newest first; how many, or -1; of more than
 * SNAPSHOT_DIR_CHECKPOINTS the newest. */
int snapshot_dir_list(const char *path, uint64_t *checkpoint);
void snapshot_dir_name(uint64_t checkpoint, char name[32]);

/* The newest whole snapshot of a directory, locked or not. Each damaged one on the way is logged by
 * name. LEAT_OK; LEAT_AGAIN: there is none at all; LEAT_EDATA: all are damaged; other failures. */
int snapshot_dir_newest(const char *path, struct snapshot *s);
/* The same, of those before a checkpoint. */
int snapshot_dir_newest_before(const char *path, uint64_t before, struct snapshot *s);
/* Snapshots after this checkpoint are no more. */
void snapshot_dir_cut(struct snapshot_dir *d, uint64_t checkpoint);

/* LEAT_OK, or LEAT_EIO: `error` says why, and what was there is still there. */
int snapshot_dir_write(struct snapshot_dir *d, uint64_t checkpoint,
                       const struct snapshot_section *section, uint32_t n);

#endif
