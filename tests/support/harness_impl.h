/* harness_impl.h -- what the files of the harness share; tests include harness.h. */
#ifndef LEAT_TESTS_SUPPORT_HARNESS_IMPL_H
#define LEAT_TESTS_SUPPORT_HARNESS_IMPL_H

#include "base/arena.h"
#include "graph/bounds.h"
#include "graph/stage_columns.h"
#include "store/state_codec.h"
#include "harness.h"

/* What the stage has allocated. */
struct harness_block {
    struct harness_block *next, *before;
    size_t bytes;
    void *allocated;
};

struct harness_impl {
    void *dl;
    struct node node; /* columns that the stage has asked for */
    union leat_cells shown[4 * HARNESS_COLUMNS];
    struct arena arena; /* the host's copy of the plugin's tables */
    int negotiated, opened, started, in_process, borrows;
    struct harness_block *blocks;
    uint64_t limit; /* bytes that the stage may have */
    struct leat_column in_column[HARNESS_COLUMNS], out_column[HARNESS_COLUMNS];
    const char *in_field[HARNESS_FIELDS], *out_field[HARNESS_FIELDS];
    void *kept[1024]; /* strings and lists that live as long as the harness */
    uint32_t n_kept;
    void *memory[160]; /* the arrays of batches */
    uint32_t n_memory;
    uint64_t *came_from; /* of h->made: harness_came_from, as the stage has said; 0: not */
    struct harness_answer answer;
    struct state_writer snapshot;
};

/* Zeroed memory that lives as long as the harness; a copy of a text in such memory. */
void *harness_room(struct harness *h, size_t bytes);
char *harness_keep(struct harness *h, const char *text, size_t len);

/* A batch without records. */
void harness_empty(struct leat_batch *b);

/* Parameter i of a stage; every parameter to its default. */
const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i);
void harness_defaults(struct harness *h);

#endif
