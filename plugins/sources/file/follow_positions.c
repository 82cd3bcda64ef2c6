/* follow_positions.c -- writes followed files to a snapshot, and finds them again (follow.h).
 *
 * The snapshot has a row for each file, in the order of reading: arrays of numbers, and the texts
 * (first bytes, names) one after the other. A restart looks for each file in three places: first,
 * by inode, among the files that the names have now; then, by inode, next to its name, and for a
 * copy there; last for a copy that has a followed name. Each must have the text of the row, its
 * first bytes and those before the place reached (fingerprint.h). */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/time/clock.h"
#include "follow.h"
#include "common/state/state_fields.h"

enum { COLUMNS = 12 };
static const char *const column_names[COLUMNS] = {
    "inodes",    "births",           "offsets",    "lines",     "sizes",      "writings",
    "preceding", "preceding_births", "head_bytes", "tail_ends", "tail_bytes", "name_bytes"};
enum {
    COLUMN_INODE,
    COLUMN_BORN,
    COLUMN_OFFSET,
    COLUMN_LINE,
    COLUMN_SIZE,
    COLUMN_WRITTEN,
    COLUMN_PRECEDING,
    COLUMN_PRECEDING_BORN,
    COLUMN_HEAD,
    COLUMN_TAIL_AT,
    COLUMN_TAIL,
    COLUMN_NAME
};

/* ---- writing ---- */

/* Returns the file that is read after turn `after`; NULL if there is none. */
static struct followed *next_turn(const struct follow *fs, uint64_t after)
{
    struct followed *next = NULL;
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn > after && (!next || f->turn < next->turn)) next = f;
    }
    return next;
}

/* Returns the place after which rotated files may be unread. */
static struct rotate_place follow_positions_place(const struct followed *f)
{
    if (f->unseen.written_ns) return f->unseen;
    if (!f->offset && f->since.written_ns) return f->since;
    return f->offset ? (struct rotate_place){f->read_ns, f->is.inode, f->is.born}
                     : rotate_place_of(f->fd);
}

static uint64_t follow_positions_column_of(const struct followed *f, int which)
{
    struct stat st = {0};
    uint64_t place = f->too_long.state == LONG_NONE ? f->offset : f->too_long.offset;
    switch (which) {
    case COLUMN_INODE:
        return f->is.inode;
    case COLUMN_BORN:
        return f->is.born;
    case COLUMN_OFFSET:
        return place;
    case COLUMN_LINE:
        return f->too_long.state == LONG_NONE ? f->line : f->too_long.line;
    case COLUMN_SIZE: /* even if f->size is not up to date */
        return f->size || fstat(f->fd, &st) ? f->size : (uint64_t)st.st_size;
    case COLUMN_WRITTEN:
        return follow_positions_place(f).written_ns;
    case COLUMN_PRECEDING:
        return follow_positions_place(f).inode;
    case COLUMN_PRECEDING_BORN:
        return follow_positions_place(f).born;
    case COLUMN_HEAD:
        return f->is.n_head ? f->is.n_head : f->n_ahead;
    case COLUMN_TAIL_AT:
        return f->is.tail_at;
    case COLUMN_TAIL:
        return f->is.n_tail;
    default:
        return strlen(f->path);
    }
}

static uint64_t write_numbers(const struct follow *fs, struct leat_writer *w, int which)
{
    uint64_t *v = w->reserve(w, column_names[which], LEAT_U64, fs->n), sum = 0, k = 0;
    for (const struct followed *f = next_turn(fs, 0); v && f; f = next_turn(fs, f->turn))
        sum += v[k++] = follow_positions_column_of(f, which);
    return sum;
}

/* Sets n_ahead of unread files, whose first and last bytes the snapshot stores. The inode alone
 * does not identify a file, because a later file or text may get the same inode. */
static void look_ahead(struct follow *fs)
{
    struct fingerprint is;
    struct stat st;
    for (struct followed *f = next_turn(fs, 0); f; f = next_turn(fs, f->turn)) {
        ssize_t n = f->is.n_head ? 0 : pread(f->fd, is.head, sizeof is.head, 0);
        f->n_ahead = n > 0 ? (uint32_t)n : 0;
        if (n > 0 && !fstat(f->fd, &st)) fingerprint_read_tail(&f->is, f->fd, (uint64_t)st.st_size);
    }
}

/* Writes the first bytes of a file. Bytes that were truncated meanwhile become zeros, which match
 * no text. */
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

