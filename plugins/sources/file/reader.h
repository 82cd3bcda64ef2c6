/* reader.h -- text of many inputs in a window: inputs read once, or files that grow (follow.h).
 *
 *   BETWEEN   no input has the window
 *   MARK      the reader looks for the input's byte order mark
 *   HEADER    the reader looks for the input's header
 *   RECORDS   the window begins with a record, or inside a record that is too long
 *
 *   event           by whom                                          transition
 *   OPENED          reader_begin_input; a file's turn, at its start  BETWEEN     -> MARK
 *   CONTINUED       reader_seek; a file's turn, in its middle        BETWEEN MARK -> RECORDS
 *   MARK_PASSED     records_skip_mark                                MARK        -> HEADER
 *                                     if the run wants no header:    MARK        -> RECORDS
 *   HEADER_PASSED   header_take                                      HEADER      -> RECORDS
 *   CLOSED          the end of an input; another file's turn         all         -> BETWEEN
 *
 * reader_move() alone sets the state. Text comes into the window (here), may begin with a mark and
 * a header (header.h), and becomes records (records.h). Each step returns how to continue. The
 * reader holds a failure (damaged data, a header that differs) until the records before it are
 * delivered.
 *
 * A batch is full at its limit of records or of bytes, whichever comes first. Reading straight into
 * batches would carry over most of each last read, so the reader has a window. The window stays in
 * the second-level cache: a copy from there costs a tenth of reading it. Its size is max_record + 2
 * bytes, the most that framing needs, and one more read.
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

enum { READER_HEAD = 1024, READER_READ_BYTES = 256 << 10 /* bytes of one read */ };

enum reader_state { READER_BETWEEN, READER_MARK, READER_HEADER, READER_RECORDS, READER_STATES };
enum reader_event {
    READER_OPENED,
    READER_CONTINUED,
    READER_MARK_PASSED,
    READER_HEADER_PASSED,
    READER_CLOSED,
    READER_EVENTS
};

/* How much text may still follow the window's end. */
enum reader_tail {
    TAIL_OPEN, /* more text */
    TAIL_IDLE, /* nothing soon: the lines that are there make a record */
    TAIL_LAST  /* nothing: the window holds the last text of the input */
};

enum reader_mode {
    READER_INPUTS,   /* reads each input to its end, one after the other */
    READER_FOLLOWS,  /* reads files that grow, in turns */
    READER_FINISHING /* reads no further, and delivers lines without an end */
};

struct reader {
    struct inputs inputs;
    uint32_t input, pass, passes; /* current input and pass; number of passes */
    int64_t max_record;           /* the parameter; framing.max_record may be less */
    enum reader_mode mode;
    enum reader_state state;
    bool header_wanted;
    bool rest_due; /* text that may still grow must be delivered now */

    struct stream stream; /* READER_INPUTS: open except in BETWEEN */
    int wake_fd;          /* wake_fd.h: any thread may ring it, between init and fini */
    char *raw;            /* buffer of `stream` */
    enum recode_from encoding;
    struct stream_coded *coded; /* for `stream`; NULL if the text is UTF-8 */

    char *window; /* [from, end) is read but not yet delivered */
    size_t cap, from, end;
    enum reader_tail tail;
    uint64_t offset, line;     /* position of window[from] in the input's text */
    uint8_t head[READER_HEAD]; /* first n_head bytes of the input */
    uint32_t n_head;

    /* For records.h. */
    struct framing framing;
    struct framing_cut cut; /* record or open quote that did not fit into the last batch */
    enum framing_result cut_is;
    struct multiline *multiline; /* finds where records begin; NULL if a record is a line */
    bool gap;                    /* the next record begins a new extent */
    struct reader_long too_long;
    bool start_warned;    /* warned of a line on which record_start was given up */
    bool encoding_warned; /* warned of text that is not UTF-8 */
    bool beyond_ascii;    /* UTF-8 beyond ASCII has come */

