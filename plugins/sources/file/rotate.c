/* rotate.c -- implementation of rotate.h. */
#include "rotate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/inputs/decoder.h"

enum { SCANS = 10 }; /* most times to read a folder whose files are being renamed */

uint64_t rotate_written(const struct stat *st)
{
    return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

bool rotate_path(const char *path, const char *name, char to[ROTATE_PATH])
{
    int n = snprintf(to, ROTATE_PATH, "%.*s%s", (int)folder_len(path), path, name);
    return n >= 0 && n < ROTATE_PATH;
}

static DIR *open_folder(const char *path)
{
    char folder[ROTATE_PATH];
    return rotate_path(path, "", folder) ? opendir(*folder ? folder : ".") : NULL;
}

/* Finds the next regular file in a folder. */
static bool next_file(DIR *folder, const char *path, char full[ROTATE_PATH], const char **name,
                      struct stat *st)
{
    for (struct dirent *e; (e = readdir(folder));) {
        *name = e->d_name;
        if (rotate_path(path, e->d_name, full) && !stat(full, st) && S_ISREG(st->st_mode))
            return true;
    }
    return false;
}

struct rotate_place rotate_place_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st)) return (struct rotate_place){0};
    return (struct rotate_place){rotate_written(&st), (uint64_t)st.st_ino, fingerprint_born(fd)};
}

static int open_if_it_fits(const char *path, const struct fingerprint *is)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fingerprint_is_file(is, fd) && fingerprint_fits(is, fd)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* True if `name` is the log's name `of`, such as access.log, with numbers or times appended by a
 * rotation, and perhaps the suffix of a compressed file. */
static bool is_rotated_name(const char *name, const char *of)
{
    static const char *const ends[] = {"", "gz", "bz2", "xz", "zst", "lz4"};
    size_t n = strlen(of);
    if (strncmp(name, of, n) != 0 || !name[n]) return false;
    const char *end = name + n + strspn(name + n, "0123456789.-_:TZ");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(end, ends[i])) return true;
    return false;
}

static int find_inode(const char *path, const struct fingerprint *is, uint64_t size,
                      char found[ROTATE_PATH])
{
    bool by_name = !is->born && fingerprint_repeats(is);
    DIR *folder = open_folder(path);
    struct stat st;
    const char *name;
    int fd = -1;
    while (folder && fd < 0 && next_file(folder, path, found, &name, &st))
        if ((uint64_t)st.st_ino == is->inode && (uint64_t)st.st_size >= size &&
            (!by_name || is_rotated_name(name, path + folder_len(path))))
            fd = open_if_it_fits(found, is);
    if (folder) closedir(folder);
    return fd;
}

int rotate_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[ROTATE_PATH])
{
    int fd = -1;
    for (int i = 0; fd < 0 && i < SCANS; i++)
        fd = find_inode(path, is, size, found);
    return fd;
}

const char *rotate_coding(int fd, const char *path)
{
    const struct coding *c = decoder_of_file(fd, path);
    return c ? decoder_name(c) : NULL;
}

/* ---- the order of rotation ---- */

/* Returns the next number at or after *at, without leading zeros, and moves *at past it. *n, its
 * length, is 0 if the number is 0 or there is none. */
static const char *next_number(const char **at, size_t *n)
{
    const char *first = *at + strcspn(*at, "0123456789");
    first += strspn(first, "0");
    *n = strspn(first, "0123456789");
    *at = first + *n;
    return first;
}

/* Compares names number by number: log.9 is less than log.10. */
static int compare_numbers(const char *x, const char *y)
{
    while (*x || *y) {
        size_t n, m;
        if (!*x || !*y) return *x ? 1 : -1;
        const char *a = next_number(&x, &n), *b = next_number(&y, &m);
        int order = n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
        if (order) return order;
    }
    return 0;
}

/* True if a date was appended to the name. A year, or a time since 1970, has at least four digits;
 * a count has fewer. */
static bool is_dated(const char *appended)
{
    enum { YEAR = 4 };
    const char *first = appended + strcspn(appended, "0123456789");
    return strspn(first, "0123456789") >= YEAR;
}

/* Compares by age. If the times are equal, as after a copy of a whole folder, compares the names.
 * log-20261120 is older than log-20261121, and log.2026-11-20.1 is older than log.2026-11-20.2; but
 * log.10 is older than log.9. Names with dates come before names with counts. */
static int by_age(const void *a, const void *b)
{
    const struct rotated_file *x = a, *y = b;
    if (x->written_ns != y->written_ns) return x->written_ns < y->written_ns ? -1 : 1;
    const char *p = x->name + x->n_log, *q = y->name + y->n_log;
    bool dated = is_dated(p);
    if (dated != is_dated(q)) return dated ? -1 : 1;
    int order = dated ? compare_numbers(p, q) : compare_numbers(q, p);
    return order ? order : strcmp(x->name, y->name);
}

/* ---- a list of files ---- */