/* Writes one text of each file: its first bytes, those before its place, or its name. */
static int write_texts(const struct follow *fs, struct leat_writer *w, const char *name,
                       uint64_t bytes, int lengths)
{
    uint8_t *to = w->reserve(w, name, LEAT_U8, bytes);
    if (!to) return LEAT_ENOMEM;
    for (const struct followed *f = next_turn(fs, 0); f; f = next_turn(fs, f->turn)) {
        if (lengths == COLUMN_HEAD)
            write_head(f, to);
        else if (lengths == COLUMN_TAIL)
            memcpy(to, f->is.tail, f->is.n_tail);
        else
            memcpy(to, f->path, strlen(f->path));
        to += follow_positions_column_of(f, lengths);
    }
    return LEAT_OK;
}

int follow_write(struct follow *fs, struct leat_writer *w)
{
    uint64_t sum[COLUMNS];
    look_ahead(fs);
    int status = w->u64(w, "files", fs->n);
    for (int i = 0; i < COLUMNS; i++)
        sum[i] = write_numbers(fs, w, i);
    if (status == LEAT_OK) status = write_texts(fs, w, "heads", sum[COLUMN_HEAD], COLUMN_HEAD);
    if (status == LEAT_OK) status = write_texts(fs, w, "tails", sum[COLUMN_TAIL], COLUMN_TAIL);
    if (status == LEAT_OK) status = write_texts(fs, w, "names", sum[COLUMN_NAME], COLUMN_NAME);
    return status;
}

/* ---- reading ---- */

/* Row of a file in the snapshot. */
struct saved_file {
    struct fingerprint is;
    uint64_t row; /* number of the row, from 1 */
    uint64_t offset, line, size;
    struct rotate_place last; /* unread rotated files may come after this place */
    bool last_of_name;
    char path[ROTATE_PATH];
};

struct saved_table {
    const uint64_t *v[COLUMNS];
    const uint8_t *heads, *tails, *names;
    uint64_t n_heads, n_tails, n_names;
    uint64_t n, at_head, at_tail, at_name;
};

/* Refuses the n lengths in `v` if one exceeds `max`, or if their sum is not `bytes`. */
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
    return from->refuse(from, "%s add up to %llu and must add up to %llu", what,
                        (unsigned long long)sum, (unsigned long long)bytes);
}

static int check_table(struct leat_reader *from, const struct saved_table *t)
{
    int status = check_sum(from, column_names[COLUMN_HEAD], t->v[COLUMN_HEAD], t->n,
                           FINGERPRINT_BYTES, t->n_heads);
    if (status == LEAT_OK)
        status = check_sum(from, column_names[COLUMN_TAIL], t->v[COLUMN_TAIL], t->n,
                           FINGERPRINT_BYTES, t->n_tails);
    if (status == LEAT_OK)
        status = check_sum(from, column_names[COLUMN_NAME], t->v[COLUMN_NAME], t->n,
                           ROTATE_PATH - 1, t->n_names);
    for (uint64_t i = 0; status == LEAT_OK && i < t->n; i++)
        if (t->v[COLUMN_TAIL_AT][i] > INT64_MAX || t->v[COLUMN_TAIL][i] > t->v[COLUMN_TAIL_AT][i])
            return from->refuse(from, "file %llu of the snapshot has an impossible tail",
                                (unsigned long long)i + 1);
    for (uint64_t i = 0; status == LEAT_OK && i < t->n; i++)
        if (t->v[COLUMN_OFFSET][i] > INT64_MAX || !t->v[COLUMN_LINE][i] || !t->v[COLUMN_NAME][i])
            return from->refuse(
                from, "file %llu of the snapshot has an impossible offset or line, or no name",
                (unsigned long long)i + 1);
    return status;
}

static int read_table(struct leat_reader *from, struct saved_table *t)
{
    const void *at = NULL;
    *t = (struct saved_table){0};
    int status = from->u64(from, "files", &t->n);
    for (int i = 0; status == LEAT_OK && i < COLUMNS; i++) {
        status = from->array(from, column_names[i], LEAT_U64, t->n, &at);
        t->v[i] = at;
    }
    if (status == LEAT_OK)
        status = from->array_up_to(from, "heads", LEAT_U8, UINT64_MAX, &at, &t->n_heads);
    t->heads = at;
    if (status == LEAT_OK)
        status = from->array_up_to(from, "tails", LEAT_U8, UINT64_MAX, &at, &t->n_tails);
    t->tails = at;
    if (status == LEAT_OK)
        status = from->array_up_to(from, "names", LEAT_U8, UINT64_MAX, &at, &t->n_names);
    t->names = at;
    return status == LEAT_OK ? check_table(from, t) : status;
}

