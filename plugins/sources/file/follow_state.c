/* follow_state.c -- followed files in a snapshot, and found again: see follow.h.
 *
 * One row a file, in the order of reading: arrays of numbers, and the texts (first bytes, names)
 * one after the other. A file is looked for among those that the names have now, then beside its
 * name, by inode and first bytes; last of all among copies, by first bytes alone. */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "follow_inside.h"
#include "common/state/state_fields.h"

enum { N_NUMBERS = 8 };
static const char *const numbers[N_NUMBERS] = {"inodes",   "offsets",   "lines",      "sizes",
                                               "writings", "preceding", "head_bytes", "name_bytes"};
enum { INODE, OFFSET, LINE, SIZE, WRITTEN, PRECEDING, N_HEAD, N_NAME };

/* ---- writing ---- */

/* The file after turn `after` in the order of reading. */
static struct followed *next_turn(const struct follow *fs, uint64_t after)
{
    struct followed *next = NULL;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn > after && (!next || f->turn < next->turn)) next = f;
    }
    return next;
}

static uint64_t number_of(const struct followed *f, int which)
{
    struct stat st = {0};
    uint64_t place = f->too_long.state == LONG_NONE ? f->offset : f->too_long.offset;
    switch (which) {
    case INODE:
        return f->is.inode;
    case OFFSET:
        return place;
    case LINE:
        return f->too_long.state == LONG_NONE ? f->line : f->too_long.line;
    case SIZE: /* before the first look, too */
        return f->size || fstat(f->fd, &st) ? f->size : (uint64_t)st.st_size;
    case WRITTEN:
        if (f->unseen.written_ns) return f->unseen.written_ns;
        return fstat(f->fd, &st) ? 0 : beside_written(&st);
    case PRECEDING:
        return f->unseen.written_ns ? f->unseen.inode : f->is.inode;
    case N_HEAD:
        return f->is.n_head ? f->is.n_head : f->n_ahead;
    default:
        return strlen(f->path);
    }
}

static uint64_t write_numbers(const struct follow *fs, struct leat_writer *w, int which)
{
    uint64_t *v = w->reserve(w, numbers[which], LEAT_U64, fs->n), sum = 0, k = 0;
    for (const struct followed *f = next_turn(fs, 0); v && f; f = next_turn(fs, f->turn))
        sum += v[k++] = number_of(f, which);
    return sum;
}

/* Before anything is read of a file its inode alone is known, which the next file may get. */
static void look_ahead(struct follow *fs)
{
    struct fingerprint is;
    for (struct followed *f = next_turn(fs, 0); f; f = next_turn(fs, f->turn)) {
        ssize_t n = f->is.n_head ? 0 : pread(f->fd, is.head, sizeof is.head, 0);
        f->n_ahead = n > 0 ? (uint32_t)n : 0;
    }
}

/* What is no more there has been truncated meanwhile: zeros fit no text. */
static void write_head(const struct followed *f, uint8_t *to)
{
    if (f->is.n_head) {
        memcpy(to, f->is.head, f->is.n_head);
        return;
    }
    ssize_t n = pread(f->fd, to, f->n_ahead, 0);
    if (n < 0) n = 0;
    memset(to + n, 0, f->n_ahead - (size_t)n);
}

static int write_texts(const struct follow *fs, struct leat_writer *w, const char *name,
                       uint64_t bytes, bool heads)
{
    uint8_t *to = w->reserve(w, name, LEAT_U8, bytes);
    if (!to) return LEAT_ENOMEM;
    for (const struct followed *f = next_turn(fs, 0); f; f = next_turn(fs, f->turn)) {
        if (heads)
            write_head(f, to);
        else
            memcpy(to, f->path, strlen(f->path));
        to += number_of(f, heads ? N_HEAD : N_NAME);
    }
    return LEAT_OK;
}

int follow_write(struct follow *fs, struct leat_writer *w)
{
    uint64_t sum[N_NUMBERS];
    look_ahead(fs);
    int status = w->u64(w, "files", fs->n);
    for (int i = 0; i < N_NUMBERS; i++)
        sum[i] = write_numbers(fs, w, i);
    if (status == LEAT_OK) status = write_texts(fs, w, "heads", sum[N_HEAD], true);
    if (status == LEAT_OK) status = write_texts(fs, w, "names", sum[N_NAME], false);
    return status;
}

