/* answer_reader.c -- see answer_reader.h. */
#include "answer_reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/memory/memory.h"

static const char no_http[] = "does not speak HTTP";
static const char cut_short[] = "ended the connection within an answer";
static const char too_long[] = "answers with more than 16 MB";

static enum answer_progress wrong(struct answer_reader *a, const char *fault)
{
    a->fault = fault;
    return a->progress = ANSWER_WRONG;
}

static void keep(struct answer_reader *a, const char *bytes, size_t n)
{
    if (a->n + n > a->cap) {
        size_t cap = 2 * (a->n + n);
        char *grown = memory_take(cap);
        if (a->n) memcpy(grown, a->bytes, a->n);
        free(a->bytes);
        a->bytes = grown;
        a->cap = cap;
    }
    memcpy(a->bytes + a->n, bytes, n);
    a->n += n;
}

/* ---- the head ---- */

static bool read_code(struct answer_reader *a)
{
    const char *s = a->bytes;
    if (a->n < 12 || memcmp(s, "HTTP/1.", 7) || s[8] != ' ') return false;
    a->code = 0;
    for (int i = 9; i < 12; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        a->code = a->code * 10 + s[i] - '0';
    }
    return a->code >= 100;
}

/* A number of bytes, up to its first other character; *end is left there. SIZE_MAX: none, or more
 * than a body may have. */
static size_t read_size(const char **at, const char *end, unsigned base)
{
    size_t size = 0;
    const char *from = *at;
    for (; *at < end; ++*at) {
        int c = **at | 0x20;
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
        if (digit >= base || (c < 'a' && c > '9')) break;
        size = size * base + digit;
        if (size > ANSWER_BODY) return SIZE_MAX;
    }
    return *at > from ? size : SIZE_MAX;
}

static bool is_header(const char *line, const char *end, const char *name, const char **value)
{
    size_t n = strlen(name);
    if ((size_t)(end - line) <= n || strncasecmp(line, name, n) || line[n] != ':') return false;
    *value = line + n + 1;
    while (*value < end && (**value == ' ' || **value == '\t'))
        ++*value;
    return true;
}

/* bytes[0 .. head) is the head, whose lines end in \r\n. */
static bool read_headers(struct answer_reader *a, size_t head)
{
    a->form = BODY_TO_END;
    for (const char *line = a->bytes, *end; line < a->bytes + head; line = end + 2) {
        const char *value;
        end = memmem(line, head - (size_t)(line - a->bytes), "\r\n", 2);
        if (!end) break;
        if (is_header(line, end, "Transfer-Encoding", &value)) {
            if (end - value != 7 || strncasecmp(value, "chunked", 7)) return false;
            a->form = BODY_CHUNKED;
        } else if (a->form != BODY_CHUNKED && is_header(line, end, "Content-Length", &value)) {
            a->form = BODY_COUNTED;
            a->length = read_size(&value, end, 10);
            if (a->length == SIZE_MAX) return false;
        }
    }
    if (a->form == BODY_CHUNKED) a->length = 0;
    return true;
}

static enum answer_progress read_head(struct answer_reader *a)
{
    size_t known = a->n < 7 ? a->n : 7;
    if (memcmp(a->bytes, "HTTP/1.", known)) return wrong(a, no_http);
    size_t looked = a->n < ANSWER_HEAD ? a->n : ANSWER_HEAD;
    const char *end = memmem(a->bytes, looked, "\r\n\r\n", 4);
    if (!end)
        return looked < ANSWER_HEAD ? ANSWER_MORE : wrong(a, "answers with a head above 16 KB");
    size_t head = (size_t)(end - a->bytes) + 2;
    if (!read_code(a) || !read_headers(a, head)) return wrong(a, no_http);
    a->body = a->body_end = a->raw = head + 2;
    return ANSWER_MORE;
}

/* ---- the body ---- */

/* The part of a chunk that is there moves to the end of the body. */
static void take_part(struct answer_reader *a)
{
    size_t part = a->n - a->raw < a->length ? a->n - a->raw : a->length;
    memmove(a->bytes + a->body_end, a->bytes + a->raw, part);
    a->body_end += part;
    a->raw += part;
    a->length -= part;
}

/* The line of a chunk's size, after the line end of the chunk before it. */
static enum answer_progress take_size(struct answer_reader *a)
{
    enum { LINE = 64 };
    size_t left = a->n - a->raw, skip = a->body_end > a->body ? 2 : 0;
    if (left < skip) return ANSWER_MORE;
    const char *at = a->bytes + a->raw + skip, *all = a->bytes + a->n;
    size_t looked = all - at < LINE ? (size_t)(all - at) : LINE;
    const char *end = memmem(at, looked, "\r\n", 2);
    if (!end) return looked < LINE ? ANSWER_MORE : wrong(a, no_http);
    size_t size = read_size(&at, end, 16);
    if (size == SIZE_MAX || (at < end && *at != ';' && *at != ' ')) return wrong(a, no_http);
    if (!size) return a->progress = ANSWER_WHOLE;
    if (size + (a->body_end - a->body) > ANSWER_BODY) return wrong(a, too_long);
    a->raw = (size_t)(end - a->bytes) + 2;
    a->length = size;
    return ANSWER_MORE;
}

static enum answer_progress take_chunks(struct answer_reader *a)
{
    while (a->progress == ANSWER_MORE) {
        size_t before = a->raw;
        if (a->length)
            take_part(a);
        else
            take_size(a);
        if (a->raw == before) break;
    }
    return a->progress;
}

static enum answer_progress take_body(struct answer_reader *a)
{
    if (a->form == BODY_CHUNKED) return take_chunks(a);
    size_t there = a->n - a->body;
    bool counted = a->form == BODY_COUNTED;
    if (!counted && there > ANSWER_BODY) return wrong(a, too_long);
    a->body_end = a->body + (counted && there > a->length ? a->length : there);
    if (counted && there >= a->length) a->progress = ANSWER_WHOLE;
    return a->progress;
}

enum answer_progress answer_reader_take(struct answer_reader *a, const char *bytes, size_t n)
{
    if (a->progress != ANSWER_MORE || !n) return a->progress;
    if (a->n + n > (size_t)ANSWER_HEAD + 2 * (size_t)ANSWER_BODY) return wrong(a, too_long);
    keep(a, bytes, n);
    if (a->form == BODY_UNKNOWN) read_head(a);
    if (a->form != BODY_UNKNOWN && a->progress == ANSWER_MORE) take_body(a);
    return a->progress;
}

enum answer_progress answer_reader_end(struct answer_reader *a)
{
    if (a->progress != ANSWER_MORE) return a->progress;
    if (!a->n) return wrong(a, "ended the connection without an answer");
    if (a->form == BODY_TO_END) return a->progress = ANSWER_WHOLE;
    return wrong(a, a->form == BODY_UNKNOWN && a->n < 7 ? no_http : cut_short);
}

void answer_reader_free(struct answer_reader *a)
{
    free(a->bytes);
    *a = (struct answer_reader){.bytes = NULL};
}