static void next_saved(struct saved_table *t, uint64_t i, struct saved_file *s)
{
    *s = (struct saved_file){.is = {.inode = t->v[COLUMN_INODE][i],
                                    .born = t->v[COLUMN_BORN][i],
                                    .tail_at = t->v[COLUMN_TAIL_AT][i],
                                    .n_head = (uint32_t)t->v[COLUMN_HEAD][i],
                                    .n_tail = (uint32_t)t->v[COLUMN_TAIL][i]},
                             .row = i + 1,
                             .offset = t->v[COLUMN_OFFSET][i],
                             .line = t->v[COLUMN_LINE][i],
                             .size = t->v[COLUMN_SIZE][i],
                             .last = {t->v[COLUMN_WRITTEN][i], t->v[COLUMN_PRECEDING][i],
                                      t->v[COLUMN_PRECEDING_BORN][i]}};
    if (s->is.n_head) memcpy(s->is.head, t->heads + t->at_head, s->is.n_head);
    if (s->is.n_tail) memcpy(s->is.tail, t->tails + t->at_tail, s->is.n_tail);
    memcpy(s->path, t->names + t->at_name, t->v[COLUMN_NAME][i]);
    t->at_head += t->v[COLUMN_HEAD][i];
    t->at_tail += t->v[COLUMN_TAIL][i];
    t->at_name += t->v[COLUMN_NAME][i];
}

/* ---- finding again ---- */

/* True if the file, which may be the one of the row by its inode and name, has its text. If `copy`,
 * the inode does not count, and the text must be long, and not repeat itself. */
static bool is_row(const struct followed *f, const struct saved_file *s, bool copy)
{
    struct stat st;
    bool repeats = fingerprint_repeats(&s->is);
    uint64_t least = s->offset ? s->offset : s->size; /* the saved file has not shrunk */
    if (copy && (repeats || s->is.n_head < FINGERPRINT_BYTES)) return false;
    if (!copy && !fingerprint_is_file(&s->is, f->fd)) return false;
    if (!copy && repeats && !s->is.born && strcmp(f->path, s->path) != 0) return false;
    return !fstat(f->fd, &st) && (uint64_t)st.st_size >= least && fingerprint_fits(&s->is, f->fd);
}

/* Finds the file of the row among the files that the names have now, unless another row has already
 * got that file. */
static struct followed *find_here(struct follow *fs, const struct saved_file *s, uint64_t before,
                                  bool copy)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn <= before && is_row(f, s, copy)) return f;
    }
    return NULL;
}

/* True if the text up to the place repeats itself. A short text counts together with what follows
 * it in the file, because a single line may be the first of many. */
static bool has_repeating_text(const struct followed *f, const struct saved_file *s)
{
    struct fingerprint is = {0};
    struct stat st;
    if (fingerprint_repeats(&s->is)) return true;
    if (s->offset >= FINGERPRINT_BYTES || fstat(f->fd, &st)) return false;
    uint64_t size = (uint64_t)st.st_size;
    fingerprint_read_tail(&is, f->fd, size < FINGERPRINT_BYTES ? size : FINGERPRINT_BYTES);
    return fingerprint_repeats(&is);
}

/* Warns if the file may be another one with the same text up to the place reached. */
static void warn_of_doubt(struct leat_ctx *ctx, const struct followed *f,
                          const struct saved_file *s, bool copy)
{
    struct stat st;
    bool grown = fstat(f->fd, &st) || (uint64_t)st.st_size > s->size;
    if (copy)
        ctx->host->log(ctx, LEAT_WARN,
                       "%s is another file than %s at the snapshot (its inode), and has the same "
                       "text before byte %llu: it is taken for a copy, and reading continues there",
                       f->path, s->path, (unsigned long long)s->offset);
    else if (grown && has_repeating_text(f, s))
        ctx->host->log(ctx, LEAT_WARN,
                       "%s has one text again and again before byte %llu, so whether it was "
                       "written again since the snapshot cannot be told: reading continues there",
                       f->path, (unsigned long long)s->offset);
}

/* True if find_unseen_between() finds the file of the row in its place among other rotated files.
 * Nothing was read of it, and others may have been rotated before it. */
static bool is_between(const struct saved_file *s, int fd)
{
    return s->last_of_name && !s->offset && rotate_place_of(fd).written_ns > s->last.written_ns;
}

/* Finds the file of the row next to its former name, or the copy with its text if the file, *f or
 * one next to the name, was copied and truncated since. *f does not change if none is there, or if
 * is_between() is true. */
