/* decoder.h -- compressed bytes to text, by the library of each format.
 *
 * Each library checks all that its format can check: CRC-32 and length of gzip, the CRCs of bzip2,
 * the checks and sizes of xz, zstd and lz4. Data are one member after another (concatenated files,
 * bgzip, pbzip2), and nothing else: bytes after a member that do not begin another one are damage,
 * but for zeros up to the end after gzip, and xz's own padding.
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

/* The coding whose magic the first n bytes are, or NULL; *maybe: more bytes may decide it. */
const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe);
/* "gzip" */
const char *decoder_name(const struct coding *c);
/* Is its first text there after some kilobytes? That of bzip2 comes in blocks of 900 KB, which take
 * some 30 ms each. */
bool decoder_is_quick(const struct coding *c);
/* Does its text come in blocks that are decoded as a whole, each as long as the file says? */
bool decoder_is_blocked(const struct coding *c);

enum { DECODER_HEAD = 1100 }; /* bytes that say all that decoder_window wants to know */
/* How far back data that begin with these n bytes may refer (window.h); 0: they do not say, or
 * their coding has no window to choose. */
uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n);
/* The most memory that a decoder takes whose window is so large. c NULL: of any coding. */
uint64_t decoder_bytes(const struct coding *c, uint64_t window);

/* Data that ask for a larger window are refused before memory is taken for it. false: there is no
 * memory. */
bool decoder_begin(struct decoder *d, const struct coding *c, uint64_t window);
/* Appends text to to[*n], up to `cap`. */
enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n);
/* Of any decoder, a zeroed one too. */
void decoder_end(struct decoder *d);

#endif
