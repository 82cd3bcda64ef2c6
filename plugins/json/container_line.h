/* container_line.h -- one line of the logs that container runtimes write.
 *
 *   CRI (containerd, CRI-O, podman)   2026-10-06T00:17:09.6Z stdout P a part of a message
 *   Docker's json-file                {"log":"a part of a message","stream":"stdout","time":"…"}
 *
 * A message may come in several lines, its parts. In CRI the last part has the tag F, the others P.
 * In json-file the last part ends in a line feed, which is not part of the message. */
#ifndef LEAT_JSON_CONTAINER_LINE_H
#define LEAT_JSON_CONTAINER_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

struct container_line {
    struct leat_str time, stream, attrs; /* in the line; len LEAT_NULL: none */
    const char *message;                 /* n bytes, in the line or decoded  */
    uint32_t n;
    bool whole; /* the message ends here */
};

enum { CONTAINER_WHY = 200 };

struct container_reader; /* reads lines of both formats */

/* Returns the bytes of a reader of lines of at most max_bytes. */
uint64_t container_reader_bytes(uint32_t max_bytes);
/* Returns NULL if there is not enough memory. */
struct container_reader *container_reader_new(struct leat_ctx *ctx, uint32_t max_bytes);
void container_reader_free(struct leat_ctx *ctx, struct container_reader *r);

/* Reads a line, which is not empty. A decoded message is valid until the next call. Returns false
 * if it is no such line, with the reason in `why`. */
bool container_read(struct container_reader *r, const char *text, uint32_t len,
                    struct container_line *line, char why[CONTAINER_WHY]);

#endif
