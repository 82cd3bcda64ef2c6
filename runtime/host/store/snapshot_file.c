/* snapshot_file.c -- implementation of snapshot_file.h. */
#include "snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <leat/status.h>

#include "fault.h"

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char MAGIC_TEXT[] = "bGVhdFNOQV"; /* "leatSNAP", without its last bits */

static int output = -1; /* standard output, if it is reserved */

bool snapshot_file_reserve_output(void)
{
    if (output >= 0) return true;
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int none = output < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good = none >= 0 && dup2(none, STDOUT_FILENO) >= 0;
    if (none >= 0) close(none);
    return good;
}

static int snapshot_file_fail(char error[SNAPSHOT_MESSAGE], int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int snapshot_file_fail(char error[SNAPSHOT_MESSAGE], int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, SNAPSHOT_MESSAGE, format, args);
    va_end(args);
    return status;
}

/* ---- writing ---- */

/* Encodes n bytes as base64 and a line end. Returns the number of characters. */
static size_t base64_encode(char *to, const unsigned char *from, size_t n)
{
    char *at = to;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t left = n - i < 3 ? (uint32_t)(n - i) : 3;
        uint32_t v = (uint32_t)from[i] << 16;
        if (left > 1) v |= (uint32_t)from[i + 1] << 8;
        if (left > 2) v |= from[i + 2];
        for (uint32_t k = 0; k < 4; k++)
            *at++ = k <= left ? DIGITS[v >> (18 - 6 * k) & 63] : '=';
    }
    *at++ = '\n';
    return (size_t)(at - to);
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

/* Writes a snapshot to a stream, or as text, from memory. Returns 0, or an errno. */
static int write_stream(int fd, struct snapshot_file_form form,
                        const struct snapshot_section *section, uint32_t n)
{
    size_t size = snapshot_bytes(section, n);
    char *bytes = malloc(size),
         *text = bytes && form.base64 ? malloc(4 * (size / 3 + 1) + 1) : NULL;
    int why = bytes && (text || !form.base64) ? 0 : ENOMEM;
    if (!why) {
        snapshot_put(bytes, form.checkpoint, section, n);
        if (form.base64) size = base64_encode(text, (unsigned char *)bytes, size);
        if (!write_all(fd, form.base64 ? text : bytes, size)) why = errno;
    }
    free(bytes);
    free(text);
    return why;
}

static int write_to(int fd, struct snapshot_file_form form, const struct snapshot_section *section,
                    uint32_t n)
{
    if (form.base64) return write_stream(fd, form, section, n);
    return snapshot_write(fd, form.checkpoint, section, n) == LEAT_OK ? 0 : errno ? errno : ENOMEM;
}

/* Syncs the folder of a file. Some file systems cannot, so a failure does not count. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* Gives the finished file `from` its name. Returns 0, or an errno. */
static int take_name(const char *from, const char *path, bool replaces)
{
    if (!replaces) {
        if (!renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE)) return 0;
        if (errno != EINVAL && errno != ENOSYS) return errno;
        if (!access(path, F_OK)) return EEXIST; /* this file system cannot do it in one step */
    }
    return rename(from, path) ? errno : 0;
}