static struct rotated_file *by_inode(struct rotate_list *list, uint64_t inode)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].inode == inode) return &list->v[i];
    return NULL;
}

/* Returns a free entry. If there is none, returns the entry of the newest file, whose file is
 * dropped, provided that `new` is older; else NULL. */
static struct rotated_file *place_for(struct rotate_list *list, const struct rotated_file *new)
{
    struct rotated_file *newest = list->v;
    if (list->n < ROTATE_MAX) return &list->v[list->n++];
    list->more = true;
    for (uint32_t i = 1; i < list->n; i++)
        if (by_age(&list->v[i], newest) > 0) newest = &list->v[i];
    if (by_age(newest, new) < 0) return NULL;
    close(newest->fd);
    return newest;
}

static void note_coded(struct rotate_list *list, const char *name, uint64_t written_ns)
{
    if (*list->coded && list->coded_ns <= written_ns) return;
    list->coded_ns = written_ns;
    memcpy(list->coded, name, strlen(name) + 1);
}

/* Fills *one from an open file. Returns false if the file is too old, or compressed, which the list
 * notes. */
static bool describe_rotated(struct rotate_list *list, struct rotated_file *one, int fd,
                             const char *name, size_t n_log, uint64_t since_ns)
{
    struct stat st;
    if (fstat(fd, &st) || rotate_written(&st) < since_ns) return false;
    if (rotate_coding(fd, name)) {
        if (rotate_written(&st) > since_ns) note_coded(list, name, rotate_written(&st));
        return false;
    }
    *one = (struct rotated_file){.fd = fd,
                                 .n_log = (uint32_t)n_log,
                                 .inode = (uint64_t)st.st_ino,
                                 .born = fingerprint_born(fd),
                                 .written_ns = rotate_written(&st)};
    memcpy(one->name, name, strlen(name) + 1);
    return true;
}

/* Adds a file to the list and keeps it open, so a renaming does no harm. Returns true if the file
 * or its name is new. */
static bool add_rotated(struct rotate_list *list, const char *name, size_t n_log, const char *full,
                        uint64_t since_ns)
{
    struct rotated_file new, *known, *place = NULL;
    int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT; /* renamed meanwhile: read the folder again */
    bool fits = describe_rotated(list, &new, fd, name, n_log, since_ns), renamed = false;
    if (fits && (known = by_inode(list, new.inode))) {
        renamed = strcmp(known->name, name) != 0;
        memcpy(known->name, name, strlen(name) + 1);
    } else if (fits && (place = place_for(list, &new))) {
        *place = new;
    }
    if (!place) close(fd);
    return place || renamed;
}

/* Adds the rotated files of a folder. Returns true if it found a new file or a new name. */
static bool rotate_add_folder(const char *path, uint64_t since_ns, struct rotate_list *list)
{
    bool changed = false;
    DIR *folder = open_folder(path);
    char full[ROTATE_PATH];
    const char *name, *log = path + folder_len(path);
    struct stat st;
    while (folder && next_file(folder, path, full, &name, &st))
        if (strlen(name) < sizeof list->v->name && is_rotated_name(name, log))
            changed |= add_rotated(list, name, strlen(log), full, since_ns);
    if (folder) closedir(folder);
    return changed;
}

void rotate_close(struct rotate_list *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        close(list->v[i].fd);
    list->n = 0;
}

static void drop_first(struct rotate_list *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        close(list->v[i].fd);
    list->n -= n;
    memmove(list->v, list->v + n, list->n * sizeof *list->v);
}

/* Lists the rotated files. Reads the folder at least twice, until it does not change. While files
 * are being renamed, the folder may hide a file, or show two under one name. */
void rotate_since(const char *path, struct rotate_place after, struct rotate_list *list)
{
    uint32_t seen = 0;
    list->n = 0;
    list->more = false;
    *list->coded = 0;
    for (int i = 0, changed = 1; i < SCANS && (changed || i < 2); i++)
        changed = rotate_add_folder(path, after.written_ns, list);
    qsort(list->v, list->n, sizeof *list->v, by_age);
    const struct rotated_file *last = by_inode(list, after.inode);
    if (last && after.born && last->born != after.born) last = NULL; /* the inode was reused */
    if (last) seen = (uint32_t)(last - list->v) + 1;
    while (!last && seen < list->n && list->v[seen].written_ns == after.written_ns)
        seen++;
    drop_first(list, seen);
}

bool rotate_is_copy(const struct rotated_file *one, int now)
{
    char a[4096], b[4096];
    off_t at = 0;
    uint64_t born = one->born ? fingerprint_born(now) : 0;
    if (pread(now, b, 1, 0) != 1 || one->born < born) return false;
    for (ssize_t n; (n = pread(one->fd, a, sizeof a, at)) > 0; at += n)
        if (pread(now, b, (size_t)n, at) != n || memcmp(a, b, (size_t)n) != 0) return false;
    return true;
}
