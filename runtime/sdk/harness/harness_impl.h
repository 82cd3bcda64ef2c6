/* harness_impl.h -- declarations shared by the files of the harness, and with conform/. */
#ifndef LEAT_SDK_HARNESS_HARNESS_IMPL_H
#define LEAT_SDK_HARNESS_HARNESS_IMPL_H

#include <stdarg.h>

#define HARNESS_INSIDE /* without the macros that record the place of a call */
#include <leat/harness.h>

#include "core/time/event_clock.h"
#include "host/memory/arena.h"
#include "host/flow/batch_check.h"
#include "host/flow/cut.h"
#include "host/graph/bounds.h"
#include "host/graph/stage_columns.h"
#include "host/store/state_codec.h"

/* Breach of a rule by a stage, or by the test program. */
enum breach {
    BREACH_MISUSE,    /* mistake of the test program, such as a column that does not exist */
    BREACH_ALLOCATES, /* the stage allocates memory in process() or expand() */
    BREACH_PLAN,      /* the stage takes more memory than it planned */
    BREACH_WHOLE,     /* the stage leaves an incomplete batch */
    BREACH_UNFILLED,  /* a column that the stage added has no value */
    BREACH_CHANGED,   /* the stage makes a change that its caps do not declare */
    BREACH_BEYOND,    /* the stage writes beyond the end of its memory */
    BREACH_RETURNED,  /* a call returns a forbidden status, or a failure without a reason */
    BREACH_FIGURE,    /* the stage sets an undeclared figure, or lowers a counter */
    BREACH_ANSWER     /* an answer has other columns than the stage announced */
};

/* Header of a block that the stage has allocated. */
struct harness_block {
    struct harness_block *next, *before;
    size_t bytes;
    void *allocated;
};

/* Memory that ends directly before a guard page. */
struct harness_array {
    char *map;
    size_t bytes, room, align; /* requested bytes; bytes mapped before the guard page; alignment */
    const char *name;
};

enum { HARNESS_ARRAYS = 4096 };

/* Element of the list of names of inputs that a source has announced. If an input has several
 * names, the latest comes first. */
struct harness_input {
    struct harness_input *next;
    uint32_t number;
    const char *name;
};

struct harness_impl {
    void *dl;
    struct node node; /* holds the columns that the stage has requested */
    union leat_cells shown[4 * HARNESS_COLUMNS];
    struct arena arena; /* copies of the plugin's tables, texts of parameters */
    bool negotiated, opened, started, in_call, borrows;
    struct harness_block *blocks;
    uint64_t limit; /* most bytes that the stage may have allocated */
    struct leat_column in_column[HARNESS_COLUMNS], out_column[HARNESS_COLUMNS];
    const char *in_field[HARNESS_FIELDS], *out_field[HARNESS_FIELDS];
    uint8_t out_mark[HARNESS_FIELDS];
    struct harness_array array[HARNESS_ARRAYS];
    uint32_t n_arrays;
    /* number that the stage has set as the source of each record of h->made (harness_came_from); 0
     * if it has set none */
    uint64_t *came_from;
    struct harness_answer answer;
    struct cutting cutting; /* state of host->cut(), which cuts records for a source */
    struct state_writer snapshot;
    struct event_clock clock; /* of a stage with LEAT_CLOCK */
    int stop_pipe[2];         /* pipe behind host->stop_fd(); both 0 until it is made */
    uint32_t n_inputs;
    struct harness_input *inputs;
    double counter[LEAT_MAX_FIGURES]; /* last value of each counter among the figures */

    /* Used by conform/: */
    bool discovers;      /* true during harness_discover(): every requested column exists */
    uint32_t last_asked; /* index of the column requested last */
    int instance;        /* number of this instance */
    uint32_t slice; /* approximate number of examples per call of process(); 0: whole batches */
    bool ended;     /* source: produce() has returned LEAT_EOS */
    uint64_t calls_allocated; /* number of blocks allocated in process() and expand() */
    uint32_t *number; /* original index of each record of h->b, for `where`; NULL: not arranged */
    uint64_t refused; /* allocations that failed because of allocs_left */
    void (*on_breach)(struct harness *h, enum breach, const char *text); /* NULL: abort */
};

