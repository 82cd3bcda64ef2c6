/* snapshot_dir.h -- the directory of `--state`: the last snapshots of one pipeline, and a lock.
 *
 *   lock                         held (flock) as long as a run uses the directory
 *   0000000000000042.snapshot    epoch 42; the last STATE_DIR_KEEP stay
 *   writing.tmp                  on its way to be the next one; of no worth when found
 *
 * A snapshot is written beside the others, synced, renamed, and the directory synced: at any moment
 * the newest one with a good checksum is whole. A damaged one is named and the one before is used.
 */
#ifndef LEAT_STORE_SNAPSHOT_DIR_H
#define LEAT_STORE_SNAPSHOT_DIR_H

#include "snapshot.h"

enum { STATE_DIR_KEEP = 3, STATE_DIR_EPOCHS = 64 };

struct state_dir {
    const char *path;
    int fd, lock;
    char error[SNAPSHOT_MESSAGE];
};

/* Makes the directory if there is none (its parent must be there) and locks it. LEAT_OK or
 * LEAT_EIO: `error` says why. Afterwards always close it. */
int state_dir_open(struct state_dir *d, const char *path);
void state_dir_close(struct state_dir *d);

/* The epochs there are, newest first; how many, or -1; of more than
 * STATE_DIR_EPOCHS the newest. */
int state_dir_list(const char *path, uint64_t *epoch);
void state_dir_name(uint64_t epoch, char name[32]);

/* The newest whole snapshot of a directory, locked or not. Each damaged one on the way is logged by
 * name. LEAT_OK; LEAT_AGAIN: there is none at all; LEAT_EDATA: all are damaged; other failures. */
int state_dir_newest(const char *path, struct snapshot *s);
/* The same, of those before an epoch. */
int state_dir_newest_before(const char *path, uint64_t before, struct snapshot *s);
/* Snapshots after this epoch are no more. */
void state_dir_cut(struct state_dir *d, uint64_t epoch);

/* LEAT_OK, or LEAT_EIO: `error` says why, and what was there is still there. */
int state_dir_write(struct state_dir *d, uint64_t epoch, const struct snapshot_section *section,
                    uint32_t n);

#endif
