/* reader_inside.h -- what the files of the reader share: how it continues, and where it is.
 *
 * Invariants: from <= end <= cap; offset and line are those of window[from]; text before `from` is
 * delivered, rejected, or a header. */
#ifndef LEAT_SOURCES_FILE_READER_INSIDE_H
#define LEAT_SOURCES_FILE_READER_INSIDE_H

#include "reader.h"

/* How to continue. */
enum reader_step {
    STEP_ON,      /* at once                                   */
    STEP_MORE,    /* with more text                            */
    STEP_FULL,    /* with an empty batch                       */
    STEP_REST,    /* with what may still grow: all else is delivered */
    STEP_IDLE,    /* when there is text: there is none now     */
    STEP_DONE,    /* not at all: all inputs were read          */
    STEP_STOPPED, /* not at all: the run is being stopped      */
    STEP_FAILED   /* not at all: `failure` and `why` say why   */
};

/* Keeps the reason why the reader fails: once the records before it are delivered it is told. */
enum reader_step reader_fail(struct reader *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a failure that the host knows. */
enum reader_step reader_fail_told(struct reader *r, int status);

/* What the input of this number is called in messages. */
const char *reader_name(const struct reader *r, uint32_t input);

/* Goes on in the window, by bytes that are read, and the line ends among them. */
static inline void reader_skip(struct reader *r, size_t bytes, uint32_t lines)
{
    r->from += bytes;
    r->offset += bytes;
    r->line += lines;
}

#endif