/* ---- reading ---- */

/* A file of the snapshot. */
struct saved {
    struct fingerprint is;
    uint64_t offset, line, size;
    struct beside_place last; /* itself, or the one after which it may have had unseen texts */
    char path[BESIDE_PATH];
};

struct table {
    const uint64_t *v[N_NUMBERS];
    const uint8_t *heads, *names;
    uint64_t n, at_head, at_name;
};

/* Does `v` add up to the bytes of its text, each at most `max`? */
static int check_sum(struct leat_reader *from, const char *what, const uint64_t *v, uint64_t n,
                     uint64_t max, uint64_t bytes)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (v[i] > max)
            return from->refuse(from, "%s[%llu] is %llu; it must be at most %llu", what,
                                (unsigned long long)i, (unsigned long long)v[i],
                                (unsigned long long)max);
        sum += v[i];
    }
    if (sum == bytes) return LEAT_OK;
    return from->refuse(from, "%s add up to %llu and must to %llu", what, (unsigned long long)sum,
                        (unsigned long long)bytes);
}

static int check_table(struct leat_reader *from, const struct table *t, uint64_t heads,
                       uint64_t names)
{
    int status = check_sum(from, numbers[N_HEAD], t->v[N_HEAD], t->n, FINGERPRINT_HEAD, heads);
    if (status == LEAT_OK)
        status = check_sum(from, numbers[N_NAME], t->v[N_NAME], t->n, BESIDE_PATH - 1, names);
    for (uint64_t i = 0; status == LEAT_OK && i < t->n; i++)
        if (t->v[OFFSET][i] > INT64_MAX || !t->v[LINE][i] || !t->v[N_NAME][i])
            return from->refuse(from, "file %llu of the snapshot has no such place or no name",
                                (unsigned long long)i + 1);
    return status;
}

static int read_table(struct leat_reader *from, struct table *t)
{
    uint64_t heads = 0, names = 0;
    const void *at = NULL;
    *t = (struct table){0};
    int status = from->u64(from, "files", &t->n);
    for (int i = 0; status == LEAT_OK && i < N_NUMBERS; i++) {
        status = from->array(from, numbers[i], LEAT_U64, t->n, &at);
        t->v[i] = at;
    }
    if (status == LEAT_OK)
        status = from->array_up_to(from, "heads", LEAT_U8, UINT64_MAX, &at, &heads);
    t->heads = at;
    if (status == LEAT_OK)
        status = from->array_up_to(from, "names", LEAT_U8, UINT64_MAX, &at, &names);
    t->names = at;
    return status == LEAT_OK ? check_table(from, t, heads, names) : status;
}

static void next_saved(struct table *t, uint64_t i, struct saved *s)
{
    *s = (struct saved){.is = {.inode = t->v[INODE][i], .n_head = (uint32_t)t->v[N_HEAD][i]},
                        .offset = t->v[OFFSET][i],
                        .line = t->v[LINE][i],
                        .size = t->v[SIZE][i],
                        .last = {t->v[WRITTEN][i], t->v[PRECEDING][i]}};
    if (s->is.n_head) memcpy(s->is.head, t->heads + t->at_head, s->is.n_head);
    memcpy(s->path, t->names + t->at_name, t->v[N_NAME][i]);
    t->at_head += t->v[N_HEAD][i];
    t->at_name += t->v[N_NAME][i];
}

/* ---- finding again ---- */

/* Of the files that the names have now, and that no other file of the snapshot was. */
static struct followed *find_here(struct follow *fs, const struct saved *s, uint64_t before,
                                  bool copy)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        struct stat st;
        if (!f->path || f->turn > before || fstat(f->fd, &st)) continue;
        if (!copy && f->is.inode != s->is.inode) continue;
        if (copy && s->is.n_head < FINGERPRINT_HEAD) continue;
        uint64_t least = s->offset ? s->offset : s->size; /* what is new begins with it, too */
        if ((uint64_t)st.st_size >= least && fingerprint_fits(&s->is, f->fd)) return f;
    }
    return NULL;
}

