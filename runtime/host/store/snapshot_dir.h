/* snapshot_dir.h -- the directory of `--state`: the last snapshots of one pipeline, and a lock.
 *
 *     lock                          locked (flock) while a run uses the directory
 *     0000000000000042.snapshot     snapshot of checkpoint 42; the last SNAPSHOT_DIR_KEEP stay
 *     writing.tmp                   the next snapshot while it is written; otherwise worthless
 *
 * A snapshot is written to writing.tmp, synced and renamed, and then the directory is synced. So
 * the newest snapshot with a good checksum is whole at any moment. If a snapshot is damaged, this
 * is reported and the previous one is used. */
#ifndef LEAT_HOST_STORE_SNAPSHOT_DIR_H
#define LEAT_HOST_STORE_SNAPSHOT_DIR_H

#include "snapshot.h"

enum { SNAPSHOT_DIR_KEEP = 3, SNAPSHOT_DIR_CHECKPOINTS = 64 };

struct snapshot_dir {
    const char *path;
    int fd, lock;
    char error[SNAPSHOT_MESSAGE];
};

/* Creates the directory if it does not exist (its parent must exist) and locks it. Returns LEAT_OK;
 * or LEAT_EIO with the reason in d->error. Always call snapshot_dir_close() afterwards. */
int snapshot_dir_open(struct snapshot_dir *d, const char *path);
void snapshot_dir_close(struct snapshot_dir *d);

/* Lists the numbers of the checkpoints that have a snapshot, newest first, at most
 * SNAPSHOT_DIR_CHECKPOINTS. Returns how many; -1 with errno if the directory cannot be read. */
int snapshot_dir_list(const char *path, uint64_t *checkpoint);
void snapshot_dir_name(uint64_t checkpoint, char name[32]);

/* Reads the newest whole snapshot of a directory, locked or not. Logs the names of newer snapshots
 * that are damaged. Returns LEAT_OK; LEAT_AGAIN if there are no snapshots; LEAT_EDATA if all are
 * damaged; LEAT_ENOMEM if memory or descriptors are lacking to read the newest; LEAT_EIO if the
 * directory cannot be read. The last two are logged. */
int snapshot_dir_newest(const char *path, struct snapshot *s);
/* Like snapshot_dir_newest(), but only for snapshots of checkpoints before `before`. */
int snapshot_dir_newest_before(const char *path, uint64_t before, struct snapshot *s);
/* Removes all snapshots of checkpoints after `last`. */
void snapshot_dir_cut(struct snapshot_dir *d, uint64_t last);

/* Writes a snapshot. Returns LEAT_OK; or LEAT_EIO with the reason in d->error. Earlier snapshots
 * stay intact in that case. */
int snapshot_dir_write(struct snapshot_dir *d, uint64_t checkpoint,
                       const struct snapshot_section *section, uint32_t n);

#endif
