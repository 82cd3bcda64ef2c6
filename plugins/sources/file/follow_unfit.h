/* follow_unfit.h -- what has a name to follow and cannot be followed: a folder, a pipe, a device, a
 * file that may not be read, compressed text, text in UTF-16.
 *
 * At the start such a name ends the run, as it is a mistake then. Later anybody may make one while
 * a pattern is followed: it is told once by its name, left alone, and looked at again with all
 * names, as it may become fit. */
#ifndef LEAT_SOURCES_FILE_FOLLOW_UNFIT_H
#define LEAT_SOURCES_FILE_FOLLOW_UNFIT_H

#include "follow.h"

/* Opens the file of this name. false: it is not there, or unfit; *status is LEAT_OK, or a failure
 * that the host was told. */
bool follow_open(struct leat_ctx *ctx, struct follow *fs, const char *path, int *fd, int *status);

/* Before anything is read of it: is it compressed, or in another encoding? Sets f->skipped. */
int follow_check(struct leat_ctx *ctx, struct follow *fs, struct followed *f);

/* Nothing more is read of it: its first bytes, of which not all had been there, say what it is. */
void follow_skip(struct leat_ctx *ctx, struct follow *fs, struct followed *f, const char *encoding);

#endif
