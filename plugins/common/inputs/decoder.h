/* decoder.h -- decompresses inputs with the library of each format.
 *
 * Each library checks all that its format can check: CRC-32 and length of gzip, the CRCs of bzip2,
 * the checks and sizes of xz, zstd and lz4. The data consist of members (concatenated files, bgzip,
 * pbzip2). Other bytes after a member are damage, except zeros up to the end after gzip, and the
 * padding of xz.
 *
 * A member's text is returned before its checksum has been read. So the caller must check the
 * status at the end.
 *
 * Containers and sequences of binary records are codings, too, whose text is JSON Lines: Avro
 * (avro_lines.h), Arrow (arrow_lines.h), Parquet (parquet_lines.h), CBOR and MessagePack
 * (item_lines.h). Of Parquet the decoder reads the file itself, at any place.
 *
 * The first bytes show the coding. lzma has no magic, but a head that text never has. CBOR and
 * MessagePack need not have a magic: the name of the file, or its reader, tells that data are such
 * items. They may also be compressed; two decoders then work one after the other. */
#ifndef LEAT_COMMON_INPUTS_DECODER_H
#define LEAT_COMMON_INPUTS_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECODER_MAGIC = 14 };

struct coding;

struct decoder {
    const struct coding *coding;
    void *state; /* state of the format's library */
    struct {
        const struct coding *coding; /* of the decoded bytes; NULL if they are the text */
        void *state;
        unsigned char *buffer; /* decoded bytes: buffer[at, n) is not read yet */
        size_t at, n;
        bool within; /* a part has begun and has not ended */
    } items;
    char *block;             /* buffer of `cap` bytes for text, for use by the caller */
    size_t cap;              /* bytes of text that the format decodes at once */
    const unsigned char *in; /* compressed bytes not decoded yet; owned by the caller */
    size_t n_in;
    bool last;              /* `in` ends with the last bytes of the input */
    bool within;            /* a member has begun and has not ended */
    uint64_t window, asked; /* largest window allowed; for DECODER_LARGE, the window of the data */
    const char *why;        /* kind of damage; static text */
    size_t back;            /* bytes of the input before `in` at which the damage is, or 0 */
    const struct coding *failed; /* the coding that is damaged, ends early or needs a window */
};

enum decoder_status {
    DECODER_TEXT,    /* `to` is full */
    DECODER_MORE,    /* `in` needs more bytes */
    DECODER_END,     /* the last member has ended */
    DECODER_EARLY,   /* the input ends within a member */
    DECODER_DAMAGED, /* damaged (see `why`), or no memory */
    DECODER_REFUSED, /* the data have what is not known (see `why`) */
    DECODER_LARGE    /* the data need a window larger than `window` */
};

/* Returns the coding whose magic is in the first n bytes; NULL if none is, or leat was built
 * without its library. Sets *maybe if more bytes may show a magic. */
const struct coding *decoder_coding(const unsigned char *first, size_t n, bool *maybe);
/* Frames without text may begin data of zstd and of lz4, with the same magic. Returns the bytes of
 * such a skippable frame if its head is in the first n bytes; else 0. */
uint64_t decoder_skippable(const unsigned char *first, size_t n);
/* True if skippable frames may come before data of this coding. */
bool decoder_has_skippable(const struct coding *c);
/* Returns the coding of items, which have no magic: that with the name `format`, or if it is NULL,
 * that which the path's extension names, before one of compression (.cbor, .msgpack.gz). NULL if
 * there is none. */
const struct coding *decoder_of_items(const char *path, const char *format);
/* Returns the coding of an open file with this path, by its first bytes or those behind skippable
 * frames, or by its extension. Returns NULL if it is plain text. */
const struct coding *decoder_of_file(int fd, const char *path);
/* Returns the coding's name, such as "gzip". */
const char *decoder_name(const struct coding *c);
/* True if the coding compresses texts. A tool with its name then tests data, by the option -t. */
bool decoder_compresses(const struct coding *c);
/* True if the first bytes surely show the coding. False for lzma and for items. */
bool decoder_has_magic(const struct coding *c);
/* True if the decoder returns the first text after some kilobytes of input. False for bzip2, whose
 * blocks have 900 KB of text and take some 30 ms each. */
bool decoder_is_quick(const struct coding *c);
/* True if the coding has blocks that are decoded as a whole. The file declares the size of the
 * blocks. */
bool decoder_is_blocked(const struct coding *c);

/* True if the decoder reads the file itself (Parquet). */
bool decoder_reads_file(const struct coding *c);

enum { DECODER_HEAD = 1100 }; /* bytes that decoder_window() may need */
/* Returns the window of zstd, or dictionary of xz, that the first n bytes of the data declare: how
 * far back the data may refer. Returns 0 if the bytes do not declare it, or the coding has no
 * window. */
uint64_t decoder_window(const struct coding *c, const unsigned char *first, size_t n);
/* Returns the most memory that a decoder with this window takes. If c is NULL, the most of any
 * coding that a pipe may have. */
uint64_t decoder_bytes(const struct coding *c, uint64_t window);

/* Begins a decoder. It refuses data with a larger window before it takes memory for the window.
 * `items` is the coding of the decoded bytes, or NULL. Returns false if there is no memory. */
bool decoder_begin(struct decoder *d, const struct coding *c, const struct coding *items,
                   uint64_t window);
/* Lets a decoder that reads the file itself use its descriptor. Others need bytes in `in`. */
void decoder_use_file(struct decoder *d, int fd);
/* Returns the bytes of the file that the text so far takes, estimated, if the decoder reads the
 * file itself. */
uint64_t decoder_file_at(const struct decoder *d);
/* Appends text to `to` and advances *n, up to `cap`. */
enum decoder_status decoder_read(struct decoder *d, char *to, size_t cap, size_t *n);
/* Ends a decoder; a zeroed one is allowed. */
void decoder_end(struct decoder *d);

/* ---- plans ----
 *
 * Memory of decoders, planned before an input is read. The first bytes of compressed data declare
 * their window. A decoder of a file allows this window, but at least 8 MiB and at most 128 MiB. A
 * decoder of a pipe allows 8 MiB, because the first bytes of a pipe cannot be read twice. `set`,
 * the parameter `window`, replaces these limits unless it is 0. */

/* Returns the largest window for the decoder of an open file; of a pipe if fd is -1. */
uint64_t decoder_plan_window(int fd, uint64_t set);
/* Returns the most memory that the decoder of an input takes; 0 if the input is plain text or
 * missing. `format`: as of decoder_of_items(). */
uint64_t decoder_plan_bytes(const char *path, const char *format, uint64_t set);

#endif