static int write_regular(const char *path, struct snapshot_file_form form,
                         const struct snapshot_section *section, uint32_t n,
                         char error[SNAPSHOT_MESSAGE])
{
    char temporary[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (snprintf(temporary, sizeof temporary, "%.*s.%s.XXXXXX", (int)(name - path), path, name) >=
        (int)sizeof temporary)
        return snapshot_file_fail(error, LEAT_EIO, "%.200s: its name is too long", path);
    int fd = mkostemp(temporary, O_CLOEXEC); /* mode 0600, as SNAPSHOT_MODE */
    if (fd < 0) return snapshot_file_fail(error, LEAT_EIO, "%s: %s", path, strerror(errno));
    fault("snapshot_created");
    int why = write_to(fd, form, section, n);
    fault("snapshot_written");
    if (!why && fsync(fd)) why = errno;
    if (close(fd) && !why) why = errno;
    fault("snapshot_synced");
    if (!why) why = take_name(temporary, path, form.replaces);
    if (!why) {
        sync_folder(path);
        return LEAT_OK;
    }
    unlink(temporary);
    return snapshot_file_fail(error, why == EEXIST ? LEAT_EARG : LEAT_EIO, "%s: %s", path,
                              strerror(why));
}

static int write_open(int fd, const char *path, struct snapshot_file_form form,
                      const struct snapshot_section *section, uint32_t n,
                      char error[SNAPSHOT_MESSAGE])
{
    int why = write_stream(fd, form, section, n);
    return why ? snapshot_file_fail(error, LEAT_EIO, "%s: %s", path, strerror(why)) : LEAT_OK;
}

int snapshot_file_write(const char *path, struct snapshot_file_form form,
                        const struct snapshot_section *section, uint32_t n,
                        char error[SNAPSHOT_MESSAGE])
{
    struct stat st;
    if (!strcmp(path, "-"))
        return write_open(output >= 0 ? output : STDOUT_FILENO, "standard output", form, section, n,
                          error);
    if (stat(path, &st) || S_ISREG(st.st_mode)) return write_regular(path, form, section, n, error);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return snapshot_file_fail(error, LEAT_EIO, "%s: %s", path, strerror(errno));
    int status = write_open(fd, path, form, section, n, error);
    if (close(fd) && status == LEAT_OK)
        status = snapshot_file_fail(error, LEAT_EIO, "%s: %s", path, strerror(errno));
    return status;
}

/* Reads the first bytes of a file. Returns false if it is shorter, or cannot be read. */
static bool read_begin(const char *path, char begin[sizeof MAGIC_TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, begin, sizeof MAGIC_TEXT);
    if (fd >= 0) close(fd);
    return n == sizeof MAGIC_TEXT;
}

bool snapshot_file_is_text(const char *path)
{
    char begin[sizeof MAGIC_TEXT];
    return read_begin(path, begin) && !memcmp(begin, MAGIC_TEXT, sizeof MAGIC_TEXT - 1);
}

bool snapshot_file_is_state(const char *path)
{
    char begin[sizeof MAGIC_TEXT];
    return snapshot_file_is_text(path) ||
           (read_begin(path, begin) && snapshot_begins(begin, sizeof begin));
}

const char *snapshot_file_fault(const char *path, struct arena *a)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
    if (!stat(path, &st)) {
        if (S_ISDIR(st.st_mode)) return "it is a folder";
        if (!S_ISREG(st.st_mode)) return access(path, W_OK) ? strerror(errno) : NULL;
        if (st.st_size && !snapshot_file_is_state(path))
            return "it exists, and is no state: choose another name";
    }
    if (stat(folder, &st))
        return arena_printf(a, "the folder %s: %s: make it first", folder, strerror(errno));
    return access(folder, W_OK | X_OK) ? strerror(errno) : NULL;
}

/* ---- reading ---- */

int snapshot_stream_open(struct snapshot_stream *s, const char *path)
{
    *s = (struct snapshot_stream){.in = strcmp(path, "-") ? fopen(path, "re") : stdin};
    return s->in ? LEAT_OK
                 : snapshot_file_fail(s->error, LEAT_EIO, "cannot be read: %s", strerror(errno));
}

void snapshot_stream_close(struct snapshot_stream *s)
{
    free(s->line);
    if (s->in && s->in != stdin) fclose(s->in);
    *s = (struct snapshot_stream){0};
}

/* Explains why fewer bytes came than the snapshot has. */
static int stream_ends_early(struct snapshot_stream *s, size_t have, size_t n)
{
    if (ferror(s->in))
        return snapshot_file_fail(s->error, LEAT_EIO, "cannot be read: %s", strerror(errno));
    return snapshot_file_fail(s->error, LEAT_EDATA, "is truncated at byte %zu of %zu", have, n);
}

/* Reads a binary snapshot, of which the first `have` bytes are in `header`. */
static int stream_binary(struct snapshot_stream *s, unsigned char header[SNAPSHOT_HEADER],
                         size_t have, void **bytes, size_t *n)
{
    have += fread(header + have, 1, SNAPSHOT_HEADER - have, s->in);
    if (have < SNAPSHOT_HEADER) return stream_ends_early(s, have, SNAPSHOT_HEADER);
    *n = snapshot_length(header);
    if (!*n) return snapshot_file_fail(s->error, LEAT_EDATA, "has a damaged header");
    char *to = aligned_alloc(SNAPSHOT_HEADER, *n);
    if (!to)
        return snapshot_file_fail(s->error, LEAT_ENOMEM,
                                  "cannot be read: there is not enough memory for its %zu bytes",
                                  *n);
    memcpy(to, header, SNAPSHOT_HEADER);
    have += fread(to + SNAPSHOT_HEADER, 1, *n - SNAPSHOT_HEADER, s->in);
    *bytes = to;
    if (have == *n) return LEAT_OK;
    free(to);
    *bytes = NULL;
    return stream_ends_early(s, have, *n);
}

