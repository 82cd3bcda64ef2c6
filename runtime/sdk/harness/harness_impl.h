/* harness_impl.h -- what the files of the harness share, and the tests of plugins (conform/). */
#ifndef LEAT_SDK_HARNESS_HARNESS_IMPL_H
#define LEAT_SDK_HARNESS_HARNESS_IMPL_H

#include <stdarg.h>

#define HARNESS_INSIDE /* no macros that note the place of a call */
#include <leat/harness.h>

#include "host/memory/arena.h"
#include "host/flow/batch_check.h"
#include "host/flow/cut.h"
#include "host/graph/bounds.h"
#include "host/graph/stage_columns.h"
#include "host/store/state_codec.h"

/* A breach by a stage, or by the program around it. */
enum breach {
    BREACH_MISUSE,    /* the program: it asks the harness for what is not there */
    BREACH_ALLOCATES, /* memory in process, expand */
    BREACH_PLAN,      /* more memory than planned */
    BREACH_WHOLE,     /* a batch is left that is not whole */
    BREACH_UNFILLED,  /* a column that it adds lacks a value */
    BREACH_CHANGED,   /* it changed what it does not declare */
    BREACH_BEYOND,    /* it wrote beyond its memory */
    BREACH_RETURNED,  /* a status that the call cannot have, or a failure without a reason */
    BREACH_FIGURE,    /* a figure that it does not declare, a counter that falls */
    BREACH_ANSWER     /* an answer with other columns than promised */
};

/* A block that the stage has allocated. */
struct harness_block {
    struct harness_block *next, *before;
    size_t bytes;
    void *allocated;
};

/* Memory that ends where a page begins that nobody may touch. */
struct harness_array {
    char *map;
    size_t bytes, room, align; /* bytes: asked for; room: before the page */
    const char *name;
};

enum { HARNESS_ARRAYS = 4096 };

/* How a source calls its inputs; the last name of one comes first. */
struct harness_input {
    struct harness_input *next;
    uint32_t number;
    const char *name;
};

struct harness_impl {
    void *dl;
    struct node node; /* columns that the stage has asked for */
    union leat_cells shown[4 * HARNESS_COLUMNS];
    struct arena arena; /* the host's copy of the plugin's tables, and texts of parameters */
    bool negotiated, opened, started, in_call, borrows;
    struct harness_block *blocks;
    uint64_t limit; /* bytes that the stage may have */
    struct leat_column in_column[HARNESS_COLUMNS], out_column[HARNESS_COLUMNS];
    const char *in_field[HARNESS_FIELDS], *out_field[HARNESS_FIELDS];
    struct harness_array array[HARNESS_ARRAYS];
    uint32_t n_arrays;
    uint64_t *came_from; /* of h->made: harness_came_from, as the stage has said; 0: not */
    struct harness_answer answer;
    struct cutting cutting; /* of a source that has its bytes cut */
    struct state_writer snapshot;
    int stop_pipe[2]; /* 0: not made */
    uint32_t n_inputs;
    struct harness_input *inputs;
    double counter[LEAT_MAX_FIGURES]; /* the last value of each figure that is one */

    /* conform/: */
    bool discovers;           /* each column that negotiate asks for is there */
    uint32_t last_asked;      /* of these */
    int instance;             /* a number of its own */
    uint32_t slice;           /* examples of a call of process, more or less; 0: of a whole batch */
    bool ended;               /* a source: produce has returned LEAT_EOS */
    uint64_t calls_allocated; /* blocks taken in process and expand */
    uint32_t *number;         /* which each record of h->b was, for `where`; NULL: as they lie */
    uint64_t refused;         /* allocations that failed because of allocs_left */
    void (*on_breach)(struct harness *h, enum breach, const char *text); /* NULL: abort */
};

/* Reports a breach: by on_breach, or it ends the program with the place of the test's call. */
void harness_breach(struct harness *h, enum breach what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a status that `call` may not return (base/calls/call_status.h) as BREACH_RETURNED.
 * Returns the status. */
int harness_returned(struct harness *h, const char *call, int status);
/* The program does what it must not. */
#define harness_must(H, HOLDS, ...)                                                                \
    do {                                                                                           \
        if (!(HOLDS)) harness_breach(H, BREACH_MISUSE, __VA_ARGS__);                               \
    } while (0)

/* Memory of `bytes` bytes, from a multiple of `align` on and filled with `fill`, which ends where
 * nobody may touch; until the harness is freed. `name` stays. */
void *harness_array(struct harness *h, size_t bytes, size_t align, int fill, const char *name);
/* Nobody may touch the arrays from number `from` on any more. */
void harness_forbid(struct harness *h, uint32_t from, uint32_t to, const char *name);
/* Returns the name of the array before the page that `at` is in; NULL if it is no such page. */
const char *harness_beyond(const struct harness *h, const void *at);
void harness_free_arrays(struct harness *h);

/* Zeroed memory that lives as long as the harness; a copy of a text in such memory. */
void *harness_room(struct harness *h, size_t bytes);
char *harness_keep(struct harness *h, const char *text, size_t len);

/* A question of any kind to a learner, as harness_ask. */
int harness_question(struct harness *h, const struct leat_query *q);

/* Makes h->b anew (and h->made), for a stage that was given one. */
void harness_make_batches(struct harness *h, uint32_t records);
/* A batch without records. */
void harness_empty(struct leat_batch *b);

/* Parameter i of a stage; every parameter to its default. */
const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i);

/* Negotiates with an input that has each column that the stage asks for. Returns the number of
 * errors. */
int harness_discover(struct harness *h);

/* ---- the fake host of the harness ---- */

extern const struct leat_host harness_host;

/* Adds a line to h->said. */
void harness_say(struct harness *h, const char *param, const char *format, va_list args);

/* The name of an input, as `where` tells it. */
const char *harness_input(struct leat_ctx *ctx, uint32_t input);

/* Frees the blocks that the stage has not freed itself. */
void harness_free_blocks(struct harness *h);

/* Columns as the stage in a harness sees them: those that it has asked for, in types that it
 * takes (runtime/host/graph/stage_columns.h). All others are NULL during its calls. */

/* Nothing is asked for; converted columns begin at `first`. */
void harness_columns_begin(struct harness *h, uint32_t first);
/* leat_negotiation.column, leat_host.column. */
int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index);
/* harness_discover: the column comes to be, of a type that the stage takes; negotiation begins
 * again. */
int harness_columns_make(struct harness *h, const char *name, uint32_t types, uint32_t *index);
int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index);
/* Around a call on h->b. Returns the columns that the batch has again afterwards. */
union leat_cells *harness_columns_show(struct harness *h);

#endif
