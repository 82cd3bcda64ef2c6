/* framing.h -- finds the end of the next record.
 *
 * The caller has a window of the text, which begins at a record. framing_next() finds the end of
 * that record, or returns FRAMING_MORE. The caller then appends more text to the window and calls
 * it again; the search continues where it stopped. So a record that arrives byte by byte costs no
 * more than a record that arrives at once.
 *
 *   LINES   A record ends at \n; one \r before it is not part of the record.
 *   CSV     A record ends at \n, but not inside a quoted field. A quote opens a quoted field only
 *           as the field's first byte. Inside a quoted field, two quotes mean one quote character.
 *           After the closing quote the field may continue unquoted (csv.h then reports an error).
 *   EVENTS  A record is a line and the lines after it, up to a line for which `starts` is true, or
 *           up to max_record bytes. A longer record is split into pieces of whole lines.
 *
 * A quote that is never closed would make the rest of the text one field. So in these cases only
 * the first line is cut off, with the result FRAMING_QUOTE, and the next line begins a new record:
 *
 *   - no quote closes the field within max_record bytes or before the end of the input
 *   - the closing quote is in a later line and no field ends after it: it probably opens a field
 *
 * So an unclosed quote costs only one line.
 */
#ifndef LEAT_CORE_TEXT_FRAMING_H
#define LEAT_CORE_TEXT_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framing_kind { FRAMING_LINES, FRAMING_CSV, FRAMING_EVENTS };

enum framing_result {
    FRAMING_RECORD, /* *cut is the record                                                       */
    FRAMING_QUOTE,  /* *cut is a line with an opening quote that is never closed                */
    FRAMING_LONG,   /* the line exceeds max_record: skip past its \n, then call framing_reset() */
    FRAMING_MORE    /* the window ends inside the record: append more text and call again       */
};

struct framing {
    enum framing_kind kind;
    char delimiter;
    char quote;   /* '\0': no quotes, and CSV is like LINES */
    bool escapes; /* CSV: in a quoted field, an odd run of backslashes makes a quote text */
    /* EVENTS: true if a record starts with this line. */
    bool (*starts)(void *pattern, const char *line, size_t n);
    void *pattern;
    size_t max_record; /* most bytes of a record without its line end */

    /* Progress of the search within the record, as offsets from its first byte. */
    size_t at;      /* the search has passed all bytes before `at`                      */
    size_t opened;  /* offset of the opening quote; valid if `quoted`                   */
    size_t no_line; /* there is no line end in [at, no_line)                            */
    size_t plain;   /* there is no quote in [0, plain); stays valid for the next record */
    bool quoted;
};

struct framing_cut {
    size_t len;     /* length of the record without its line end                        */
    size_t used;    /* length with the line end, which is the offset of the next record */
    uint32_t lines; /* number of line ends in the used bytes                            */
};

/* Sets up framing. max_record <= SIZE_MAX - 2, because a line end must fit, too. */
void framing_init(struct framing *f, enum framing_kind kind, char delimiter, char quote,
                  bool escapes, size_t max_record);

/* Forgets the unfinished record. Call it before framing_next() gets text from another place. */
void framing_reset(struct framing *f);

/* Finds records that are lines without a quote, and follow each other from p[0] on: those that
 * framing_next() would return first. Sets line[k] to the offset of the \n of record k; a \r before
 * it does not belong to the record. Returns the number of records, at most `most`. It may be 0 at
 * any time, also because a search is unfinished: framing_next() then finds the next record. Lines
 * without their \n in the window are not found. Much faster than framing_next() for each. */
uint32_t framing_next_lines(struct framing *f, const char *p, size_t n, uint32_t most,
                            uint32_t *line);

/* Sets the kind to EVENTS; call it after framing_init. `starts` returns true for a line (without
 * its line end) that begins a record. */
void framing_of_events(struct framing *f, bool (*starts)(void *pattern, const char *line, size_t n),
                       void *pattern);

/* For EVENTS, after FRAMING_MORE: cuts the whole lines in the window as a record, without waiting
 * for further lines. Returns FRAMING_MORE if the window has no whole line. */
enum framing_result framing_flush(struct framing *f, const char *p, struct framing_cut *cut);

/* Finds the end of the record that begins at p[0]. The window has n bytes; `eof`: the input ends
 * after them. The last record of the input needs no line end. Returns FRAMING_MORE if n = 0.
 * FRAMING_MORE is returned only while n < max_record + 2, so a window of max_record + 2 bytes is
 * large enough. Over all calls, memchr scans each byte a bounded number of times (framing.c). */
enum framing_result framing_next(struct framing *f, const char *p, size_t n, bool eof,
                                 struct framing_cut *cut);

#endif
