/* decoder.h -- decompression of inputs, by the library of each format.
 *
 * Each library checks all that its format can check: CRC-32 and length of gzip, the CRCs of bzip2,
 * the checks and sizes of xz, zstd and lz4. Data are one member after another (concatenated files,
 * bgzip, pbzip2), and nothing else. Other bytes after a member are damage, except zeros up to the
 * end after gzip, and xz's own padding.
 *
 * Text comes out before its checksum was seen, so the caller must check the status at the end. */
#ifndef LEAT_COMMON_INPUTS_DECODER_H
#define LEAT_COMMON_INPUTS_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECODER_MAGIC = 6 };

struct coding;

struct decoder {
    const struct coding *coding;
    void *state;             /* state of the library */
    char *block;             /* room for `cap` bytes of text, for the caller */
    size_t cap;              /* bytes that the coding decodes at once */
    const unsigned char *in; /* compressed bytes not taken yet; lent */
    size_t n_in;
    bool last;              /* `in` holds the last bytes */
    bool within;            /* a member has begun and not ended */
    uint64_t window, asked; /* largest window allowed; window that caused DECODER_LARGE */
    const char *why;        /* kind of damage; static */
};

enum decoder_status {
    DECODER_TEXT,    /* `to` is full */
    DECODER_MORE,    /* more bytes are needed in `in` */
    DECODER_END,     /* the last member has ended */
    DECODER_EARLY,   /* the bytes end within a member */
    DECODER_DAMAGED, /* see `why`; also if there is no memory */
    DECODER_LARGE    /* `asked` is more than `window` */
};

/* Returns the coding with the magic in the first n bytes, or NULL. *maybe: more bytes may
 * decide. */
const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe);
/* Returns the coding's name, such as "gzip". */
const char *decoder_name(const struct coding *c);
/* True if the first text comes after some kilobytes. The text of bzip2 comes in blocks of 900 KB,
 * which take some 30 ms each. */
bool decoder_is_quick(const struct coding *c);
/* True if text comes in blocks that are decoded as a whole, of a length that the file declares. */
bool decoder_is_blocked(const struct coding *c);

enum { DECODER_HEAD = 1100 }; /* most bytes that decoder_window needs */
/* Returns the window of zstd, or dictionary of xz, that data with these first n bytes ask for: how
 * far back they may refer. Returns 0 if the bytes do not say, or if the coding has no window. */
uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n);
/* Returns the most memory that a decoder with this window takes. c NULL: the most of any coding. */
uint64_t decoder_bytes(const struct coding *c, uint64_t window);

/* Begins a decoder, which refuses data with a larger window before it takes memory for it. Returns
 * false if there is no memory. */
bool decoder_begin(struct decoder *d, const struct coding *c, uint64_t window);
/* Appends text to to[*n], up to `cap`. */
enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n);
/* Ends any decoder, even a zeroed one. */
void decoder_end(struct decoder *d);

/* ---- plans ----
 *
 * Sizes before an input is read. The first bytes of compressed data declare the window that they
 * ask for. A file gets this window, but at least 8 MiB and at most 128 MiB. A pipe gets 8 MiB,
 * because its first bytes cannot be read twice. `set`, if not 0, replaces all three. */

/* Returns the largest window for the decoder of an open file, or of a pipe if fd is -1. */
uint64_t decoder_plan_window(int fd, uint64_t set);
/* Returns the most memory that the decoder of an input takes; 0 if it is plain text or not
 * there. */
uint64_t decoder_plan_bytes(const char *path, uint64_t set);

#endif
