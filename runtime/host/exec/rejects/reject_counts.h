/* reject_counts.h -- rejected records by reason: the host's, and those of the pipeline's stages by
 * their words. */
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
    uint64_t n, held;         /* held: of these, after the barrier of the checkpoint under way */
    char first[REJECT_SHOWN]; /* the first one, as it is shown; "": none in this process       */
    /* Nobody will see further ones in words: enough are shown, the first is known, and nothing
     * takes dead letters. They are only counted. Set once, under rejects.mu; stages read it
     * without, and what they put into words in vain is not shown. */
    _Atomic bool wordless;
};

struct reject_counts {
    struct arena *arena;         /* the graph's */
    struct reject_count *reason; /* reason[LEAT_R_OTHER] and so on, then the stages' own */
    uint32_t n;
    size_t cap;
};

/* One for each reason that a stage of the graph may give. */
void reject_counts_init(struct reject_counts *c, const struct graph *g);

/* Returns the count of a stage's reason; that of the host's `other` if the stage does not have it.
 */
struct reject_count *reject_counts_of(const struct reject_counts *c, const struct leat_stage *s,
                                      int reason);

/* The one with the most records but for the `n_said` in `said`; NULL: none is left. */
const struct reject_count *reject_counts_most(const struct reject_counts *c,
                                              const struct reject_count *const *said,
                                              uint32_t n_said);

/* Writes the counts at the barrier, by words. */
void reject_counts_write(const struct reject_counts *c, struct leat_writer *w);
/* Takes them over if they add up to `count`. LEAT_OK, or LEAT_EDATA after refusing. No worker
 * runs. */
int reject_counts_read(struct reject_counts *c, struct leat_reader *from, uint64_t count);
void reject_counts_add(struct reject_counts *c, const struct reject_counts *other);

#endif
