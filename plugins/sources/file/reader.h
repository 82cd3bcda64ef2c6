/* reader.h -- text of many inputs, one after the other, in a window: of inputs that are read once,
 * or of files that grow (follow.h).
 *
 *   BETWEEN   no input has the window
 *   MARK      the input's byte order mark is awaited
 *   HEADER    its header is awaited
 *   RECORDS   the window begins with a record, or within one that is too long
 *
 *   event           by whom                                          transition
 *   OPENED          reader_begin_input; a file's turn, at its start  BETWEEN     -> MARK
 *   CONTINUED       reader_seek; a file's turn, in its middle        BETWEEN MARK -> RECORDS
 *   MARK_PASSED     records_skip_mark                                MARK        -> HEADER
 *                                     where no header is wanted:     MARK        -> RECORDS
 *   HEADER_PASSED   header_take                                      HEADER      -> RECORDS
 *   CLOSED          the end of an input; another file's turn         all         -> BETWEEN
 *
 * reader_move is the only function that sets the state. Each step says how to continue: text comes
 * into the window (here), may begin with a mark and a header (header.h), and becomes records
 * (records.h). A failure (damaged data, a header that differs) is kept until the records before it
 * are delivered.
 *
 * A batch is full when it has its records or its bytes, whichever comes first, so its last read
 * would mostly have to be carried over: hence a window. It is small enough to stay in the
 * second-level cache, and one copy from there costs a tenth of reading it. It has max_record + 2
 * bytes, the most that framing asks for, and those of one more read.
 *
 * Invariants: from <= end <= cap; offset and line are those of window[from]; text before `from` is
 * delivered, rejected, or a header. */
#ifndef LEAT_SOURCES_FILE_READER_H
#define LEAT_SOURCES_FILE_READER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <leat/plugin.h>

#include "common/inputs/inputs.h"
#include "common/inputs/stream.h"
#include "core/text/framing.h"
#include "follow.h"

enum { READER_HEAD = 1024, READER_READ_BYTES = 256 << 10 /* at a time */ };

enum reader_state { READER_BETWEEN, READER_MARK, READER_HEADER, READER_RECORDS, READER_STATES };
enum reader_event {
    READER_OPENED,
    READER_CONTINUED,
    READER_MARK_PASSED,
    READER_HEADER_PASSED,
    READER_CLOSED,
    READER_EVENTS
};

/* The text that may still come after the window's end. */
enum reader_tail {
    TAIL_OPEN, /* some                                                      */
    TAIL_IDLE, /* none soon: the lines that are there are a record          */
    TAIL_LAST  /* none: the window holds the last text of the input          */
};

enum reader_mode {
    READER_INPUTS,   /* each input is read to its end, one after the other            */
    READER_FOLLOWS,  /* files grow, in turns                                          */
    READER_FINISHING /* files are not read on: their lines without an end are delivered */
};

struct reader {
    struct inputs inputs;
    uint32_t input, pass, passes; /* which is read, and how often all were      */
    int64_t max_record;           /* the parameter; that of framing may be less */
    enum reader_mode mode;
    enum reader_state state;
    bool header_wanted;
    bool rest_due; /* text that may still grow is to be delivered now */

    struct stream stream; /* READER_INPUTS: open, but in BETWEEN                          */
    int wake_fd;          /* wake_fd.h: any thread may ring it, between init and fini     */
    char *raw;            /* for `stream`                                               */
    enum recode_from encoding;
    struct stream_coded *coded; /* for `stream`; NULL: the text is UTF-8                 */

    char *window; /* [from, end) is text read and not yet delivered */
    size_t cap, from, end;
    enum reader_tail tail;
    uint64_t offset, line;     /* of window[from] in the input's text      */
    uint8_t head[READER_HEAD]; /* the input's first bytes, n_head of them  */
    uint32_t n_head;

