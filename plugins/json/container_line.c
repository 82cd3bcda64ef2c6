/* container_line.c -- implementation of container_line.h. */
#include "container_line.h"

#include <stdio.h>
#include <string.h>

#include "json_index.h"
#include "kernels/text/json.h"

enum { LOG, STREAM, TIME, ATTRS, N_KEYS };
static const struct json_step container_keys[N_KEYS] = {
    [LOG] = {JSON_KEY, 0, 3, "log"},
    [STREAM] = {JSON_KEY, 0, 6, "stream"},
    [TIME] = {JSON_KEY, 0, 4, "time"},
    [ATTRS] = {JSON_KEY, 0, 5, "attrs"},
};

struct container_reader {
    struct json_index *index;
    struct json_paths paths;
    struct json_node node[N_KEYS + 1];
    struct json_path path[N_KEYS];
    char *decoded; /* max_bytes */
};

uint64_t container_reader_bytes(uint32_t max_bytes)
{
    return sizeof(struct container_reader) + max_bytes + json_index_bytes(max_bytes);
}

struct container_reader *container_reader_new(struct leat_ctx *ctx, uint32_t max_bytes)
{
    struct container_reader *r = ctx->host->alloc(ctx, sizeof *r);
    if (!r) return NULL;
    r->paths.node = r->node;
    r->paths.path = r->path;
    for (int i = 0; i < N_KEYS; i++)
        json_paths_add(&r->paths, &container_keys[i], 1);
    r->decoded = ctx->host->alloc(ctx, max_bytes);
    r->index = r->decoded ? json_index_new(max_bytes) : NULL;
    if (r->index) return r;
    container_reader_free(ctx, r);
    return NULL;
}

void container_reader_free(struct leat_ctx *ctx, struct container_reader *r)
{
    if (!r) return;
    json_index_free(r->index);
    ctx->host->free(ctx, r->decoded);
    ctx->host->free(ctx, r);
}

/* ---- CRI ---- */

/* Returns the length of the next word of text[at, len). */
static uint32_t container_word(const char *text, uint32_t len, uint32_t at)
{
    const char *end = memchr(text + at, ' ', len - at);
    return end ? (uint32_t)(end - text) - at : len - at;
}

static bool container_is(const char *text, uint32_t len, const char *word)
{
    return len == strlen(word) && !memcmp(text, word, len);
}

/* True if the text looks like a time of RFC 3339. */
static bool container_is_time(const char *text, uint32_t len)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    if (len < sizeof form) return false;
    for (uint32_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
    return true;
}

static bool container_read_cri(const char *text, uint32_t len, struct container_line *line)
{
    uint32_t at = container_word(text, len, 0), n;
    line->time = (struct leat_str){0, at};
    if (at == len || !container_is_time(text, at)) return false;
    n = container_word(text, len, ++at);
    line->stream = (struct leat_str){at, n};
    if (!container_is(text + at, n, "stdout") && !container_is(text + at, n, "stderr"))
        return false;
    at += n + 1;
    if (at >= len) return false;
    n = container_word(text, len, at); /* tags, of which the first counts */
    line->whole = text[at] == 'F';
    if ((text[at] != 'F' && text[at] != 'P') || (n > 1 && text[at + 1] != ':')) return false;
    at += n + (at + n < len);
    line->message = text + at;
    line->n = len - at;
    return true;
}

/* ---- Docker's json-file ---- */

/* Sets *s to the text at a key, or with any = true to the range of any value. Returns false if the
 * key has another value than a text. */
static bool container_find(const struct container_reader *r, const struct json_text *t, int key,
                           bool any, struct leat_str *s)
{
    uint32_t token = json_found(&r->paths, (uint32_t)key);
    *s = (struct leat_str){0, LEAT_NULL};
    if (token == JSON_NO_TOKEN) return true;
    if (t->text[t->at[token]] != '"') {
        uint32_t end = t->at[json_after(t, token)];
        *s = (struct leat_str){t->at[token], end - t->at[token]};
        return any;
    }
    json_token(t, token, &s->off, &s->len);
    return any || !json_is_escaped(t, s->off, s->len) || key == LOG;
}

/* Takes the line end of a message off; its last part has one. */
static void container_take_end(struct container_line *line)
{
    line->whole = line->n && line->message[line->n - 1] == '\n';
    if (!line->whole) return;
    line->n--;
    if (line->n && line->message[line->n - 1] == '\r') line->n--;
}

static bool container_read_json(struct container_reader *r, const char *text, uint32_t len,
                                struct container_line *line, char why[CONTAINER_WHY])
{
    struct json_text t = {.text = text, .escapes = true};
    struct leat_str log;
    uint32_t at = 0;
    enum json_index_status status = json_index_make(r->index, text, len, &t.at, &t.n);
    if (status == JSON_INDEX_LONG) {
        snprintf(why, CONTAINER_WHY, "the line has %u bytes, more than its source promised", len);
        return false;
    }
    enum json_fault fault = status == JSON_INDEX_OK ? json_read(&r->paths, &t, &at)
                                                    : json_check_strings(text, len, &at);
    if (fault || status != JSON_INDEX_OK) {
        snprintf(why, CONTAINER_WHY, "byte %u is wrong: %s", (unsigned)at + 1,
                 json_fault_text(fault ? fault : JSON_UTF8));
        return false;
    }
    bool good = container_find(r, &t, STREAM, false, &line->stream) &&
                container_find(r, &t, TIME, false, &line->time) &&
                container_find(r, &t, ATTRS, true, &line->attrs) &&
                container_find(r, &t, LOG, false, &log) && log.len != LEAT_NULL;
    if (!good) {
        snprintf(why, CONTAINER_WHY,
                 "the object is no line of Docker's json-file, which has the texts \"log\", "
                 "\"stream\" and \"time\": use parse.json");
        return false;
    }
    line->n = json_unescape(text + log.off, log.len, r->decoded);
    line->message = r->decoded;
    container_take_end(line);
    return true;
}

bool container_read(struct container_reader *r, const char *text, uint32_t len,
                    struct container_line *line, char why[CONTAINER_WHY])
{
    *line = (struct container_line){.attrs = {0, LEAT_NULL}};
    if (*text == '{') return container_read_json(r, text, len, line, why);
    if (container_read_cri(text, len, line)) return true;
    snprintf(why, CONTAINER_WHY,
             "the line is neither of CRI, which has a time, stdout or stderr, P or F, and a "
             "message, nor an object of Docker's json-file");
    return false;
}
