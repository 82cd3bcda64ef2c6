/* sample.c -- implementation of sample.h. */
#include "sample.h"

#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/graph/outside/files.h"
#include "host/log/log.h"
#include "peek.h"

enum {
    BLOCKS = 64,      /* texts of all files                                    */
    FILES = 64,       /* files to look at; of more, evenly spaced ones         */
    LOOK = 256 << 10, /* bytes to look for a whole record                      */
    PACKED = 4,       /* estimated bytes of text for a byte of compressed text */
    FIRST = 256       /* bytes of a file to tell whether it is plain text      */
};

static const char sample_mark[] = "\xef\xbb\xbf";
static const uint64_t SAMPLE_THROUGH = 128 << 20; /* bytes of text to read of compressed files */

struct sample_file {
    const char *path;
    uint64_t weight; /* estimated bytes of text */
    bool seeks;      /* its text can be read at any place */
};

struct sample_files {
    struct sample_file *v;
    size_t n, cap;
    uint64_t weight; /* of all */
    bool seek;       /* all can be read at any place */
};

/* ---- the files of a list and of patterns ---- */

/* True if the text that the source reads at the beginning of a file stands in its first n bytes. If
 * the source gives none, the run reports that. */
static bool sample_is_plain(struct registry *known, const char *path, const char *b, size_t n,
                            struct arena *a)
{
    const char *why;
    size_t n_text, k = 0;
    const char *text = peek_text(known, path, NULL, FIRST / 2, a, &n_text, &why);
    if (!text || why) return true;
    if (n >= 3 && !memcmp(b, sample_mark, 3)) b += 3, n -= 3;
    for (size_t i = 0; i < n && k < n_text; i++) {
        if (b[i] == '\r' && i + 1 < n && b[i + 1] == '\n') continue;
        if (b[i] != text[k++]) return false;
    }
    return true;
}

static void sample_add_file(struct registry *known, struct sample_files *all, const char *path,
                            bool encoded, struct arena *a)
{
    struct stat st;
    char first[FIRST];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && !fstat(fd, &st);
    ssize_t n = is ? pread(fd, first, sizeof first, 0) : 0;
    if (fd >= 0) close(fd);
    if (n <= 0) return;
    struct sample_file f = {arena_strdup(a, path), (uint64_t)st.st_size, true};
    f.seeks = !encoded && sample_is_plain(known, path, first, (size_t)n, a);
    if (!f.seeks && !encoded) f.weight *= PACKED;
    if (all->n == all->cap) all->v = arena_grow(a, all->v, all->n, &all->cap, sizeof *all->v);
    all->v[all->n++] = f;
}

/* Keeps at most FILES evenly spaced files, and adds up their weights. */
static void sample_thin_files(struct sample_files *all)
{
    size_t n = all->n < FILES ? all->n : FILES;
    for (size_t i = 0; i < n; i++)
        all->v[i] = all->v[i * all->n / n];
    all->n = n;
    all->seek = true;
    for (size_t i = 0; i < n; i++) {
        all->weight += all->v[i].weight;
        all->seek &= all->v[i].seeks;
    }
}

static struct sample_files sample_find_files(struct registry *known, const struct graph *g,
                                             bool encoded, struct arena *a)
{
    struct sample_files all = {0};
    struct file_cursor at = {0};
    struct file_use use;
    while (files_next(g, LEAT_READS_FILE, &at, &use)) {
        glob_t found = {0};
        bool is_pattern = strpbrk(use.path, "*?[") && access(use.path, F_OK);
        if (!is_pattern) sample_add_file(known, &all, use.path, encoded, a);
        if (is_pattern && !glob(use.path, 0, NULL, &found))
            for (size_t i = 0; i < found.gl_pathc; i++)
                sample_add_file(known, &all, found.gl_pathv[i], encoded, a);
        globfree(&found);
    }
    sample_thin_files(&all);
    return all;
}

/* ---- a plain file: blocks at places ---- */

/* A part of a file, whose records are those that begin in it. */
struct sample_place {
    uint64_t at, end;
};

/* Copies the whole records in the n bytes of b that begin before the end of the place to the arena,
 * with \n for \r\n. b is read from one byte before the place: if it is not at the beginning of the
 * file, its first line is a part of another record. `ends`: the file ends after b. */
