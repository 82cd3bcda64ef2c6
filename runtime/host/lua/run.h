/* run.h -- stages of Lua functions from open to close. */
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

/* Configuration of all Lua stages; each declares the fields that it has as parameters. */
struct lua_cfg {
    const struct leat_function *fn;
    struct leat_strings columns, into;
    struct leat_strings state;   /* variables that snapshots hold                                */
    int64_t instructions;        /* most per call                                                */
    int64_t memory;              /* most bytes of the Lua state                                  */
    int64_t text_bytes;          /* new text a record, on average over a batch                   */
    int32_t labels;              /* lua.batch: the function sets labels                          */
    struct leat_strings classes; /* lua.label: names of labels                                   */
    int32_t missing;             /* lua.label: index into lua_missing_names                      */
    int64_t max_entries;         /* lua.features: features of a record                           */
    const char *expression;      /* lua.map: expression that the function was made from, or NULL */
};

/* Columns that lua.map writes: `into`, or otherwise the columns that it reads. */
const struct leat_strings *lua_targets(const struct lua_cfg *cfg);

/* Treatments of a record for which lua.label returns nil. */
extern const char *const lua_missing_names[];

/* Memory of lua.features beyond its Lua state. */
uint64_t lua_features_bytes(const struct lua_cfg *cfg);

/* True if the column stands for the end of the stream (lua.flat). */
bool lua_is_end(const char *column);

struct lua_run {
    struct sandbox box;
    struct print print; /* output of the function's print */
    struct leat_ctx *ctx;
    const struct lua_cfg *cfg;
    int fn; /* reference in the registry */
    struct column *in, *out;
    uint32_t n_in, n_out;
    struct leat_batch *b;       /* batch of the call in progress                                  */
    uint32_t at;                /* index in b->sel                                                */
    uint32_t used_up;           /* consecutive calls that used up their instructions              */
    uint32_t full;              /* calls that ran out of memory, in total                         */
    uint64_t calls;             /* lua.filter, lua.flat: successful calls                         */
    uint64_t silent;            /* lua.filter: successful calls that returned nothing             */
    uint64_t passed;            /* lua.filter: records that passed                                */
    const struct column *truth; /* lua.filter: column with the text "true" or "false"; NULL: none */
    /* Takes the results of a call, from stack index 3 on; NULL: results go to columns or a
     * filter. */
    void (*take)(lua_State *L, struct lua_run *, uint32_t r);
    struct lua_feature *feature; /* lua.features: features of the call in progress, max_entries of
                                  * them */
    uint64_t n_features;         /* number of features returned, even if more than max_entries */
    struct view_env env;         /* lua.batch; otherwise all zero */
    struct batch_view *view;
    struct lua_bytes kept; /* buffer for a variable in a snapshot */

    /* lua.flat */
    struct leat_batch *made; /* batch that it fills       */
    int emit, rows;          /* references in the registry: the function emit, the emitted rows */
    uint32_t n_rows, given;  /* rows that the call emitted, and those already in a batch */
    bool calling, emitted;   /* the function is running; it has run, and its rows are being moved */
    bool ends;               /* it has a call at the end of the stream, too                     */
    uint64_t emits, returns; /* calls that emitted; calls that returned values, which are ignored */
};

/* Calls of struct leat_stage; `self` is a struct lua_run. */
int lua_run_filter_open(struct leat_ctx *ctx, void *self);
int lua_run_map_open(struct leat_ctx *ctx, void *self);
int lua_run_label_open(struct leat_ctx *ctx, void *self);
int lua_run_features_open(struct leat_ctx *ctx, void *self);
int lua_run_batch_open(struct leat_ctx *ctx, void *self);
int lua_run_rows_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int lua_run_batch_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
int lua_run_stop(struct leat_ctx *ctx, void *self);
/* Warns after the run of a function that returned nothing. */
void lua_run_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes);
/* Reports after the run that lua.flat made no record. */
void lua_run_flat_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes);
int lua_run_flat_open(struct leat_ctx *ctx, void *self);
int lua_run_flat_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                        struct leat_batch *out);
void lua_run_close(struct leat_ctx *ctx, void *self);

/* ---- shared with flat.c and others ---- */

/* Properties of a stage beyond columns that its function reads. */
enum lua_run_has {
    HAS_RESULTS = 1, /* columns for results                */
    HAS_VIEWS = 2,   /* its function gets views of batches */
    HAS_END = 4      /* a call at the end of the stream    */
};

/* Opens the stage's columns, its Lua state and its function; `has`: enum lua_run_has, or-ed. On
 * failure everything is released. */
int lua_run_open(struct leat_ctx *ctx, struct lua_run *st, int has);

/* Pushes the columns of record r of st->b. Returns false, with r rejected, if one is not a
 * number. */
bool lua_run_push_columns(lua_State *L, struct lua_run *st, uint32_t r);

/* Writes the value at `index` into record r of `b`, which is new there. Returns false, with r
 * rejected, if it does not fit into column c. May raise an error. */
bool lua_run_store_new(lua_State *L, int index, struct lua_run *st, struct leat_batch *b,
                       uint32_t r, const struct column *c);

/* Rejects record r of st->b with the error that lua_pcall left on the stack. Returns LEAT_OK, or a
 * failure of the run. */
int lua_run_reject(struct lua_run *st, uint32_t r, int status);

#endif
