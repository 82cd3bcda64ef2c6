/* reject_counts.h -- numbers of rejected records for each reason of the host and of the stages. */
#ifndef LEAT_HOST_EXEC_REJECTS_REJECT_COUNTS_H
#define LEAT_HOST_EXEC_REJECTS_REJECT_COUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <leat/stage.h>

struct graph;
struct arena;

enum { REJECT_SHOWN = 400 };

struct reject_count {
    const char *word;
    /* Number of records, and how many of these came after the barrier of the checkpoint in
     * progress. */
    uint64_t n, held;
    char first[REJECT_SHOWN]; /* message of the first rejection in this process; "": none yet */
    /* Further rejections are only counted and need no message. That is so if enough have been shown
     * and no dead letters are written. Set once, under rejects.mu. Stages read it without a lock,
     * so some may still write a message, which is not shown. */
    _Atomic bool wordless;
};

struct reject_counts {
    struct arena *arena;         /* arena of the graph                                      */
    struct reject_count *reason; /* indexed by enum leat_reason; then the reasons of stages */
    uint32_t n;
    size_t cap;
};

/* Makes a count for each reason of the host, and for each reason that a stage of the graph
 * declares. */
void reject_counts_init(struct reject_counts *c, const struct graph *g);

/* Returns the count of a reason of stage s; that of LEAT_R_OTHER if the stage does not declare the
 * reason. */
struct reject_count *reject_counts_of(const struct reject_counts *c, const struct leat_stage *s,
                                      int reason);

/* Returns the count with the most records that is not among said[0 .. n_said); NULL if no other has
 * records. */
const struct reject_count *reject_counts_most(const struct reject_counts *c,
                                              const struct reject_count *const *said,
                                              uint32_t n_said);

/* Writes the counts at the barrier of the checkpoint in progress. */
void reject_counts_write(const struct reject_counts *c, struct leat_writer *w);
/* Replaces the counts by saved ones, which must add up to `count`. Returns LEAT_OK, or LEAT_EDATA
 * after refusing the state. Call it while no worker runs. */
int reject_counts_read(struct reject_counts *c, struct leat_reader *from, uint64_t count);
void reject_counts_add(struct reject_counts *c, const struct reject_counts *other);

#endif
