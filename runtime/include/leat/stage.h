/* stage.h -- a stage: data that describes it, and functions that the host calls.
 *
 * struct leat_stage has the members that every stage may have. Each role that only some stages have
 * has its own struct: source, learner, asker, letters, state, transaction. A stage points to the
 * structs of its roles:
 *
 *     const struct leat_stage source_mine = {
 *         .name = "source.mine",
 *         .kind = LEAT_SOURCE,
 *         LEAT_INSTANCE(struct mine, open, close),
 *         .source = LEAT_ROLE(leat_source, .produce = produce, .wake = wake),
 *         .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),
 *     };
 *
 * Functions marked "Needed" are mandatory; any other may be NULL. Structs grow only at their ends.
 *
 * The comment of every function ends with its contract. docs/plugins.md has the contracts as a
 * table:
 *
 *     [thread | may block | may allocate | returns | what the host has prepared]
 *
 *     check  any thread, any number of times, while checking and before a run. The call is pure: no
 *            I/O, no threads, no state
 *     run    the thread of the run, while the stage has no thread: before start, after stop
 *     own    the one thread that calls this instance from start to stop; between two batches,
 *            unless the call gets a batch
 *     any    any thread, but never during another call of the instance
 *     any, at any time   any thread, even during another call of the instance: touch only atomics
 *
 *     may block     no: it returns as soon as it has computed its result
 *     may allocate  memory of the host (leat_host.alloc) and other memory
 *     returns       a call that returns a status may also return a failure, a value below 0. Any
 *                   other value ends the run, or fails the check; the error names stage, call and
 *                   value.
 *                   "(stopped)": only while the run is being stopped
 *
 * So an instance is in one call at a time, except for `progress` and `wake`. An instance of a shard
 * (host.h) is opened and restored within shard_begin and shard_end, on the source's thread. If it
 * was not started, it is closed there, too.
 *
 * Checkpoints of a pipeline are numbered 1, 2, 3, …; a continued run continues the numbers.
 * `barrier`, `commit` and `durable` get the same number for the same checkpoint, including the last
 * one. A stage's next barrier comes when the checkpoint before it is over, so at most one is in
 * progress: a source gets durable(n) before barrier(n + 1). A checkpoint that could not be written
 * has no `durable`; the `durable` of a later checkpoint covers it. For the checkpoints after a
 * source's end, the source gets only the last `durable`, which covers them all.
 */
#ifndef LEAT_STAGE_H
#define LEAT_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include <leat/batch.h>
#include <leat/host.h>
#include <leat/param.h>
#include <leat/query.h>
#include <leat/schema.h>
#include <leat/state.h>
#include <leat/status.h>

/* Position of a run or of one of its sources at a checkpoint, in bytes for a transactional sink.
 * The bytes hold no pointers and mean the same in another process. */
struct leat_position {
    const char *source; /* id of the stage; "": the host's position of the whole run        */
    const char *format; /* format and version of the bytes: "leat.run/1", "kafka.offsets/1" */
    const void *bytes;
    size_t n; /* 0: nothing changed since the last checkpoint */
};

/* A rejected record on its way to the dead letters. All of it is lent for the call. */
struct leat_dead_letter {
    uint32_t size; /* sizeof(struct leat_dead_letter) of the host */
    uint32_t cut;  /* 1: `record` is only the beginning of a record too long for its source */
    const char *pipeline, *stage, *reason; /* stage: id of the rejecting one */
    const char *input;                     /* its origin, as in leat_host.where */
    uint64_t offset, line;                 /* line 0: none */
    const char *message, *record, *key;    /* key NULL: none */
    uint32_t n_message, n_record, n_key;
    uint32_t reserved;
    int64_t timestamp;   /* ns since 1970; below 0: none */
    const char *headers; /* of its message: leat_next_header */
    uint32_t n_headers;  /* bytes */
    uint32_t reserved_2;
};

/* Receiver of problems that validate and negotiate find, lent for the call. The host prints file,
 * line, stage and `param` (NULL: none) before the text. So the text states which value is wrong,
 * why, and how to fix it. An error fails the check; the stage goes on and reports every error that
 * it finds. */
struct leat_diag {
    uint32_t size;
    uint32_t reserved;
    void (*error)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*warn)(struct leat_diag *, const char *param, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
};

/* The most memory that an instance may take from the host. `leat check` prints it, and
 * leat_host.alloc enforces it. Count a growing structure at its largest size as state. Count its
 * extra memory while it moves there as work. */