/* Beside the name that it had; it has lost that. *f stays NULL when it is not there. */
static int find_beside(struct leat_ctx *ctx, struct follow *fs, const struct saved *s,
                       struct followed **f)
{
    char found[BESIDE_PATH];
    struct stat st;
    int fd = beside_find(s->path, &s->is, s->offset, found);
    if (fd < 0) return LEAT_OK;
    if (fstat(fd, &st) || follow_by_inode(fs, (uint64_t)st.st_dev, (uint64_t)st.st_ino)) {
        close(fd);
        return LEAT_OK;
    }
    int status = follow_add(ctx, fs, s->path, fd, true, f);
    if (status == LEAT_AGAIN)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "the snapshot has more files than max_files = %u: raise max_files",
                               (unsigned)fs->cap - 1);
    if (status != LEAT_OK) return status;
    ctx->host->log(ctx, LEAT_INFO,
                   "%s was rotated since the snapshot: %s is read on from byte %llu", s->path,
                   found, (unsigned long long)s->offset);
    return LEAT_OK;
}

static void tell_lost(struct leat_ctx *ctx, const struct saved *s)
{
    unsigned long long known = s->size > s->offset ? s->size - s->offset : 0;
    ctx->host->log(ctx, LEAT_WARN,
                   "the file that was %s at the snapshot is neither there nor beside it, by inode "
                   "or first bytes (removed, or compressed): what it held after byte %llu is lost, "
                   "%llu bytes at least; nobody knows how many came later",
                   s->path, (unsigned long long)s->offset, known);
}

static void continue_at(struct follow *fs, struct followed *f, const struct saved *s)
{
    f->offset = f->at = s->offset;
    f->line = s->line;
    f->is.n_head = s->is.n_head < s->offset ? s->is.n_head : (uint32_t)s->offset;
    memcpy(f->is.head, s->is.head, f->is.n_head);
    f->turn = ++fs->turns;
    if (!s->is.n_head) f->unseen = s->last;
}

/* Files without a place in the snapshot come after those that have one. */
static void order(struct follow *fs, uint64_t before)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn <= before) f->turn = ++fs->turns;
    }
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (!f->path) continue;
        f->waits = follow_has_earlier(fs, f);
        f->changed = true;
    }
}

static int find_again(struct leat_ctx *ctx, struct follow *fs, const struct saved *s,
                      uint64_t before)
{
    struct followed *f = find_here(fs, s, before, false);
    int status = f ? LEAT_OK : find_beside(ctx, fs, s, &f);
    if (!f) f = find_here(fs, s, before, true);
    if (f)
        continue_at(fs, f, s);
    else if (status == LEAT_OK)
        tell_lost(ctx, s);
    return status;
}

/* What find_again has found: the file, or a copy. */
static const struct followed *found_for(const struct follow *fs, const struct saved *s,
                                        uint64_t before)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        const struct followed *f = &fs->file[i];
        if (!f->path || f->turn <= before || f->offset != s->offset) continue;
        if (f->is.inode == s->is.inode) return f;
        if (f->is.n_head && !memcmp(f->is.head, s->is.head, f->is.n_head)) return f;
    }
    return NULL;
}

/* Is none of the files after the i-th of this name? */
static bool is_last(const struct table *t, uint64_t i, const struct saved *s)
{
    const uint8_t *name = t->names + t->at_name; /* of the next */
    for (uint64_t k = i + 1, n; k < t->n; k++, name += n) {
        n = t->v[N_NAME][k];
        if (n == strlen(s->path) && !memcmp(name, s->path, n)) return false;
    }
    return true;
}

/* Which has the name now, and is not in the snapshot. */
static struct followed *new_of(const struct follow *fs, const char *path, uint64_t before)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn <= before && !strcmp(f->path, path)) return f;
    }
    return NULL;
}

/* Once all files of the snapshot are found, others that were never seen stand out: s is the last of
 * its name. Until something is read of what has the name now, more may come. */
static void find_unseen(struct leat_ctx *ctx, struct follow *fs, const struct saved *s,
                        uint64_t before)
{
    struct stat st;
    struct beside_place after = s->last;
    struct followed *now = new_of(fs, s->path, before);
    const struct followed *last = found_for(fs, s, before);
    if (last && !last->left) return;
    if (last && !fstat(last->fd, &st))
        after = (struct beside_place){beside_written(&st), last->is.inode};
    (void)follow_add_between(ctx, fs, s->path, &after, now);
    if (now) now->unseen = after;
}

