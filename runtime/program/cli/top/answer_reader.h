/* answer_reader.h -- an answer of HTTP/1.1, read as its bytes come, in bounded memory.
 *
 * Bodies with Content-Length, in chunks, or until the connection ends. Who sends is not trusted:
 * the head has at most ANSWER_HEAD bytes, the body ANSWER_BODY. One thread at a time. */
#ifndef LEAT_PROGRAM_CLI_TOP_ANSWER_READER_H
#define LEAT_PROGRAM_CLI_TOP_ANSWER_READER_H

#include <stdbool.h>
#include <stddef.h>

enum { ANSWER_HEAD = 16 << 10, ANSWER_BODY = 16 << 20 };

enum answer_progress { ANSWER_MORE, ANSWER_WHOLE, ANSWER_WRONG };

struct answer_reader {
    enum answer_progress progress;
    const char *fault; /* of ANSWER_WRONG: what the sender does, such as "does not speak HTTP" */
    int code;          /* 100 to 999, once the head is there */
    char *bytes;
    size_t n, cap;
    size_t body, body_end; /* the body, as far as it is there: bytes[body .. body_end) */
    size_t raw;            /* chunks: bytes[raw ..) are still to be taken apart */
    size_t length;         /* of the body, or what is missing of a chunk */
    enum { BODY_UNKNOWN, BODY_COUNTED, BODY_CHUNKED, BODY_TO_END } form;
};

/* A zeroed struct waits for its first byte. Takes n more bytes. */
enum answer_progress answer_reader_take(struct answer_reader *a, const char *bytes, size_t n);
/* The sender has ended the connection. */
enum answer_progress answer_reader_end(struct answer_reader *a);
/* Zeroes it. */
void answer_reader_free(struct answer_reader *a);

#endif
