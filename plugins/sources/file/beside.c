/* beside.c -- see beside.h. Nothing here changes a file; what cannot be read is not there. */
#include "beside.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/decoder.h"

enum { SCANS = 10 };

void fingerprint_add(struct fingerprint *is, uint64_t at, const void *text, size_t n)
{
    if (at != is->n_head) return;
    size_t free = FINGERPRINT_HEAD - at;
    n = n < free ? n : free;
    memcpy(is->head + at, text, n);
    is->n_head += (uint32_t)n;
}

bool fingerprint_fits(const struct fingerprint *is, int fd)
{
    uint8_t head[FINGERPRINT_HEAD];
    ssize_t n = pread(fd, head, is->n_head, 0);
    return n == (ssize_t)is->n_head && !memcmp(head, is->head, is->n_head);
}

uint64_t beside_written(const struct stat *st)
{
    return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

bool beside_path(const char *path, const char *name, char to[BESIDE_PATH])
{
    int n = snprintf(to, BESIDE_PATH, "%.*s%s", (int)folder_len(path), path, name);
    return n >= 0 && n < BESIDE_PATH;
}

static DIR *open_folder(const char *path)
{
    char folder[BESIDE_PATH];
    return beside_path(path, "", folder) ? opendir(*folder ? folder : ".") : NULL;
}

/* The next regular file of a folder. */
static bool next_file(DIR *folder, const char *path, char full[BESIDE_PATH], const char **name,
                      struct stat *st)
{
    for (struct dirent *e; (e = readdir(folder));) {
        *name = e->d_name;
        if (beside_path(path, e->d_name, full) && !stat(full, st) && S_ISREG(st->st_mode))
            return true;
    }
    return false;
}

static int open_if_it_fits(const char *path, const struct fingerprint *is)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fingerprint_fits(is, fd)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* "access.log" and what rotation appends: numbers and times. */
static bool is_rotated_name(const char *name, const char *of)
{
    size_t n = strlen(of);
    return !strncmp(name, of, n) && name[n] && !name[n + strspn(name + n, "0123456789.-_:TZ")];
}

/* by_inode: the file itself, whatever its name; else a copy, which is named as one: any file, such
 * as the output of this run, may begin as a log does. */
static int find(const char *path, const struct fingerprint *is, uint64_t size, bool by_inode,
                char found[BESIDE_PATH])
{
    DIR *folder = open_folder(path);
    struct stat st;
    const char *name;
    int fd = -1;
    while (folder && fd < 0 && next_file(folder, path, found, &name, &st)) {
        bool same = (uint64_t)st.st_ino == is->inode;
        if (same == by_inode && (uint64_t)st.st_size >= size &&
            (same || is_rotated_name(name, path + folder_len(path))))
            fd = open_if_it_fits(found, is);
    }
    if (folder) closedir(folder);
    return fd;
}

int beside_find(const char *path, const struct fingerprint *is, uint64_t size,
                char found[BESIDE_PATH])
{
    int fd = find(path, is, size, true, found);
    return fd < 0 && is->n_head ? find(path, is, size, false, found) : fd;
}

const char *beside_coding(int fd)
{
    unsigned char first[DECODER_MAGIC];
    bool maybe;
    ssize_t n = pread(fd, first, sizeof first, 0);
    const struct coding *c = n > 0 ? decoder_coding(first, (size_t)n, &maybe) : NULL;
    return c ? decoder_name(c) : NULL;
}

static int by_age(const void *a, const void *b)
{
    const struct beside *x = a, *y = b;
    if (x->written_ns != y->written_ns) return x->written_ns < y->written_ns ? -1 : 1;
    return strcmp(y->name, x->name); /* log.2 is older than log.1 */
}

static bool has(const struct beside_list *list, uint64_t inode)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].inode == inode) return true;
    return false;
}

/* Keeps it open, so that it stays what it is when it is renamed. */
static void add_one(struct beside_list *list, const char *name, const char *full, uint64_t since_ns)
{
    struct stat st;
    int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &st) || beside_written(&st) < since_ns || has(list, (uint64_t)st.st_ino) ||
        beside_coding(fd)) {
        close(fd);
        return;
    }
    struct beside *one = &list->v[list->n++];
    *one =
        (struct beside){.fd = fd, .inode = (uint64_t)st.st_ino, .written_ns = beside_written(&st)};
    memcpy(one->name, name, strlen(name) + 1);
}

static void add_rotated(const char *path, uint64_t since_ns, struct beside_list *list)
{
    DIR *folder = open_folder(path);
    char full[BESIDE_PATH];
    const char *name;
    struct stat st;
    while (folder && list->n < BESIDE_MAX && next_file(folder, path, full, &name, &st))
        if (strlen(name) < sizeof list->v->name && is_rotated_name(name, path + folder_len(path)))
            add_one(list, name, full, since_ns);
    if (folder) closedir(folder);
}

/* A folder whose files are renamed while it is read may hide one: it is read until nothing new is
 * in it, at least twice. */
void beside_rotated(const char *path, uint64_t since_ns, struct beside_list *list)
{
    uint32_t before = UINT32_MAX;
    list->n = 0;
    for (int i = 0; i < SCANS && list->n != before; i++) {
        before = i ? list->n : UINT32_MAX;
        add_rotated(path, since_ns, list);
    }
    qsort(list->v, list->n, sizeof *list->v, by_age);
}