/* A header may have been read. */
static void begin_all_again(struct follow *fs)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        fs->file[i].offset = fs->file[i].at = fs->file[i].is.n_head = 0;
        fs->file[i].line = 1;
    }
}

int follow_count(struct leat_reader *from, uint64_t *files)
{
    int status = from->u64(from, "files", files);
    if (status != LEAT_OK || *files <= FOLLOW_MAX + 1) return status;
    return from->refuse(from, "files is %llu; it must be at most %d", (unsigned long long)*files,
                        FOLLOW_MAX + 1);
}

int follow_read(struct leat_ctx *ctx, struct follow *fs, struct leat_reader *from)
{
    struct table t;
    struct saved s;
    int status = read_table(from, &t);
    uint64_t before = fs->turns;
    if (status != LEAT_OK) return status;
    begin_all_again(fs);
    for (uint64_t i = 0; status == LEAT_OK && i < t.n; i++) {
        next_saved(&t, i, &s);
        status = find_again(ctx, fs, &s, before);
    }
    if (status != LEAT_OK) return status;
    t.at_head = t.at_name = 0;
    for (uint64_t i = 0; i < t.n; i++) {
        next_saved(&t, i, &s);
        if (is_last(&t, i, &s)) find_unseen(ctx, fs, &s, before);
    }
    order(fs, before);
    return LEAT_OK;
}

/* ---- from a run that did not follow ---- */

static uint64_t count_lines(int fd, uint64_t bytes)
{
    char text[65536];
    uint64_t lines = 0, at = 0;
    for (ssize_t n; at < bytes && (n = pread(fd, text, sizeof text, (off_t)at)) > 0;
         at += (uint64_t)n)
        for (const char *p = text, *end = text + n;
             (p = memchr(p, '\n', (size_t)(end - p))) && ++p <= end;)
            lines++;
    return lines;
}

/* It was read to its end, and what has come since does not count: nobody knows where that was. */
static void pass_over(struct followed *f)
{
    struct stat st;
    if (fstat(f->fd, &st)) return;
    f->offset = f->at = f->size = (uint64_t)st.st_size;
    f->line = 1 + count_lines(f->fd, f->size);
    ssize_t n = pread(f->fd, f->is.head, sizeof f->is.head, 0);
    f->is.n_head = n > 0 ? (uint32_t)n : 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The input-th file, if it has the name that it had. */
static int file_of(struct follow *fs, uint64_t input, struct leat_reader *from,
                   struct followed **found)
{
    const char *name;
    uint64_t n;
    int status = from->text(from, "name", PATH_MAX, &name, &n);
    *found = input < fs->n ? &fs->file[input] : NULL; /* none was removed yet */
    if (status != LEAT_OK) return status;
    const char *is = *found ? last_part((*found)->path) : "none";
    if (*found && strlen(is) == n && !memcmp(is, name, n)) return LEAT_OK;
    return from->refuse(from,
                        "the snapshot was made, with follow = false, at file %llu, %.*s; now that "
                        "file is %s: run it with follow = false once more",
                        (unsigned long long)input + 1, (int)(n < 200 ? n : 200), name, is);
}

int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from)
{
    struct followed *f;
    struct stat st;
    uint64_t before = fs->turns;
    struct saved s = {.offset = to->offset, .line = to->line, .size = to->offset};
    int status = file_of(fs, to->input, from, &f);
    if (status != LEAT_OK) return status;
    begin_all_again(fs);
    for (uint64_t i = 0; i < to->input; i++)
        pass_over(&fs->file[i]);
    memcpy(s.path, f->path, strlen(f->path) + 1);
    memcpy(s.is.head, to->head, s.is.n_head = (uint32_t)to->n_head);
    if (!fstat(f->fd, &st) && (uint64_t)st.st_size >= s.offset && fingerprint_fits(&s.is, f->fd))
        s.is.inode = f->is.inode;
    s.last.written_ns = UINT64_MAX; /* what came after a file that is lost is not known */
    status = find_again(ctx, fs, &s, before);
    if (status == LEAT_OK) find_unseen(ctx, fs, &s, before);
    order(fs, before);
    return status;
}