static struct value sample_cut(const char *b, size_t n, struct sample_place place, bool ends,
                               struct arena *a)
{
    uint64_t room = place.end - (place.at ? place.at - 1 : 0);
    const char *from = b, *end = b + n, *stop = room < n ? b + room : end;
    if (place.at) from = memchr(b, '\n', n) ? (const char *)memchr(b, '\n', n) + 1 : end;
    if (!place.at && n >= 3 && !memcmp(b, sample_mark, 3)) from += 3;
    while (end > from && end[-1] != '\n' && !ends)
        end--;
    if (from >= stop) end = from;
    if (end > stop) stop = memchr(stop - 1, '\n', (size_t)(end - stop) + 1);
    if (end > stop && stop) end = stop + 1;
    char *text = arena_alloc(a, (size_t)(end - from) + 2), *to = text;
    while (from < end) {
        const char *cr = memchr(from, '\r', (size_t)(end - from)), *upto = cr ? cr : end;
        bool ends_line = cr && cr + 1 < end && cr[1] == '\n';
        if (cr && !ends_line) upto++;
        memcpy(to, from, (size_t)(upto - from));
        to += upto - from;
        from = upto + ends_line;
    }
    if (to > text && to[-1] != '\n') *to++ = '\n';
    return (struct value){.type = VALUE_TEXT, .text = text, .n = (size_t)(to - text)};
}

/* Adds the records in the first `want` bytes of a place. If these hold no whole record, looks
 * further. */
static void sample_add_place(int fd, struct sample_place place, size_t want, struct value *list,
                             struct arena *a)
{
    size_t most = want < LOOK ? LOOK : want;
    char *b = malloc(most);
    for (size_t n = want; b && n <= most; n = n < most && 16 * n > most ? most : 16 * n) {
        ssize_t had = pread(fd, b, n, (off_t)(place.at ? place.at - 1 : 0));
        if (had <= 0) break;
        struct value text = sample_cut(b, (size_t)had, place, (size_t)had < n, a);
        if (!text.n) continue;
        list->list[list->n++] = text;
        break;
    }
    free(b);
}

/* Adds n blocks of a file, or the whole of it if that is not more. `ends`: adds its end, too. */
static void sample_seek(const struct sample_file *f, size_t n, size_t want, bool ends,
                        struct value *list, struct arena *a)
{
    if (n * want >= f->weight) {
        want = (size_t)f->weight + 1;
        n = 1;
    }
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    for (size_t k = 0; fd >= 0 && k < n; k++) {
        struct sample_place place = {f->weight / n * k, f->weight / n * (k + 1)};
        if (k + 1 == n) place.end = UINT64_MAX;
        sample_add_place(fd, place, want, list, a);
    }
    if (fd >= 0 && ends && n > 1) {
        struct sample_place last = {f->weight > LOOK ? f->weight - LOOK : 0, UINT64_MAX};
        sample_add_place(fd, last, LOOK + 1, list, a);
    }
    if (fd >= 0) close(fd);
}

/* ---- a compressed or encoded file: read from its beginning ---- */

/* Blocks of the text so far: each step-th one. Of 2 * want, every second is dropped. */
struct sample_thinning {
    struct sample_block {
        char *bytes;
        size_t n, cap;
    } v[2 * BLOCKS];
    size_t n, want, size; /* blocks; blocks wanted; bytes of a block */
    size_t step, number;  /* of the present block in the text */
    size_t in_block;      /* bytes of the present block */
    uint64_t left;        /* bytes of text that may be read */
    bool ends;            /* the last record is a text, too */
    struct sample_block last;
    struct arena *arena;
};

static void sample_add_record(struct arena *a, struct sample_block *to, const char *text, size_t n)
{
    while (to->cap - to->n <= n)
        to->bytes = arena_grow(a, to->bytes, to->n, &to->cap, 1);
    memcpy(to->bytes + to->n, text, n);
    to->bytes[to->n + n] = '\n';
    to->n += n + 1;
}

/* Keeps the last record of a batch, if it has one. */
static void sample_keep_last(struct sample_thinning *t, const struct leat_batch *b)
{
    uint32_t r = b->n;
    while (r && b->status[r - 1] != LEAT_ROW_OK)
        r--;
    if (!r) return;
    t->last.n = 0;
    sample_add_record(t->arena, &t->last, leat_text(b, b->raw[r - 1]), b->raw[r - 1].len);
}

static void sample_drop(struct sample_thinning *t)
{
    for (size_t i = 0; 2 * i < t->n; i++) {
        struct sample_block b = t->v[i];
        t->v[i] = t->v[2 * i];
        t->v[2 * i] = b;
    }
    t->n = (t->n + 1) / 2;
    t->step *= 2;
}