    /* records.h */
    struct framing framing;
    struct framing_cut cut; /* of a record or quote: not delivered, as the batch was full */
    enum framing_result cut_is;
    struct multiline *multiline; /* where records of several lines begin; NULL: they have one */
    bool gap;                    /* the next record begins a new extent             */
    struct reader_long too_long;
    bool start_warned;    /* of a line on which record_start was given up    */
    bool encoding_warned; /* of text that is not UTF-8                       */
    bool beyond_ascii;    /* UTF-8 beyond ASCII has come                     */

    /* header.h */
    uint64_t after_header; /* `offset` right after the input's header; UINT64_MAX: none came */
    char *header;          /* of the first input that has one; NULL: not read yet         */
    uint32_t header_len, header_input;
    bool looked_ahead; /* at the beginnings of the other inputs */

    struct follow follow;
    struct followed *followed; /* whose text is in the window; NULL: none         */
    uint64_t burst;            /* bytes read of it since others had their turn    */

    int failure; /* the status to end with, once all records before are delivered */
    char why[1024];
    _Atomic uint64_t done; /* bytes delivered; written by the stage's thread, read by any */
};

/* How to continue. */
enum reader_step {
    STEP_ON,      /* at once                                                 */
    STEP_MORE,    /* with more text                                          */
    STEP_FULL,    /* with an empty batch                                     */
    STEP_REST,    /* with text that may still grow: all else is delivered    */
    STEP_IDLE,    /* when there is text: there is none now                   */
    STEP_DONE,    /* not at all: all inputs were read                        */
    STEP_STOPPED, /* not at all: the run is being stopped                    */
    STEP_FAILED   /* not at all: `failure` and `why` say why                 */
};

struct reader_options {
    const struct leat_strings *paths;
    int64_t window, max_record;
    uint32_t passes;
    enum recode_from encoding;
    struct multiline *multiline; /* NULL: the framing alone says where records begin */
    uint64_t idle_ns;
    int64_t follow; /* 0; or the most files that are followed at a time */
};
int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o);
void reader_fini(struct leat_ctx *ctx, struct reader *r);

/* Moves the reader by the table above. */
void reader_move(struct reader *r, enum reader_event event);
/* Opens the next input, which is r->input, at its beginning; or the first one of the next pass. */
enum reader_step reader_begin_input(struct reader *r);
/* Closes the input that has the window, if one has. */
void reader_close_input(struct reader *r);
/* Reads more text after window[end); the rest of the window moves to its beginning. With `wait` it
 * sleeps until there is some. */
enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait);
/* Goes on in the window, by bytes that are read, and the line ends among them. */
static inline void reader_skip(struct reader *r, size_t bytes, uint32_t lines)
{
    r->from += bytes;
    r->offset += bytes;
    r->line += lines;
}

/* Returns how messages call the input of this number. */
const char *reader_name(const struct reader *r, uint32_t input);
/* Keeps why the reader fails, until the records before are delivered. Returns STEP_FAILED. */
enum reader_step reader_fail(struct reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports the failure to the host, if the host does not know it. Returns its status. */
int reader_report_failure(struct leat_ctx *ctx, const struct reader *r);

/* Where the first record is that was not delivered; and the first bytes of its input, but only
 * those before the record. */
struct reader_location {
    uint64_t inputs; /* how many there were */
    uint64_t input, pass, offset, line;
    const uint8_t *head;
    uint64_t n_head;
};
struct reader_location reader_locate(const struct reader *r);
/* Stores the progress, `done`. */
void reader_note_done(struct reader *r);
/* Before the first fill: continues from there. Returns LEAT_OK; LEAT_EOS if the run was stopped
 * meanwhile; or a failure reported to the host if the input is shorter, or another one. */
int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to);

/* Followed files, between two fills. Returns how many bytes are there and not delivered. */
uint64_t reader_backlog(struct reader *r);
/* Writes their places to a snapshot, and continues from those of one: as leat_stage.snapshot and
 * restore. A reader that does not follow reads the files of the snapshot, and newer ones, to their
 * ends. */
int reader_write_followed(struct reader *r, struct leat_writer *w);
int reader_read_followed(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         struct leat_reader *from);
/* Continues from the place of a reader that did not follow. */
int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from);

#endif
