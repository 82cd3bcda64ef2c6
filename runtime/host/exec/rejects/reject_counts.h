/* reject_counts.h -- numbers of rejected records by reason (the host's and the stages'). */
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
    uint64_t n, held;         /* held: number after the barrier of the current checkpoint */
    char first[REJECT_SHOWN]; /* the text of the first rejection; "": none in this process */
    /* Further rejections are only counted, not put into words: enough are shown, the first is
     * known, and nothing takes dead letters. Set once, under rejects.mu. Stages read it without a
     * lock, so some may still write words, which are not shown. */
    _Atomic bool wordless;
};

struct reject_counts {
    struct arena *arena;         /* the graph's */
    struct reject_count *reason; /* reason[LEAT_R_OTHER] and so on, then the stages' own */
    uint32_t n;
    size_t cap;
};

/* Adds a count for each reason that a stage of the graph may give. */
void reject_counts_init(struct reject_counts *c, const struct graph *g);

/* Returns the count of a stage's reason, or of the host's `other` if the stage does not declare
 * it. */
struct reject_count *reject_counts_of(const struct reject_counts *c, const struct leat_stage *s,
                                      int reason);

/* Returns the count with the most records, apart from the `n_said` in `said`; NULL if there is no
 * other. */
const struct reject_count *reject_counts_most(const struct reject_counts *c,
                                              const struct reject_count *const *said,
                                              uint32_t n_said);

/* Writes the counts at the barrier, by reason. */
void reject_counts_write(const struct reject_counts *c, struct leat_writer *w);
/* Takes over saved counts if they add up to `count`. Returns LEAT_OK, or LEAT_EDATA after refusing.
 * Call it while no worker runs. */
int reject_counts_read(struct reject_counts *c, struct leat_reader *from, uint64_t count);
void reject_counts_add(struct reject_counts *c, const struct reject_counts *other);

#endif
