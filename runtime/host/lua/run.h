/* run.h -- runs the stages of Lua functions, from open to close. */
#ifndef LEAT_HOST_LUA_RUN_H
#define LEAT_HOST_LUA_RUN_H

#include <stdbool.h>

#include <leat/plugin.h>

#include "sandbox.h"
#include "sandbox_library.h"
#include "value.h"
#include "view.h"

struct column;
struct lua_feature;

/* Configuration of all Lua stages. Each stage uses only the fields that it declares as
 * parameters. */
struct lua_cfg {
    const struct leat_function *fn;
    struct leat_strings columns, into;
    struct leat_strings state;   /* variables to save in snapshots */
    int64_t instructions;        /* most instructions per call */
    int64_t memory;              /* most bytes of the Lua state */
    int64_t text_bytes;          /* bytes of new text per record, on average over a batch */
    int32_t labels;              /* lua.batch: true if the function sets labels */
    struct leat_strings classes; /* lua.label: names of the classes */
    int32_t missing;        /* lua.label: action for a nil result; index into lua_missing_names */
    int64_t max_entries;    /* lua.features: most features of a record */
    const char *expression; /* lua.map: source expression of the function; NULL if none */
};

/* Returns the columns that lua.map writes: `into` if set, otherwise `columns`. */
const struct leat_strings *lua_targets(const struct lua_cfg *cfg);

/* Values of lua.label's parameter `missing`: what to do if the function returns nil. */
extern const char *const lua_missing_names[];

/* Returns the memory that lua.features needs outside of its Lua state. */
uint64_t lua_features_bytes(const struct lua_cfg *cfg);

/* True if `column` is "@end", the mark for the end of the stream (lua.flat). */
bool lua_is_end(const char *column);

struct lua_run {
    struct sandbox box;
    struct print print; /* output of the function's print() */
    struct leat_ctx *ctx;
    const struct lua_cfg *cfg;
    int fn; /* function's reference in the Lua registry */
    struct column *in, *out;
    uint32_t n_in, n_out;
    struct leat_batch *b;       /* batch of the call in progress                                */
    uint32_t at;                /* index in b->sel of the record of the call in progress        */
    uint32_t used_up;           /* consecutive calls that used up their instructions            */
    uint32_t full;              /* number of calls that ran out of memory                       */
    uint64_t calls;             /* lua.filter, lua.flat: successful calls                       */
    uint64_t silent;            /* lua.filter: successful calls that returned nothing           */
    uint64_t passed;            /* lua.filter: records that the function let pass               */
    const struct column *truth; /* lua.filter: column with text "true" or "false"; NULL if none */
    /* Takes a call's results, which start at stack index 3. If NULL, the results go to columns or
     * decide a filter. */
    void (*take)(lua_State *L, struct lua_run *, uint32_t r);
    struct lua_feature *feature; /* lua.features: array of max_entries, for one call */
    uint64_t n_features;         /* features returned, even if more than max_entries */
    struct view_env env;         /* lua.batch only; otherwise zeroed */
    struct batch_view *view;
    struct lua_bytes kept; /* buffer for writing a variable to a snapshot */

    /* lua.flat */
    struct leat_batch *made; /* output batch of the call in progress */
    int emit, rows; /* registry references of the function emit; of the table of emitted rows */
    uint32_t n_rows, given; /* n_rows: rows that the call emitted; given: rows already in a batch */
    /* calling: the function is running; emitted: it has returned, and its rows are being moved */
    bool calling, emitted;
    bool ends;               /* the function also gets a call at the end of the stream        */
    uint64_t emits, returns; /* calls that emitted rows; calls that returned values (ignored) */
};

/* Functions of struct leat_stage; `self` is a struct lua_run. */
int lua_run_filter_open(struct leat_ctx *ctx, void *self);
int lua_run_map_open(struct leat_ctx *ctx, void *self);
int lua_run_label_open(struct leat_ctx *ctx, void *self);
int lua_run_features_open(struct leat_ctx *ctx, void *self);
int lua_run_batch_open(struct leat_ctx *ctx, void *self);
int lua_run_rows_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int lua_run_batch_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int lua_run_stop(struct leat_ctx *ctx, void *self);
/* Called after the run. Warns if the function never returned anything. */
void lua_run_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes);
/* Called after the run. Reports it if lua.flat made no records. */
void lua_run_flat_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes);
int lua_run_flat_open(struct leat_ctx *ctx, void *self);
int lua_run_flat_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                        struct leat_batch *out);
void lua_run_close(struct leat_ctx *ctx, void *self);

/* ---- functions that flat.c and other files use, too ---- */

/* Properties of a Lua stage in addition to the columns that its function reads. */
enum lua_run_has {
    HAS_RESULTS = 1, /* the stage writes results to columns */
    HAS_VIEWS = 2,   /* the function gets views of batches */
    HAS_END = 4      /* the function gets a call at the end of the stream */
};

/* Opens the stage's columns, its Lua state and its function. `has` combines flags of enum
 * lua_run_has. If this fails, everything is released. */
int lua_run_open(struct leat_ctx *ctx, struct lua_run *st, int has);

/* Pushes the input columns of record r of st->b. Returns false if a cell is not a number but should
 * be; record r is then rejected. */
bool lua_run_push_columns(lua_State *L, struct lua_run *st, uint32_t r);

/* Writes the Lua value at `index` into column c of record r of `b`, a newly made column or record.
 * Returns false if the value does not fit; record r is then rejected. May raise a Lua error. */
bool lua_run_store_new(lua_State *L, int index, struct lua_run *st, struct leat_batch *b,
                       uint32_t r, const struct column *c);

/* Rejects record r of st->b with the error message that lua_pcall left on the stack. Returns
 * LEAT_OK, or an error status if the run must end. */
int lua_run_reject(struct lua_run *st, uint32_t r, int status);

#endif
