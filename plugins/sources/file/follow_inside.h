/* follow_inside.h -- what follow.c and follow_state.c share. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_INSIDE_H
#define LEAT_SOURCES_FILE_FOLLOW_INSIDE_H

#include "follow.h"

struct followed *follow_by_inode(const struct follow *fs, uint64_t device, uint64_t inode);
/* Takes the open file fd as the last of its name, at its beginning. LEAT_AGAIN: there is no place
 * for it, which was said. fd is closed when it is not taken. */
int follow_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd,
               struct followed **added);
/* Files that had the name `path` after the one that `is`, last written at since_ns, and lost it
 * again before they were seen. */
void follow_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                        const struct fingerprint *is, uint64_t since_ns);
/* Its name is another file's, or nobody's. */
void follow_leave(struct followed *f);
/* Looks at all names again. */
int follow_look(struct leat_ctx *ctx, struct follow *fs);

#endif
