/* snapshot_file.h -- a snapshot alone in a file or a stream, outside a directory of `--state`.
 *
 * Streams have snapshots in three forms, one after another, which a reader tells apart:
 *
 *     binary   the bytes of a file (snapshot.h); a snapshot knows its length
 *     base64   a line of text for engines that pass lines on; it begins with bGVhdFNOQV
 *     names    any other line is the name of a file or a folder
 */
#ifndef LEAT_HOST_STORE_SNAPSHOT_FILE_H
#define LEAT_HOST_STORE_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "host/memory/arena.h"
#include "snapshot.h"

/* ---- writing ---- */

/* Reserves standard output for a snapshot, which snapshot_file_write() writes there for the path
 * "-". What others write to standard output from now on is lost. Call it before any thread starts.
 * Returns false, with errno, if that fails. */
bool snapshot_file_reserve_output(void);

/* How a snapshot is written. */
struct snapshot_file_form {
    uint64_t checkpoint; /* its number                                 */
    bool base64;         /* written as a line of text                  */
    bool replaces;       /* an existing file is replaced, else refused */
};
/* Writes a snapshot to a file, whole or not at all: as .NAME.XXXXXX in the same folder first, which
 * is synced and renamed. Pipes and "-" (standard output) are written directly. Returns
 * LEAT_OK; LEAT_EARG if the file exists and must not be replaced; or LEAT_EIO; `error` has the
 * reason. */
int snapshot_file_write(const char *path, struct snapshot_file_form form,
                        const struct snapshot_section *section, uint32_t n,
                        char error[SNAPSHOT_MESSAGE]);

/* True if a file begins like a snapshot as text; or in any form. */
bool snapshot_file_is_text(const char *path);
bool snapshot_file_is_state(const char *path);
/* Returns why a state cannot be written to `path`, or would replace a file that is none, as text in
 * the arena; NULL if it can. */
const char *snapshot_file_fault(const char *path, struct arena *a);

/* ---- reading ---- */

struct snapshot_stream {
    FILE *in;
    char *line; /* last line that was read */
    size_t cap;
    char error[SNAPSHOT_MESSAGE];
};

/* Opens a stream: a file, a pipe, or standard input ("-"). Returns LEAT_OK or LEAT_EIO. Always call
 * snapshot_stream_close() afterwards. */
int snapshot_stream_open(struct snapshot_stream *s, const char *path);
void snapshot_stream_close(struct snapshot_stream *s);
/* Reads the next element. Sets *bytes and *n to a snapshot, not yet checked, which the caller frees
 * (snapshot_parse()); or *name to a name, valid until the next call, and *bytes to NULL. Returns
 * LEAT_OK; LEAT_EOS at the end; LEAT_EDATA, LEAT_EIO or LEAT_ENOMEM with the reason in s->error. */
int snapshot_stream_next(struct snapshot_stream *s, void **bytes, size_t *n, const char **name);

#endif