/* Reports a breach to on_breach(). If on_breach is NULL, prints the breach and the place of the
 * call in the test, and ends the program. */
void harness_breach(struct harness *h, enum breach what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports BREACH_RETURNED if `call` may not return `status` (host/plugin/call_status.h). Returns
 * the status. */
int harness_returned(struct harness *h, const char *call, int status);
/* Reports BREACH_MISUSE if HOLDS is false. */
#define harness_must(H, HOLDS, ...)                                                                \
    do {                                                                                           \
        if (!(HOLDS)) harness_breach(H, BREACH_MISUSE, __VA_ARGS__);                               \
    } while (0)

/* Returns `bytes` bytes, aligned to `align` and filled with `fill`, that end at a guard page. They
 * live as long as the harness. `name` must stay valid. */
void *harness_array(struct harness *h, size_t bytes, size_t align, int fill, const char *name);
/* Makes the arrays `from` .. `to` - 1 inaccessible. An access to them is reported as one beyond the
 * memory `name`. */
void harness_forbid(struct harness *h, uint32_t from, uint32_t to, const char *name);
/* Returns the name of the array in which, or in whose guard page, the address `at` lies; NULL if
 * there is none. */
const char *harness_beyond(const struct harness *h, const void *at);
void harness_free_arrays(struct harness *h);

/* Return memory that lives as long as the harness. harness_room() returns zeroed bytes,
 * harness_keep() a copy of a text. */
void *harness_room(struct harness *h, size_t bytes);
char *harness_keep(struct harness *h, const char *text, size_t len);

/* Makes a query of any kind to the learner, like harness_ask(). */
int harness_question(struct harness *h, const struct leat_query *q);

/* Makes h->b, and h->made if the stage has expand(), in new memory. */
void harness_make_batches(struct harness *h, uint32_t records);
void harness_empty(struct leat_batch *b);

/* Returns parameter i of a stage. */
const struct leat_param *harness_param(const struct leat_stage *s, uint32_t i);

/* Negotiates with an input that has every column that the stage requests. Returns the number of
 * errors. */
int harness_discover(struct harness *h);

/* ---- the harness's replacement for the host ---- */

extern const struct leat_host harness_host;

/* Adds a line to h->said. */
void harness_say(struct harness *h, const char *param, const char *format, va_list args);

/* Returns the name of an input, for `where`. */
const char *harness_input(struct leat_ctx *ctx, uint32_t input);

/* Frees the blocks that the stage has not freed. */
void harness_free_blocks(struct harness *h);

/* ---- columns of a stage in a harness ----
 *
 * A stage sees only columns that it has requested, in types that it accepts
 * (runtime/host/graph/stage_columns.h). All other columns are NULL during its calls. */

/* Forgets all requested columns. Converted columns get indexes from `first` on. */
void harness_columns_begin(struct harness *h, uint32_t first);
/* Requests a column. Implements leat_negotiation.column and leat_host.column. */
int harness_columns_ask(struct leat_negotiation *n, struct harness *h, const char *param,
                        const char *name, uint32_t types, uint32_t *index);
/* Adds a column to the input, in a type that the stage accepts, for harness_discover(). The
 * negotiation then restarts. */
int harness_columns_make(struct harness *h, const char *name, uint32_t types, uint32_t *index);
int harness_columns_find(struct leat_ctx *ctx, struct harness *h, const char *name, uint32_t types,
                         uint32_t *index);
/* Hides columns of h->b that the stage has not requested, during a call. Returns the original
 * columns, to be put back after the call. */
union leat_cells *harness_columns_show(struct harness *h);

#endif
