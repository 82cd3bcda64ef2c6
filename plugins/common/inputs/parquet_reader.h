/* parquet_reader.h -- functions of the reader of Parquet files, a library that plugins load.
 *
 *   plugins/sources.so         calls common/inputs/parquet_lines.c
 *   readers/parquet.so         has the table PARQUET_READER; links Arrow's libparquet and libarrow
 *
 * The reader makes an Arrow stream of a file, in the order of its rows: the schema, dictionaries,
 * batches of rows. No exception leaves it. A file belongs to one thread at a time. */
#ifndef LEAT_COMMON_INPUTS_PARQUET_READER_H
#define LEAT_COMMON_INPUTS_PARQUET_READER_H

#include <stddef.h>
#include <stdint.h>

#define PARQUET_READER "leat_parquet_reader"
enum { PARQUET_READER_VERSION = 1, PARQUET_WHY = 300 };

enum parquet_status {
    PARQUET_BYTES,
    PARQUET_END,
    PARQUET_DAMAGED,
    PARQUET_REFUSED, /* the file has what the library does not read */
    PARQUET_LARGE    /* the file needs more memory */
};

struct parquet_part {
    const uint8_t *bytes; /* n bytes of the stream, valid until the next call */
    size_t n;
    uint64_t at;           /* bytes of the file that the rows so far take, estimated */
    uint64_t asked;        /* for PARQUET_LARGE: bytes of memory that were needed, at least */
    char why[PARQUET_WHY]; /* for damaged and refused files */
};

struct parquet_reader {
    uint32_t version; /* PARQUET_READER_VERSION */
    /* Returns the reader of an open file, which may take `memory` bytes; NULL if there is no
     * memory. The descriptor stays the caller's, and must stay open. */
    void *(*begin)(int fd, uint64_t memory);
    /* Makes the next part of the stream. */
    enum parquet_status (*next)(void *file, struct parquet_part *part);
    void (*end)(void *file);
};

#endif
