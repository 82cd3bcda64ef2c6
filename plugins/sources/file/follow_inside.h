/* follow_inside.h -- what follow.c and follow_state.c share. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_INSIDE_H
#define LEAT_SOURCES_FILE_FOLLOW_INSIDE_H

#include "follow.h"

struct followed *follow_by_inode(const struct follow *fs, uint64_t device, uint64_t inode);
/* Takes the open file fd as the last of its name, at its beginning; rotated: it has lost that.
 * LEAT_AGAIN: there is no place for it, which was said. fd is closed when it is not taken. */
int follow_add(struct leat_ctx *ctx, struct follow *fs, const char *path, int fd, bool rotated,
               struct followed **added);
/* Is another of this name read before? */
bool follow_has_earlier(const struct follow *fs, const struct followed *f);
/* Adds files that had the name `path`, or copies of what was in it, after `last`, and lost it again
 * before they were seen; `last` becomes the last of them. now: what has the name; a copy of its
 * present text is none of them. false: there are more than there are places for; they come later.
 */
bool follow_add_between(struct leat_ctx *ctx, struct follow *fs, const char *path,
                        struct beside_place *last, const struct followed *now);
/* Its name is another file's, or nobody's. */
void follow_leave(struct followed *f);
/* Looks at all names again. */
int follow_look(struct leat_ctx *ctx, struct follow *fs);

#endif
