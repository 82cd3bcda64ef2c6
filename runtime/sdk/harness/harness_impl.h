/* harness_impl.h -- declarations that the files of the harness share, also with conform/. */
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
    BREACH_MISUSE,    /* by the program: it asks the harness for something that does not exist */
    BREACH_ALLOCATES, /* memory taken in process or expand */
    BREACH_PLAN,      /* more memory than planned */
    BREACH_WHOLE,     /* a batch left incomplete */
    BREACH_UNFILLED,  /* an added column without a value */
    BREACH_CHANGED,   /* a change that its caps do not declare */
    BREACH_BEYOND,    /* a write beyond its memory */
    BREACH_RETURNED,  /* a status that the call may not return, or a failure without a reason */
    BREACH_FIGURE,    /* an undeclared figure, or a counter that falls */
    BREACH_ANSWER     /* an answer with other columns than promised */
};

/* A block that the stage has allocated. */
struct harness_block {
    struct harness_block *next, *before;
    size_t bytes;
    void *allocated;
};

/* Memory that ends at a guard page. */
struct harness_array {
    char *map;
    size_t bytes, room, align; /* bytes: requested; room: before the guard page */
    const char *name;
};

enum { HARNESS_ARRAYS = 4096 };

/* The name that a source has given an input. The latest name of an input comes first. */
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
    uint64_t *came_from; /* by record of h->made: harness_came_from, if set by the stage; or 0 */
    struct harness_answer answer;
    struct cutting cutting; /* of a source that lets the host cut its bytes */
    struct state_writer snapshot;
    int stop_pipe[2]; /* 0: not made */
    uint32_t n_inputs;
    struct harness_input *inputs;
    double counter[LEAT_MAX_FIGURES]; /* last value of each figure that is a counter */

    /* Used by conform/: */
    bool discovers;           /* every column that negotiate asks for exists */
    uint32_t last_asked;      /* index of the last column asked for */
    int instance;             /* number of the instance */
    uint32_t slice;           /* about how many examples a call of process gets; 0: a whole batch */
    bool ended;               /* of a source: produce has returned LEAT_EOS */
    uint64_t calls_allocated; /* blocks taken in process and expand */
    uint32_t *number;         /* old number by record of h->b, for `where`; NULL: the same */
    uint64_t refused;         /* allocations that failed because of allocs_left */
    void (*on_breach)(struct harness *h, enum breach, const char *text); /* NULL: abort */
};

/* Reports a breach by on_breach; without that, ends the program with the place of the test's
 * call. */
void harness_breach(struct harness *h, enum breach what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a status that `call` may not return (base/calls/call_status.h) as BREACH_RETURNED.
 * Returns the status. */
int harness_returned(struct harness *h, const char *call, int status);
/* Reports BREACH_MISUSE unless HOLDS. */
#define harness_must(H, HOLDS, ...)                                                                \
    do {                                                                                           \
        if (!(HOLDS)) harness_breach(H, BREACH_MISUSE, __VA_ARGS__);                               \
    } while (0)

/* Returns `bytes` bytes, aligned to `align` and filled with `fill`, that end at a guard page. They
 * live as long as the harness. `name` must stay valid. */
void *harness_array(struct harness *h, size_t bytes, size_t align, int fill, const char *name);
/* Forbids any access to the arrays from number `from` to `to` - 1. */
void harness_forbid(struct harness *h, uint32_t from, uint32_t to, const char *name);
/* Returns the name of the array that `at` belongs to, with the guard page; NULL if there is
 * none. */
const char *harness_beyond(const struct harness *h, const void *at);
void harness_free_arrays(struct harness *h);

/* Return memory that lives as long as the harness: zeroed, or a copy of a text. */
void *harness_room(struct harness *h, size_t bytes);
char *harness_keep(struct harness *h, const char *text, size_t len);

/* Asks a learner any kind of question, like harness_ask. */
int harness_question(struct harness *h, const struct leat_query *q);

/* Makes h->b (and h->made) again, for a stage that already had one. */
void harness_make_batches(struct harness *h, uint32_t records);
/* Empties a batch. */
void harness_empty(struct leat_batch *b);

/* Returns parameter i of a stage. */
const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i);

/* Negotiates with an input that has every column that the stage asks for. Returns the number of
 * errors. */
int harness_discover(struct harness *h);

/* ---- the fake host of the harness ---- */

extern const struct leat_host harness_host;

/* Adds a line to h->said. */
void harness_say(struct harness *h, const char *param, const char *format, va_list args);

/* Returns the name of an input, for `where`. */
const char *harness_input(struct leat_ctx *ctx, uint32_t input);

/* Frees the blocks that the stage has not freed itself. */
void harness_free_blocks(struct harness *h);

/* ---- columns of a stage in a harness ----
 *
 * A stage sees only columns that it has asked for, in types that it takes
 * (runtime/host/graph/stage_columns.h). All others are NULL during its calls. */

/* Begins without requested columns. Converted columns begin at `first`. */
void harness_columns_begin(struct harness *h, uint32_t first);
/* leat_negotiation.column and leat_host.column. */
int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index);
/* For harness_discover: adds the column, in a type that the stage takes. Negotiation begins
 * again. */
int harness_columns_make(struct harness *h, const char *name, uint32_t types, uint32_t *index);
int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index);
/* Hides the other columns of h->b during a call. Returns the columns that the batch gets back
 * afterwards. */
union leat_cells *harness_columns_show(struct harness *h);

#endif