struct leat_plan {
    uint32_t size;
    uint32_t reserved;
    uint64_t state_bytes; /* the model or other state                                             */
    uint64_t names_bytes; /* feature names                                                        */
    uint64_t work_bytes;  /* buffers and scratch                                                  */
    char note[256];       /* for people: shape, error bound; after a failure its reason; "": none */
    uint32_t shards;      /* source: the most inputs with a separate state; 0: one state for all  */
    uint32_t reserved_2;
};

enum leat_stage_kind { LEAT_SOURCE = 1, LEAT_TRANSFORM = 2, LEAT_LEARNER = 3, LEAT_SINK = 4 };

enum leat_caps {
    LEAT_PARALLEL = 1,   /* a transform that treats each record alone: may run in lanes     */
    LEAT_REWRITES = 2,   /* changes columns, labels or examples of earlier stages           */
    LEAT_PARSER = 4,     /* turns raw bytes into columns or examples; may have `framing`    */
    LEAT_STATEFUL = 8,   /* depends on earlier records: --state needs its snapshot function */
    LEAT_ANY_ORDER = 16, /* a learner of counts: the order of examples changes nothing      */
    LEAT_UNPACKS = 32,   /* gives records new raw bytes, added to the batch; reports still name the
                          * place where the record arrived */
    LEAT_NAMED_LATER = 64, /* a parser that makes the columns that later stages look up
                            * (leat_negotiation.asked) if nothing else names its columns */
    LEAT_LEARNS = 128,     /* a transform with a learned state: an older state changes labels,
                            * weights or features, but never the set of records or their columns */
    LEAT_REPLACES = 256    /* may deliberately make a column whose name the records have, so the
                            * host does not warn (leat_host.made_later) */
};

/* A stage's own reason for rejecting records, which status.h lacks. The word is unique in its stage
 * and differs from the host's words. Stages that share a word are counted together. Summary, dead
 * letters and messages show it. */
struct leat_own_reason {
    const char *word; /* "stale": lower-case letters, digits and _, at most LEAT_WORD_MAX bytes */
    const char *doc;  /* a sentence: "The record is older than `max_age`."                      */
};

/* A figure of a stage; host->metric sets its value by its name. */
struct leat_figure {
    const char *name; /* "late_records"; same rules as leat_own_reason.word */
    /* Counted things in the plural: "records", "features". "bytes" and "seconds", never multiples
     * of them. "ratio": a share of 1. "1": a plain number. */
    const char *unit;
    const char *doc; /* one line: "records that came after their window" */
    uint32_t kind;   /* enum leat_figure_kind                            */
};
enum leat_figure_kind {
    LEAT_COUNTER = 1, /* starts at 0 and only grows; a continued run may start again */
    LEAT_GAUGE = 2    /* rises and falls */
};
enum { LEAT_WORD_MAX = 47, LEAT_MAX_FIGURES = 64 };

/* Role: source of records. */
struct leat_source {
    uint32_t size; /* sizeof(struct leat_source) */
    /* Framing kinds that it honours (LEAT_FRAMING), or-ed. `leat check` refuses a parser that wants
     * another kind. */
    uint32_t framings;

    /* Needed. Adds records to the empty batch b until it is full (b->cap records or b->fill_bytes
     * bytes). It returns within 100 ms, because ticks and checkpoints wait for it downstream. After
     * a second the host warns. Only a source with shards may take longer, while it reads the states
     * of inputs that it begins.
     *
     * LEAT_AGAIN: no record now. LEAT_EOS: the last call. A failure ends the run once the records
     * delivered before are processed. LEAT_LATER, once, with ctx->continued: the rest of the input
     * (a line without its end) may grow until a later run reads it. The host then takes the
     * checkpoint from which the later run continues. It calls again for the rest, unless it leaves
     * the rest to the later run.
     *
     * When the run is being stopped (host->stopping), the host calls it once more, for records
     * that it still holds: a line without its end, say.
     * [own | 100 ms | no | LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER | an empty batch] */
    int (*produce)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Returns the header record, lent until the next call. Called after open if framing.header. len
     * 0: the input has no record at all.
     * [run | until there is one | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*header)(struct leat_ctx *, void *self, const char **text, uint32_t *len);
    /* Returns its progress in bytes; total 0: unknown. After a produce the answer must not depend
     * on time or chance, because a merge orders its inputs by it.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*progress)(void *self, uint64_t *done, uint64_t *total);
    /* Makes a blocking produce return soon.
     * [any, at any time | no | no | nothing | what open has made] */
    void (*wake)(void *self);
    /* Reports that every stage has processed all records up to this checkpoint. With --state a
     * snapshot on disk covers them. Now the source may commit offsets. For the last checkpoint it
     * follows stop. A continued run first reports the checkpoint from which it continues. A source
     * with this function gets checkpoints (barrier) even without --state.
     * [own; after stop, run | until it is committed | no | LEAT_OK | a finished checkpoint] */
    int (*durable)(struct leat_ctx *, void *self, uint64_t checkpoint);
    /* Format ("kafka.offsets/1") of the source's own positions, for sinks that commit offsets in
     * the source's system; NULL if it has none. Requires `position`, and vice versa. A source with
     * a `state` needs neither: the host makes positions from the state.
     * [check | no | no | a format or NULL | cfg] */
    const char *(*position_format)(const void *cfg);
    /* Returns bytes and n of its delivered position, lent until the next call. With
     * ctx->position_committed, called right after its barrier. Such a source commits nothing
     * itself.
     * [own | no | no | LEAT_OK | its barrier] */
    int (*position)(struct leat_ctx *, void *self, struct leat_position *);
};

