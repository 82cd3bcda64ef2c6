/* decoder.h -- compressed bytes to text, by the library of each format.
 *
 * Each library checks all that its format can check: CRC-32 and length of gzip, the CRCs of bzip2,
 * the checks and sizes of xz, zstd and lz4. Data are one member after another (concatenated files,
 * bgzip, pbzip2), and nothing else: other bytes after a member are damage, but for zeros up to the
 * end after gzip, and xz's own padding.
 *
 * Text comes out before the checksum behind it was seen. Whoever uses it must look at the end. */
#ifndef LEAT_COMMON_INPUTS_DECODER_H
#define LEAT_COMMON_INPUTS_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECODER_MAGIC = 6 };

struct coding;

struct decoder {
    const struct coding *coding;
    void *state;             /* the library's                                         */
    char *block;             /* room for `cap` bytes of text, for whoever uses it     */
    size_t cap;              /* depends on the coding: what it decodes at once        */
    const unsigned char *in; /* lent: compressed bytes that were not taken yet        */
    size_t n_in;
    bool last;              /* no more follow after these                            */
    bool within;            /* a member has begun that has not ended                 */
    uint64_t window, asked; /* the largest allowed; that of DECODER_LARGE      */
    const char *why;        /* what is damaged; static                         */
};

enum decoder_status {
    DECODER_TEXT,    /* `to` is full                            */
    DECODER_MORE,    /* there must be more in `in`              */
    DECODER_END,     /* after the last member                   */
    DECODER_EARLY,   /* the bytes end within a member           */
    DECODER_DAMAGED, /* `why`; also when there is no memory    */
    DECODER_LARGE    /* `asked` is more than `window`          */
};

/* Returns the coding whose magic the first n bytes are; NULL if there is none. *maybe: more bytes
 * may decide it. */
const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe);
/* Returns its name, as "gzip". */
const char *decoder_name(const struct coding *c);
/* True if the first text is there after some kilobytes. The text of bzip2 comes in blocks of 900
 * KB, which take some 30 ms each. */
bool decoder_is_quick(const struct coding *c);
/* True if text comes in blocks that are decoded as a whole, each as long as the file says. */
bool decoder_is_blocked(const struct coding *c);

enum { DECODER_HEAD = 1100 }; /* bytes that decoder_window needs at most */
/* Returns how far back data that begin with these n bytes may refer: the window of zstd, the
 * dictionary of xz. Returns 0 if they do not say, or their coding has no window to choose. */
uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n);
/* Returns the most memory that a decoder with this window takes. c NULL: of any coding. */
uint64_t decoder_bytes(const struct coding *c, uint64_t window);

/* Data that ask for a larger window are refused before memory is taken for it. Returns false if
 * there is no memory. */
bool decoder_begin(struct decoder *d, const struct coding *c, uint64_t window);
/* Appends text to to[*n], up to `cap`. */
enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n);
/* Ends any decoder, also a zeroed one. */
void decoder_end(struct decoder *d);

/* ---- plans ----
 *
 * Before an input is read: compressed data say in their first bytes how large a window they ask
 * for. A file gets it up to 128 MiB, and at least the 8 MiB of a pipe, whose first bytes cannot be
 * read twice. `set`, if it is not 0, replaces all three. */

/* Returns the largest window that the decoder of an open file may have; fd -1: of a pipe. */
uint64_t decoder_plan_window(int fd, uint64_t set);
/* Returns the most memory that the decoder of an input takes; 0 if it is plain text, or not
 * there. */
uint64_t decoder_plan_bytes(const char *path, uint64_t set);

#endif