/* Decodes base64 in place. Returns the number of bytes; 0 if it is none. */
static size_t base64_decode(char *text)
{
    size_t len = strlen(text), n = 0;
    unsigned char *to = (unsigned char *)text;
    uint32_t v = 0, bits = 0, ends = 0;
    if (len % 4) return 0;
    for (size_t i = 0; i < len; i++) {
        const char *digit = text[i] == '=' ? NULL : strchr(DIGITS, text[i]);
        ends += !digit && text[i] == '=';
        if (!digit && (text[i] != '=' || i + 2 < len)) return 0;
        if (!digit) continue;
        if (ends) return 0;
        v = v << 6 | (uint32_t)(digit - DIGITS);
        bits += 6;
        if (bits >= 8) to[n++] = (unsigned char)(v >> (bits -= 8));
    }
    return n;
}

static int stream_base64(struct snapshot_stream *s, void **bytes, size_t *n)
{
    *n = base64_decode(s->line);
    if (*n < SNAPSHOT_HEADER || *n < snapshot_length((unsigned char *)s->line))
        return snapshot_file_fail(s->error, LEAT_EDATA,
                                  "has a line of base64 that is cut or damaged: each state is one "
                                  "line, as by base64 -w0");
    *bytes =
        aligned_alloc(SNAPSHOT_HEADER, (*n + SNAPSHOT_HEADER - 1) & ~(size_t)(SNAPSHOT_HEADER - 1));
    if (!*bytes)
        return snapshot_file_fail(s->error, LEAT_ENOMEM,
                                  "cannot be read: there is not enough memory for its %zu bytes",
                                  *n);
    memcpy(*bytes, s->line, *n);
    return LEAT_OK;
}

/* Ends the line of n bytes before its line end. A byte 0 would hide what comes after it. */
static int stream_end_line(struct snapshot_stream *s, size_t n)
{
    while (n && (s->line[n - 1] == '\n' || s->line[n - 1] == '\r'))
        n--;
    s->line[n] = 0;
    if (strlen(s->line) == n) return LEAT_OK;
    return snapshot_file_fail(s->error, LEAT_EDATA,
                              "has neither snapshots nor names of files in lines: it is binary");
}

/* Reads a line that begins with the n bytes of `begin`, the last of which may be its end. */
static int stream_line(struct snapshot_stream *s, const unsigned char *begin, size_t n)
{
    ssize_t more = begin[n - 1] == '\n' ? 0 : getdelim(&s->line, &s->cap, '\n', s->in);
    if (more < 0 && !feof(s->in))
        return snapshot_file_fail(s->error, errno == ENOMEM ? LEAT_ENOMEM : LEAT_EIO,
                                  "cannot be read: %s", strerror(errno));
    size_t rest = more > 0 ? (size_t)more : 0;
    if (s->cap < n + rest + 1) {
        char *line = realloc(s->line, n + rest + 1);
        if (!line)
            return snapshot_file_fail(s->error, LEAT_ENOMEM, "has a line too long for the memory");
        s->line = line;
        s->cap = n + rest + 1;
    }
    memmove(s->line + n, s->line, rest);
    memcpy(s->line, begin, n);
    return stream_end_line(s, n + rest);
}

int snapshot_stream_next(struct snapshot_stream *s, void **bytes, size_t *n, const char **name)
{
    unsigned char begin[SNAPSHOT_HEADER];
    size_t have = 0;
    int c;
    *bytes = NULL;
    while ((c = getc(s->in)) == '\n' || c == '\r')
        ;
    for (; c != EOF; c = getc(s->in)) {
        begin[have++] = (unsigned char)c;
        if (snapshot_begins(begin, have)) return stream_binary(s, begin, have, bytes, n);
        if (c == '\n' || have == SNAPSHOT_MAGIC) break;
    }
    if (!have)
        return ferror(s->in)
                   ? snapshot_file_fail(s->error, LEAT_EIO, "cannot be read: %s", strerror(errno))
                   : LEAT_EOS;
    int status = stream_line(s, begin, have);
    if (status != LEAT_OK) return status;
    if (!strncmp(s->line, MAGIC_TEXT, sizeof MAGIC_TEXT - 1)) return stream_base64(s, bytes, n);
    *name = s->line;
    return LEAT_OK;
}
