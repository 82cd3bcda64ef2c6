/* feed.h -- what a frame is made of: looks at a run or at a directory of snapshots, one after the
 * other, none of which waits.
 *
 *     feed_begin     a look begins; one that is under way ends
 *     feed_poll      what is to be polled, and for how many ms at most
 *     feed_step      true: the look is over; status, before, top, trouble have what it found
 */
#ifndef LEAT_PROGRAM_CLI_TOP_FEED_H
#define LEAT_PROGRAM_CLI_TOP_FEED_H

#include <poll.h>
#include <stdint.h>

#include "run_watch.h"
#include "snapshot_watch.h"

struct feed {
    bool of_dir, under_way;
    struct run_watch run;
    struct snapshot_watch snapshots;
    const char *target;         /* for people: the URL, or the directory */
    json_t *status, *top;       /* the newest there are, or NULL         */
    json_t *before;             /* the status of the look before, of the same run; NULL */
    uint64_t seen_ns;           /* since 1970: when `status` came; 0: never */
    char trouble[LOOK_TROUBLE]; /* of the last look; "": none */
};

/* What the operand and --http-token of the command line name. false, after a message. Afterwards
 * always free it. */
bool feed_open(struct feed *f, const struct command_line *c);
void feed_free(struct feed *f);

/* learner: whose answer is wanted, "": the first's. */
void feed_begin(struct feed *f, const char *learner);
bool feed_step(struct feed *f);
/* Returns ms, or -1: nothing is under way. A look at snapshots may take any time. */
int feed_poll(const struct feed *f, struct pollfd *p);

#endif