/* Role: learner that answers questions. */
struct leat_learner {
    uint32_t size; /* sizeof(struct leat_learner) */
    uint32_t reserved;

    /* Answers a question. It may return the status of a leat_result function.
     * [own; after stop, run | no | more than plan, given back | LEAT_OK | where the answer goes] */
    int (*query)(struct leat_ctx *, void *self, const struct leat_query *, struct leat_result *);
    /* Returns the names of the n columns of its answers to LEAT_QUERY_TOP. The host then refuses a
     * question for other columns before the run. NULL: not known before the run.
     * [check | no | no | names or NULL | cfg] */
    const char *const *(*columns)(const void *cfg, uint32_t *n);
};

/* Role: sink, or transform with `expand`, that asks a learner. */
struct leat_asker {
    uint32_t size; /* sizeof(struct leat_asker) */
    uint32_t reserved;

    /* Needed. Fills in its question.
     * [check | no | no | LEAT_OK | cfg] */
    int (*ask)(const void *cfg, struct leat_ask *);
    /* Needed. Receives an answer. A transform with `expand` receives it before the batch that the
     * answer came with, and the last answer before the last batch.
     * [own | as its output does | no | LEAT_OK | an answer] */
    int (*show)(struct leat_ctx *, void *self, const struct leat_table *);
};

/* Role: sink for every rejected record of the pipeline, whichever stage rejected it. These calls
 * and the sink's other calls wait for each other. */
struct leat_letters {
    uint32_t size; /* sizeof(struct leat_letters) */
    uint32_t reserved;

    /* Needed. Takes one dead letter.
     * [any | as its output does | no | LEAT_OK | a dead letter] */
    int (*take)(struct leat_ctx *, void *self, const struct leat_dead_letter *);
    /* Delivers all earlier dead letters before it returns. The host calls it before a checkpoint is
     * complete, and once all stages have stopped.
     * [any | until all is out | no | LEAT_OK | all dead letters before it] */
    int (*flush)(struct leat_ctx *, void *self);
};

/* Role: stage with a state (state.h). It refuses states of other shapes, seeds or parameters and
 * names the field. A refused restore or merge changes nothing. */
struct leat_state {
    uint32_t size; /* sizeof(struct leat_state) */

    /* Version of the fields: changes when they do. restore and merge get the version of the stage
     * that wrote the state. */
    uint32_t version;
    /* Writes its fields.
     * [own; before start, run | no | no | LEAT_OK | where they go] */
    int (*snapshot)(struct leat_ctx *, void *self, struct leat_writer *);
    /* Takes over a state. A source that must read its way back returns LEAT_EOS if the run is
     * stopped meanwhile.
     * [run | no; a source reads its way back | more than plan, given back |
     * LEAT_OK; a source also LEAT_EOS (stopped) | a state of the same stage] */
    int (*restore)(struct leat_ctx *, void *self, struct leat_reader *, uint32_t version);
    /* Adds the state of another instance, which learned from other data, as if that data had
     * occurred `weight` times. Merging is commutative, associative up to rounding, and has a fresh
     * state as identity.
     * [run; with shards, own | no | more than plan, given back | LEAT_OK |
     * a state of the same stage] */
    int (*merge)(struct leat_ctx *, void *self, struct leat_reader *, double weight);
};

/* Role: sink that commits checkpoints exactly once, if its `name` returns a name. The records since
 * the last checkpoint, its number and the positions become visible together or not at all. A
 * pipeline has at most one such sink. It needs --state or a source with shards, whose states are
 * then part of its position.
 *
 * A sink that can store bytes next to its rows (a table of a database) has `positions`. `commit`
 * then also gets the host's position. After a loss of snapshots the run continues from that
 * position; no row is lost or doubled. name, fence and commit are needed. */
