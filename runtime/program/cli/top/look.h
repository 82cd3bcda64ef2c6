/* look.h -- looks at a run by HTTP (/status, then /top of one learner), or at the newest
 * snapshot of a directory, one after the other; none of them waits.
 *
 *     look_begin     a look begins; one that is under way ends
 *     look_poll      what is to be polled, and for how many ms at most
 *     look_step      true if the look is over; status, before, top, trouble have what it found
 *
 * A child looks, so that slow servers and large models do not stop the screen, and what plugins and
 * damaged files do stays there:
 *
 *     child  --- a line of JSON for the status, one for the answer ---> fd
 *            --- messages -> a file in memory, read when fd ends
 *
 * Nothing is locked or written: the run may go on. */
#ifndef LEAT_PROGRAM_CLI_TOP_LOOK_H
#define LEAT_PROGRAM_CLI_TOP_LOOK_H

#include <jansson.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "http_get.h"
#include "program/cli/command.h"

enum { LOOK_ROWS = 60, LOOK_NAME = 300, LOOK_TROUBLE = 700 };

struct look {
    const struct command_line *line; /* --memory, --plugin-path         */
    const char *target;              /* for people: the URL, or the directory */
    bool of_dir, under_way;
    struct server_address server;
    char *token;      /* or NULL                                         */
    struct stat seen; /* the snapshot that was read last; st_ino 0: none */
    char learner[LOOK_NAME];

    pid_t child; /* 0: none is under way */
    int fd, messages;
    uint64_t until; /* clock_ns: a server that has sent nothing whole by then is given up */
    char *bytes;
    size_t n, cap;

    json_t *status;   /* the newest /status, or model_summary.h with "age" in seconds; or NULL */
    json_t *before;   /* the status of the look before, of the same run; or NULL */
    json_t *top;      /* of a learner: {"stage", "examples", "rows"} or {"error"}; or NULL */
    uint64_t seen_ns; /* since 1970: when `status` came; 0: never */
    char trouble[LOOK_TROUBLE]; /* of the last look, a sentence; "": none */
};

/* Takes the operand and --http-token of the command line. Returns false after a message. Always
 * free it afterwards. */
bool look_open(struct look *l, const struct command_line *c);
void look_free(struct look *l);

/* learner: whose answer is wanted; "": the first's. */
void look_begin(struct look *l, const char *learner);
bool look_step(struct look *l);
/* Returns ms; -1 if nothing is under way. A look at snapshots may take any time. */
int look_poll(const struct look *l, struct pollfd *p);

/* Returns the i-th learner among the stages of a status, or NULL. */
const json_t *look_learner(const json_t *status, size_t i);
/* Returns the number of that learner; 0 if it is none of them. */
size_t look_learner_index(const json_t *status, const char *id);

#endif