/* Begins the next block of the text. */
static void sample_next(struct sample_thinning *t)
{
    t->in_block = 0;
    t->number++;
    if (t->number % t->step) return;
    if (t->n == 2 * t->want) sample_drop(t);
    if (t->number % t->step == 0) t->v[t->n++].n = 0;
}

static bool sample_take(void *to, const struct leat_batch *b)
{
    struct sample_thinning *t = to;
    if (t->ends) sample_keep_last(t, b);
    for (uint32_t r = 0; r < b->n; r++) {
        size_t n = b->raw[r].len;
        if (b->status[r] != LEAT_ROW_OK) continue; /* the record is too long */
        if (!t->n || t->in_block >= t->size) sample_next(t);
        t->in_block += n + 1;
        if (n + 1 > t->left) return false;
        t->left -= n + 1;
        if (t->number % t->step) continue;
        sample_add_record(t->arena, &t->v[t->n - 1], leat_text(b, b->raw[r]), n);
    }
    return true;
}

/* Joins the blocks of a text that was read whole, so that records over several lines stay whole. */
static void sample_join(struct sample_thinning *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->v[i].n;
    char *bytes = arena_alloc(t->arena, n + 1), *to = bytes;
    for (size_t i = 0; i < t->n; to += t->v[i++].n)
        memcpy(to, t->v[i].bytes, t->v[i].n);
    t->v[0] = (struct sample_block){.bytes = bytes, .n = n};
    t->n = 1;
}

static void sample_read(struct registry *known, const struct sample_file *f, const char *encoding,
                        struct sample_thinning *t, struct value *list)
{
    const char *why;
    struct graph *g = peek_files(known, f->path, encoding, t->arena, &why);
    if (g) peek_batches(g, sample_take, t); /* the run will report errors */
    if (t->step == 1 && t->n && t->n <= t->want) sample_join(t);
    size_t n = t->n < t->want ? t->n : t->want;
    for (size_t k = 0; k < n; k++) {
        const struct sample_block *b = &t->v[k * t->n / n];
        list->list[list->n++] = (struct value){.type = VALUE_TEXT, .text = b->bytes, .n = b->n};
    }
    if (t->last.n)
        list->list[list->n++] =
            (struct value){.type = VALUE_TEXT, .text = t->last.bytes, .n = t->last.n};
}

/* ---- all files ---- */

static void sample_blocks(struct registry *known, const struct sample_files *all,
                          const char *encoding, size_t size, bool ends, struct value *list,
                          struct arena *a)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct sample_file *f = &all->v[i];
        size_t n = (size_t)((double)BLOCKS * (double)f->weight / (double)all->weight + .5);
        if (!n) n = 1;
        if (f->seeks) {
            sample_seek(f, n, size, ends, list, a);
            continue;
        }
        struct sample_thinning *t = calloc(1, sizeof *t);
        if (!t) return;
        *t = (struct sample_thinning){.want = n,
                                      .size = size,
                                      .step = 1,
                                      .number = SIZE_MAX, /* the next is 0 */
                                      .left = ends ? UINT64_MAX : SAMPLE_THROUGH / all->n,
                                      .ends = ends,
                                      .arena = a};
        sample_read(known, f, encoding, t, list);
        free(t);
    }
}

const struct value *sample_text(struct registry *known, const char *path, const char *encoding,
                                size_t max, bool ends, struct arena *a, const char **why)
{
    bool hushed = log_hush(true); /* the run will repeat a source's messages */
    struct graph *g = peek_files(known, path, encoding, a, why);
    struct sample_files all = {0};
    if (g) all = sample_find_files(known, g, encoding != NULL, a);
    bool is_small = all.seek && all.weight <= max;
    struct value first = {.type = VALUE_TEXT}, *list = arena_alloc(a, sizeof *list);
    *list = (struct value){.type = VALUE_LIST};
    list->list = arena_alloc(a, (BLOCKS + 2 * FILES) * sizeof *list->list);
    if (g) first.text = peek_text(known, path, encoding, is_small ? 2 * max : 1, a, &first.n, why);
    bool is_read = g && !*why;
    if (is_read && !is_small) sample_blocks(known, &all, encoding, max / BLOCKS, ends, list, a);
    if (!list->n) list->list[list->n++] = first;
    log_hush(hushed);
    return is_read ? list : NULL;
}