struct leat_transaction {
    uint32_t size; /* sizeof(struct leat_transaction) */
    uint32_t reserved;

    /* Returns the name under which it commits; NULL: it does not commit.
     * [check | no | no | a name or NULL | cfg] */
    const char *(*name)(const void *cfg);
    /* Makes sure that no earlier run under this name can still commit. Returns the number of the
     * last committed checkpoint; 0: unknown.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | what open has made] */
    int (*fence)(struct leat_ctx *, void *self, uint64_t *checkpoint);
    /* Commits. The checkpoint's snapshot is on disk, or the shards' states are ready. Called right
     * after its barrier; for checkpoints after its last batch, after stop. It gets n positions,
     * lent for the call: those of sources in formats that the sink accepts, and the host's if it
     * has `positions`. LEAT_EROLLBACK: the checkpoint was undone; the run returns to the last
     * committed one. LEAT_EFENCED: another run owns the name now. The sink's other calls may return
     * both, too.
     * [own; after stop, own or run | yes | yes | LEAT_OK | a state on disk] */
    int (*commit)(struct leat_ctx *, void *self, uint64_t checkpoint, const struct leat_position *,
                  uint32_t n);
    /* Returns the stored positions of the last committed checkpoint, as commit got them, lent until
     * its next call. Called after fence. *n 0: none. It may leave out positions in formats that it
     * accepts. If NULL, the sink stores no positions.
     * [run | yes | yes | LEAT_OK, LEAT_EOS (stopped) | its fence] */
    int (*positions)(struct leat_ctx *, void *self, const struct leat_position **list, uint32_t *n);
    /* Formats of sources' positions that its transactions commit in the source's system, ended by
     * NULL. If NULL, the sink ignores the bytes of positions. */
    const char *const *accepts;
};

struct leat_stage {
    const char *name;    /* "learn.awm"                            */
    const char *summary; /* one line                               */
    const char *doc;     /* a paragraph or more; formulas, sources */
    const char *example; /* Lua, as a user would write it          */
    uint32_t kind;       /* enum leat_stage_kind                   */
    uint32_t caps;       /* enum leat_caps, or-ed                  */
    uint32_t needs;      /* enum leat_has: required input          */
    uint32_t makes;      /* enum leat_has: added to the input      */
    const struct leat_param *params;
    uint32_t n_params, param_size; /* param_size = sizeof(struct leat_param) */
    size_t cfg_size;               /* of the configuration struct, zeroed and filled by the host */
    const struct leat_own_reason *reasons;
    uint32_t n_reasons, reason_size; /* reason_size = sizeof(struct leat_own_reason) */
    const struct leat_figure *figures;
    uint32_t n_figures, figure_size; /* figure_size = sizeof(struct leat_figure)     */
    size_t instance_size; /* of `self`, zeroed and aligned to 64 bytes by the host      */

    /* Checks conditions across parameters: "max must be above min".
     * [check | no | no | LEAT_OK | cfg, filled and in its ranges] */
    int (*validate)(const void *cfg, struct leat_diag *);
    /* Names the columns that it reads and adds, and declares the bounds of its output (schema.h). A
     * stage has the union of its `makes` and the flags that negotiate adds to out->has.
     * [check | no | no | LEAT_OK, LEAT_LATER | cfg; the schema that arrives] */
    int (*negotiate)(const void *cfg, struct leat_negotiation *);
    /* Declares the most memory that it will take.
     * [check | no | no | LEAT_OK | cfg; schemas] */
    int (*plan)(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *);
    /* For LEAT_PARSER: declares how the source cuts records.
     * [check | no | no | LEAT_OK | cfg] */
    int (*framing)(const void *cfg, struct leat_framing *);

    /* Checks with its servers that everything that it needs exists and may be used (`leat check
     * --online`). Called without open, with cfg. It changes nothing on the servers and takes at
     * most `seconds`. It reports problems to the diag, as in validate. It reports a configuration
     * failure that only shows now to the host.
     * [run | seconds | by itself | LEAT_OK | cfg] */
    int (*online)(struct leat_ctx *, int seconds, struct leat_diag *);