    /* For header.h. */
    uint64_t after_header; /* `offset` right after the input's header; UINT64_MAX if it has none */
    char *header;          /* of the first input that has one; NULL until it is read */
    uint32_t header_len, header_input;
    bool looked_ahead; /* checked the beginnings of the other inputs */

    struct follow follow;
    struct followed *followed; /* file in the window; NULL if it has none */
    uint64_t burst;            /* bytes read of `followed` in this turn */

    int failure; /* status to end with, once all records before are delivered */
    char why[1024];
    _Atomic uint64_t done; /* bytes delivered; written by the stage's thread, read by any */
};

/* How the caller continues after a step. */
enum reader_step {
    STEP_ON,      /* at once */
    STEP_MORE,    /* with more text */
    STEP_FULL,    /* with an empty batch */
    STEP_REST,    /* with text that may still grow, after all other text is delivered */
    STEP_IDLE,    /* later: there is no text now */
    STEP_DONE,    /* no more: all inputs are read */
    STEP_STOPPED, /* no more: the run is stopping */
    STEP_FAILED   /* no more: `failure` and `why` give the reason */
};

struct reader_options {
    const struct leat_strings *paths;
    int64_t window, max_record;
    uint32_t passes;
    enum recode_from encoding;
    struct multiline *multiline; /* NULL if framing alone finds where records begin */
    uint64_t idle_ns;
    int64_t follow; /* most files to follow at a time; 0 to follow no file */
};
int reader_init(struct leat_ctx *ctx, struct reader *r, struct reader_options o);
void reader_fini(struct leat_ctx *ctx, struct reader *r);

/* Applies an event of the table above. */
void reader_move(struct reader *r, enum reader_event event);
/* Opens input r->input at its beginning. After the last input it begins the next pass. */
enum reader_step reader_begin_input(struct reader *r);
/* Closes the input in the window, if there is one. */
void reader_close_input(struct reader *r);
/* Moves the undelivered text to the window's beginning, and reads more text behind it. With `wait`
 * it sleeps until there is text. */
enum reader_step reader_more_text(struct leat_ctx *ctx, struct reader *r, bool wait);
/* Advances in the window by `bytes` bytes and the `lines` line ends in them. */
static inline void reader_skip(struct reader *r, size_t bytes, uint32_t lines)
{
    r->from += bytes;
    r->offset += bytes;
    r->line += lines;
}

/* Returns the name of an input in messages. */
const char *reader_name(const struct reader *r, uint32_t input);
/* Stores a failure until the records before it are delivered. Returns STEP_FAILED. */
enum reader_step reader_fail(struct reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports the failure to the host unless the host knows it. Returns its status. */
int reader_report_failure(struct leat_ctx *ctx, const struct reader *r);

/* Position of the first record that is not delivered. `head` has the first bytes of its input, up
 * to that record. */
struct reader_location {
    uint64_t inputs; /* number of inputs */
    uint64_t input, pass, offset, line;
    const uint8_t *head;
    uint64_t n_head;
};
struct reader_location reader_locate(const struct reader *r);
/* Stores the progress in `done`. */
void reader_note_done(struct reader *r);
/* Continues from a location, before the first fill. Returns LEAT_OK; LEAT_EOS if the run was
 * stopped meanwhile; a failure reported to the host if the input is shorter, or another one. */
int reader_seek(struct leat_ctx *ctx, struct reader *r, struct reader_location to);

/* Returns how many bytes of followed files are written and not delivered. Call it between two
 * fills. */
uint64_t reader_backlog(struct reader *r);
/* Write the places of followed files to a snapshot, and continue from them, as leat_stage.snapshot
 * and restore do. A reader that does not follow reads the files of the snapshot, and newer ones, to
 * their ends. */
int reader_write_followed(struct reader *r, struct leat_writer *w);
int reader_read_followed(struct leat_ctx *ctx, struct reader *r, const struct leat_strings *paths,
                         struct leat_reader *from);
/* Continues from the place of a reader that did not follow. */
int reader_seek_followed(struct leat_ctx *ctx, struct reader *r, struct reader_location to,
                         struct leat_reader *from);

#endif
