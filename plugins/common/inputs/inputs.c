/* inputs.c -- implementation of inputs.h.
 *
 * An existing path is used unchanged, even if it has a '*'. Otherwise '*', '?' and '[' make it a
 * pattern for glob(3), whose matches are sorted. The checks open regular files and close them
 * again, because access rights are more than mode bits. Pipes are not opened, because their writer
 * would notice. */
#include "inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoder.h"

/* Names in the order of enum recode_from. */
const char *const inputs_encodings[] = {"utf-8",    "latin-1", "windows-1252", "utf-16", "utf-16le",
                                        "utf-16be", NULL};

/* List of paths. The strings are in one block after the array. */
struct input_list {
    struct input *v;
    char *text;
    uint32_t n, cap;
    size_t bytes, cap_bytes;
};

/* Appends a path; if l->v is NULL, only adds its size. The list is measured first and filled later:
 * a file that appears in between does not fit and is left out. */
static void append_path(struct input_list *l, const char *path)
{
    size_t size = strlen(path) + 1;
    if (l->v) {
        if (l->n == l->cap || size > l->cap_bytes - l->bytes) return;
        char *copy = memcpy(l->text + l->bytes, path, size);
        bool standard_input = !strcmp(path, "-");
        l->v[l->n] = (struct input){.path = copy,
                                    .name = standard_input ? "standard input" : copy,
                                    .standard_input = standard_input};
    }
    l->n++;
    l->bytes += size;
}

static int append_pattern(struct leat_ctx *ctx, struct input_list *l, const char *pattern)
{
    glob_t found = {0};
    int status = LEAT_OK, failed = glob(pattern, 0, NULL, &found);
    if (failed == GLOB_NOMATCH)
        status = ctx->host->fail(ctx, LEAT_EIO, "no file matches %s: check the pattern", pattern);
    else if (failed)
        status = ctx->host->fail(ctx, LEAT_EIO, "cannot look for %s: %s", pattern,
                                 failed == GLOB_NOSPACE ? "out of memory" : strerror(errno));
    for (size_t i = 0; status == LEAT_OK && i < found.gl_pathc; i++)
        append_path(l, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

static bool inputs_is_pattern(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && strpbrk(path, "*?[") && stat(path, &st);
}

static int append_all(struct leat_ctx *ctx, struct input_list *l, const struct leat_strings *paths)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        const char *path = paths->v[i];
        int status = LEAT_OK;
        if (inputs_is_pattern(path))
            status = append_pattern(ctx, l, path);
        else
            append_path(l, path);
        if (status != LEAT_OK) return status;
    }
    return LEAT_OK;
}

uint64_t inputs_decoder_bytes(const struct leat_strings *paths, const char *format, int64_t window)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < paths->n; i++) {
        glob_t found = {0};
        bool many = inputs_is_pattern(paths->v[i]) && !glob(paths->v[i], 0, NULL, &found);
        for (size_t k = 0; k < (many ? found.gl_pathc : 1); k++) {
            const char *path = many ? found.gl_pathv[k] : paths->v[i];
            uint64_t bytes = decoder_plan_bytes(path, format, (uint64_t)window);
            most = bytes > most ? bytes : most;
        }
        if (many) globfree(&found);
    }
    return most;
}