static int find_beside(struct leat_ctx *ctx, struct follow *fs, const struct saved_file *s,
                       struct followed **f, bool *between)
{
    char found[ROTATE_PATH], copied[ROTATE_PATH];
    const uint64_t since = s->last.written_ns;
    int fd = *f ? -1 : scan_find(fs, s->path, &s->is, s->offset, since, found);
    int now = *f ? (*f)->fd : fd;
    int copy = scan_find_truncated(fs, s->path, &s->is, s->offset, since, now, copied);
    if (copy >= 0) {
        if (fd >= 0) close(fd);
        fd = copy;
        memcpy(found, copied, sizeof found);
    }
    if (fd < 0) return LEAT_OK;
    if ((*between = is_between(s, fd))) {
        close(fd);
        return LEAT_OK;
    }
    int status = scan_add(ctx, fs, s->path, fd, true, f);
    if (status == LEAT_AGAIN)
        return ctx->host->fail(ctx, LEAT_EARG,
                               "the snapshot has more files than max_files = %u: raise max_files",
                               (unsigned)fs->cap - 1);
    if (status != LEAT_OK) return status;
    ctx->host->log(ctx, LEAT_INFO,
                   "%s was rotated since the snapshot: reading continues in %s at byte %llu",
                   s->path, found, (unsigned long long)s->offset);
    return LEAT_OK;
}

static void tell_lost(struct leat_ctx *ctx, const struct saved_file *s)
{
    unsigned long long at = s->offset, known = s->size > s->offset ? s->size - s->offset : 0;
    char lost[120];
    if (known)
        snprintf(lost, sizeof lost,
                 "its text after byte %llu is lost, at least %llu bytes; how many came later is "
                 "unknown",
                 at, known);
    else
        snprintf(lost, sizeof lost,
                 "it had been read to its end, at byte %llu; text that came later, if any, is lost",
                 at);
    ctx->host->log(ctx, LEAT_WARN,
                   "the file that was %s at the snapshot was not found by its inode and text (it "
                   "was removed, compressed, or written again): %s",
                   s->path, lost);
}

static void continue_at(struct follow *fs, struct followed *f, const struct saved_file *s)
{
    f->offset = f->at = s->offset;
    f->line = s->line;
    fingerprint_take_text(&f->is, &s->is, s->offset);
    f->row = s->row;
    f->turn = ++fs->turns;
    f->read_ns = s->last.written_ns;
    if (!s->offset) f->unseen = s->last;
}

/* Puts files that are not in the snapshot after the files of the snapshot. */
static void order_files(struct follow *fs, uint64_t before)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn <= before) f->turn = ++fs->turns;
    }
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (!f->path) continue;
        f->waits = scan_has_earlier(fs, f);
        f->changed = true;
    }
}

static int find_again(struct leat_ctx *ctx, struct follow *fs, const struct saved_file *s,
                      uint64_t before)
{
    bool between = false;
    struct followed *f = find_here(fs, s, before, false);
    int status = find_beside(ctx, fs, s, &f, &between);
    if (between) return status;
    bool copy = !f && (f = find_here(fs, s, before, true));
    if (f) {
        warn_of_doubt(ctx, f, s, copy);
        continue_at(fs, f, s);
    } else if (status == LEAT_OK) {
        tell_lost(ctx, s);
    }
    return status;
}

/* Returns the file or copy that find_again found for the row; NULL if it found none. */
static const struct followed *found_for(const struct follow *fs, const struct saved_file *s)
{
    for (uint32_t i = 0; i < fs->cap; i++)
        if (fs->file[i].path && fs->file[i].row == s->row) return &fs->file[i];
    return NULL;
}

/* True if no row after row i has the same name. */
static bool is_last_of_name(const struct saved_table *t, uint64_t i, const struct saved_file *s)
{
    const uint8_t *name = t->names + t->at_name; /* name of the next row */
    for (uint64_t k = i + 1, n; k < t->n; k++, name += n) {
        n = t->v[COLUMN_NAME][k];
        if (n == strlen(s->path) && !memcmp(name, s->path, n)) return false;
    }
    return true;
}

/* Returns the file that has the name `path` now, if no row has got it; NULL otherwise. */
static struct followed *new_of(const struct follow *fs, const char *path, uint64_t before)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        struct followed *f = &fs->file[i];
        if (f->path && f->turn <= before && !strcmp(f->path, path)) return f;
    }
    return NULL;
}

/* Adds rotated files that come after s, the last row of its name. Further files may be added until
 * the first text of the file with that name is read. */