    /* Acquires files and memory. The host does not call close after a failed open.
     * [run | for files and servers | up to plan | LEAT_OK | self, zeroed; schemas; framing] */
    int (*open)(struct leat_ctx *, void *self);
    /* Releases everything but the host's memory.
     * [run | no | no | nothing | what open has made] */
    void (*close)(struct leat_ctx *, void *self);
    /* First call on its own thread.
     * [own | no | yes | LEAT_OK | what open or restore has made] */
    int (*start)(struct leat_ctx *, void *self);
    /* Last call on its own thread, once after each start: flush.
     * [own | until all is out | no | LEAT_OK | all batches] */
    int (*stop)(struct leat_ctx *, void *self);

    /* Processes a batch: transform, learner, sink. A learner predicts before it updates: it writes
     * score[e] for each selected example and then learns from it.
     * [own | as its output does | no | LEAT_OK | a batch with room for what all stages have
     * said] */
    int (*process)(struct leat_ctx *, void *self, struct leat_batch *b);
    /* Makes new records from incoming ones, none or many from each; a transform has this instead of
     * `process`. The host calls it for each batch `in`, even one without records. After the last
     * batch (kind LEAT_BATCH_END) it emits the records that it holds back. It fills `out`, which is
     * empty at first. When `out` is full, it returns LEAT_AGAIN. The host then calls it again with
     * the same `in` and another empty `out`, until it returns LEAT_OK. It may reject records of
     * `in`. With --state or shards, a stopped run has no last batch, because it will be continued.
     *
     * Its schema `out` starts without columns, with key and timestamp if `in` has them. A stage
     * that does not pass them on (leat_add_from does) removes them from the schema.
     * [own | no | no | LEAT_OK, LEAT_AGAIN | the same, and an empty batch] */
    int (*expand)(struct leat_ctx *, void *self, struct leat_batch *in, struct leat_batch *out);
    /* Called at most once a second, between batches; `now` in ns, monotonic.
     * [own | no | no | LEAT_OK | the time] */
    int (*tick)(struct leat_ctx *, void *self, int64_t now);
    /* Ends a checkpoint, between two batches or after the last. When a sink returns, all of its
     * input up to here is delivered. All output of a source up to here belongs to the checkpoint.
     * [own | until all is out | no | LEAT_OK | all batches of the checkpoint] */
    int (*barrier)(struct leat_ctx *, void *self, uint64_t checkpoint);

    /* Logs (host->log) its conclusions from the whole run. Called after stop of all stages, if
     * nothing has failed. self: instances of all lanes; ctx: of the first lane.
     * [run | no | no | nothing | all lanes, stopped] */
    void (*finish)(struct leat_ctx *, void *const *self, uint32_t lanes);

    /* Roles of the stage; NULL: it does not have the role. */
    const struct leat_source *source;
    const struct leat_learner *learner;
    const struct leat_asker *asker;
    const struct leat_letters *letters;
    const struct leat_state *state;
    const struct leat_transaction *transaction;
};

/* Defines a role: .source = LEAT_ROLE(leat_source, .produce = produce). Before C++20, which lacks
 * designated initialisers, define the struct separately and give its address. */
#ifdef __cplusplus
#define LEAT_ROLE(STRUCT, ...)                                                                     \
    [] {                                                                                           \
        static const struct STRUCT role = {.size = sizeof(struct STRUCT), __VA_ARGS__};            \
        return &role;                                                                              \
    }()
#else
#define LEAT_ROLE(STRUCT, ...)                                                                     \
    &(const struct STRUCT) { .size = sizeof(struct STRUCT), __VA_ARGS__ }
#endif
/* Members of a stage: its table of parameters, and the configuration struct that they fill. */
#define LEAT_PARAMS(P, CFG)                                                                        \
    .params = (P), .n_params = sizeof(P) / sizeof((P)[0]),                                         \
    .param_size = sizeof(struct leat_param), .cfg_size = sizeof(CFG)
/* Members of a stage: its tables of reasons and of figures. */
#define LEAT_REASONS(R)                                                                            \
    .reasons = (R), .n_reasons = sizeof(R) / sizeof((R)[0]),                                       \
    .reason_size = sizeof(struct leat_own_reason)
#define LEAT_FIGURES(F)                                                                            \
    .figures = (F), .n_figures = sizeof(F) / sizeof((F)[0]),                                       \
    .figure_size = sizeof(struct leat_figure)
/* Members of a stage: what its batches must have, and what it adds to them. */
#define LEAT_FLOW(NEEDS, MAKES) .needs = (NEEDS), .makes = (MAKES)
/* Members of a stage: the struct of each instance, and its open and close; CLOSE may be NULL. */
#define LEAT_INSTANCE(STRUCT, OPEN, CLOSE)                                                         \
    .instance_size = sizeof(STRUCT), .open = (OPEN), .close = (CLOSE)

#endif