static int inputs_check_input(struct leat_ctx *ctx, struct inputs *all, struct input *in,
                              uint64_t window, bool *sized)
{
    struct stat st;
    in->window = decoder_plan_window(-1, window);
    int failed = in->standard_input ? fstat(STDIN_FILENO, &st) : stat(in->path, &st);
    if (failed)
        return ctx->host->fail(ctx, LEAT_EIO, "cannot read %s: %s", in->name, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return ctx->host->fail(ctx, LEAT_EIO, "cannot read %s: it is a directory", in->name);
    if ((in->standard_input || !S_ISREG(st.st_mode)) && !all->pipe) all->pipe = in->name;
    if (!S_ISREG(st.st_mode)) {
        *sized = false;
        return LEAT_OK;
    }
    all->bytes += (uint64_t)st.st_size;
    if (in->standard_input) return LEAT_OK;
    int fd = open(in->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ctx->host->fail(ctx, LEAT_EIO, "cannot read %s: %s", in->name, strerror(errno));
    in->window = decoder_plan_window(fd, window);
    close(fd);
    return LEAT_OK;
}

static int check_all(struct leat_ctx *ctx, struct inputs *in, uint64_t window)
{
    bool sized = true;
    for (uint32_t i = 0; i < in->n; i++) {
        in->v[i].before = in->bytes;
        int status = inputs_check_input(ctx, in, &in->v[i], window, &sized);
        if (status == LEAT_OK) status = ctx->host->name_input(ctx, i, in->v[i].name);
        if (status != LEAT_OK) return status;
    }
    if (!sized) in->bytes = 0;
    return LEAT_OK;
}

bool inputs_validate(const struct leat_strings *paths, struct leat_diag *d)
{
    uint32_t standard_inputs = 0;
    if (!paths->n) d->error(d, "path", "is empty: name a file");
    for (uint32_t i = 0; i < paths->n; i++) {
        standard_inputs += !strcmp(paths->v[i], "-");
        if (!paths->v[i][0]) d->error(d, "path", "name %u is empty: leave it out", (unsigned)i + 1);
    }
    if (standard_inputs > 1)
        d->error(d, "path", "standard input ('-') is listed %u times and can be read only once",
                 (unsigned)standard_inputs);
    return standard_inputs > 0;
}

int inputs_init(struct leat_ctx *ctx, struct inputs *in, const struct leat_strings *paths,
                int64_t window)
{
    struct input_list size = {0};
    int status = append_all(ctx, &size, paths);
    if (status != LEAT_OK) return status;
    if (!size.n) return ctx->host->fail(ctx, LEAT_EARG, "`path` is empty: name a file");
    size_t array = size.n * sizeof *in->v;
    in->v = ctx->host->alloc(ctx, array + size.bytes);
    if (!in->v) return LEAT_ENOMEM;
    struct input_list l = {
        .v = in->v, .text = (char *)in->v + array, .cap = size.n, .cap_bytes = size.bytes};
    status = append_all(ctx, &l, paths);
    if (status != LEAT_OK) return status;
    in->n = l.n;
    return check_all(ctx, in, (uint64_t)window);
}

int inputs_seekable(struct leat_ctx *ctx, const struct inputs *in)
{
    if (!in->pipe) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_EARG,
                           "%s cannot be read again from the middle, which --state needs: give a "
                           "file, or leave out --state",
                           in->pipe);
}

/* Returns the input's file name without its folder. A later run may find the files in another
 * folder. */
static const char *input_name(const struct inputs *in, uint64_t input)
{
    const char *name = input < in->n ? in->v[input].name : "", *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

int inputs_write(const struct inputs *in, uint32_t input, struct leat_writer *w)
{
    const char *name = input_name(in, input);
    return w->text(w, "name", name, strlen(name));
}

int inputs_same(const struct inputs *in, uint64_t n, uint64_t input, struct leat_reader *from)
{
    const char *was;
    uint64_t len;
    if (n > in->n)
        return from->refuse(from, "the snapshot was made with %llu files; now there are %u",
                            (unsigned long long)n, (unsigned)in->n);
    int status = from->text(from, "name", PATH_MAX, &was, &len);
    if (status != LEAT_OK) return status;
    const char *is = input_name(in, input);
    if (strlen(is) == len && !memcmp(is, was, len)) return LEAT_OK;
    return from->refuse(
        from,
        "file %llu was %.*s when the snapshot was made, and now it is %s: files may move, but do "
        "not rename or remove them, and give new files names that sort last",
        (unsigned long long)input + 1, (int)(len < 200 ? len : 200), was, *is ? is : "none");
}

void inputs_fini(struct leat_ctx *ctx, struct inputs *in)
{
    ctx->host->free(ctx, in->v);
    *in = (struct inputs){0};
}
