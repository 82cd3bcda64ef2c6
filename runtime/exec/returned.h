/* returned.h -- what a stage's call has returned, held against what it may return. */
#ifndef LEAT_EXEC_RETURNED_H
#define LEAT_EXEC_RETURNED_H

#include <leat/status.h>

struct instance;

enum returned_news {
    RETURNED_OK = 0,
    RETURNED_EOS = 1 << LEAT_EOS,
    RETURNED_AGAIN = 1 << LEAT_AGAIN
};

/* The status, if it is LEAT_OK, a failure, or news of these (or-ed). A positive value that the call
 * does not have is a mistake, and what it was meant to say would be lost: it fails the run, which
 * is told the call, the value and what it may be. Then LEAT_EDATA. */
int returned(struct instance *i, const char *call, int status, unsigned news);

#endif