static void find_unseen_between(struct leat_ctx *ctx, struct follow *fs, const struct saved_file *s,
                                uint64_t before)
{
    struct rotate_place after = s->last;
    struct followed *now = new_of(fs, s->path, before);
    const struct followed *last = found_for(fs, s);
    if (last && !last->rotated) return;
    if (last) after = rotate_place_of(last->fd);
    if (!last && after.inode == s->is.inode) after.inode = 0; /* it is unread itself */
    (void)scan_add_between(ctx, fs, s->path, &after, now);
    if (now) now->unseen = after;
}

/* Makes reading begin at the start of each file again, because some text may have been read to find
 * the header. */
static void begin_all_again(struct follow *fs)
{
    for (uint32_t i = 0; i < fs->cap; i++) {
        fs->file[i].offset = fs->file[i].at = 0;
        fs->file[i].line = 1;
        fingerprint_reset(&fs->file[i].is);
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
    struct saved_table t;
    struct saved_file s;
    int status = read_table(from, &t);
    uint64_t before = fs->turns;
    if (status != LEAT_OK) return status;
    begin_all_again(fs);
    for (uint64_t i = 0; status == LEAT_OK && i < t.n; i++) {
        next_saved(&t, i, &s);
        s.last_of_name = is_last_of_name(&t, i, &s);
        status = find_again(ctx, fs, &s, before);
    }
    if (status != LEAT_OK) return status;
    t.at_head = t.at_tail = t.at_name = 0;
    for (uint64_t i = 0; i < t.n; i++) {
        next_saved(&t, i, &s);
        if (is_last_of_name(&t, i, &s)) find_unseen_between(ctx, fs, &s, before);
    }
    order_files(fs, before);
    return LEAT_OK;
}

/* ---- continuing a run that did not follow ---- */

static uint64_t follow_positions_count_lines(int fd, uint64_t bytes)
{
    char text[16384];
    uint64_t lines = 0, at = 0;
    for (ssize_t n; at < bytes && (n = pread(fd, text, sizeof text, (off_t)at)) > 0;
         at += (uint64_t)n)
        for (const char *p = text, *end = text + n;
             (p = memchr(p, '\n', (size_t)(end - p))) && ++p <= end;)
            lines++;
    return lines;
}

/* Skips a file that the earlier run has read to its end. The length of the file at that time is
 * unknown, so text that was added since is skipped as well. */
static void pass_over(struct followed *f)
{
    struct stat st;
    if (fstat(f->fd, &st)) return;
    f->offset = f->at = f->size = (uint64_t)st.st_size;
    f->line = 1 + follow_positions_count_lines(f->fd, f->size);
    ssize_t n = pread(f->fd, f->is.head, sizeof f->is.head, 0);
    f->is.n_head = n > 0 ? (uint32_t)n : 0;
    fingerprint_read_tail(&f->is, f->fd, f->size);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Finds the file with index `input`. Refuses the snapshot if the file has another name now. */
static int file_of(struct follow *fs, uint64_t input, struct leat_reader *from,
                   struct followed **found)
{
    const char *name;
    uint64_t n;
    int status = from->text(from, "name", PATH_MAX, &name, &n);
    *found = input < fs->n ? &fs->file[input] : NULL; /* no file was removed yet */
    if (status != LEAT_OK) return status;
    const char *is = *found ? last_part((*found)->path) : "none";
    if (*found && strlen(is) == n && !memcmp(is, name, n)) return LEAT_OK;
    return from->refuse(from,
                        "the snapshot was made with follow = false while file %llu was %.*s, and "
                        "now that file is %s: run once more with follow = false",
                        (unsigned long long)input + 1, (int)(n < 200 ? n : 200), name, is);
}

int follow_seek(struct leat_ctx *ctx, struct follow *fs, const struct follow_place *to,
                struct leat_reader *from)
{
    struct followed *f;
    struct stat st;
    uint64_t before = fs->turns;
    struct saved_file s = {.offset = to->offset, .line = to->line, .size = to->offset, .row = 1};
    int status = file_of(fs, to->input, from, &f);
    if (status != LEAT_OK) return status;
    begin_all_again(fs);
    for (uint64_t i = 0; i < to->input; i++)
        pass_over(&fs->file[i]);
    memcpy(s.path, f->path, strlen(f->path) + 1);
    s.is = *to->is;
    if (!fstat(f->fd, &st) && (uint64_t)st.st_size >= s.offset && fingerprint_fits(&s.is, f->fd))
        s.is.inode = f->is.inode, s.is.born = f->is.born;
    s.last.written_ns = UINT64_MAX - 1; /* if the file is lost: add no rotated files */
    status = find_again(ctx, fs, &s, before);
    if (status == LEAT_OK) find_unseen_between(ctx, fs, &s, before);
    order_files(fs, before);
    return status;
}
