/* command_model.c -- from `leat model WHAT …` to the function that does it. */
#include "command_model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "host/log/log.h"
#include "host/store/snapshot_dir.h"

static const struct {
    const char *name, *usage;
    size_t min_operands, max_operands; /* operands */
    int (*run)(const struct command_line *, struct registry *);
} actions[] = {
    {"info", "info DIR|FILE [--json]", 1, 1, model_info},
    {"top", "top DIR|FILE [--stage ID] [--k N] [--format table|jsonl|csv]", 1, 1, model_top},
    {"dump", "dump DIR|FILE [--stage ID]", 1, 1, model_dump},
    {"load", "load TEXT DIR|FILE", 2, 2, model_load},
    {"verify", "verify DIR|FILE", 1, 1, model_verify},
    {"merge", "merge OUT IN1 IN2 … [--weight W]… [--set STAGE.LIMIT=N]…", 2, SIZE_MAX, model_merge},
    {"diff", "diff A B [--k N] [--json]", 2, 2, model_diff},
};
enum { N_ACTIONS = sizeof actions / sizeof *actions };

static int unknown(const char *name)
{
    const char *names[N_ACTIONS];
    for (size_t i = 0; i < N_ACTIONS; i++)
        names[i] = actions[i].name;
    const char *near = name ? diag_suggest(name, names, N_ACTIONS) : NULL;
    if (name)
        plain_text_line(stderr, "leat: unknown command 'model %s'%s%s%s", name,
                        near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    fprintf(stderr, "usage: leat model info|top|dump|load|verify|merge|diff …\n");
    return EXIT_CONFIG;
}

int command_model(const struct command_line *c)
{
    size_t i = 0;
    while (c->script && i < N_ACTIONS && strcmp(c->script, actions[i].name))
        i++;
    if (!c->script || i == N_ACTIONS) return unknown(c->script);
    if (c->n_operands < actions[i].min_operands || c->n_operands > actions[i].max_operands) {
        plain_text_line(stderr, "usage: leat model %s", actions[i].usage);
        return EXIT_CONFIG;
    }
    if (c->log_level >= 0) log_set_level(c->log_level);
    struct registry known;
    command_load_plugins(&known, c);
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr);
    int status = actions[i].run(c, &known);
    registry_print_notices(&known, c->log_level >= LEAT_INFO, stderr); /* of those it needed */
    registry_free(&known);
    return status == LEAT_OK ? EXIT_DONE : status == LEAT_EARG ? EXIT_CONFIG : EXIT_DATA;
}

/* ---- writing ---- */

static bool is_directory(const char *path)
{
    struct stat st;
    size_t n = strlen(path);
    return (n && path[n - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static int write_directory(const char *to, uint64_t checkpoint,
                           const struct snapshot_section *section, uint32_t n)
{
    uint64_t there[SNAPSHOT_DIR_CHECKPOINTS];
    struct snapshot_dir d;
    int status = snapshot_dir_open(&d, to);
    int listed = status == LEAT_OK ? snapshot_dir_list(to, there) : 0;
    if (listed < 0) {
        status = LEAT_EIO;
        snprintf(d.error, sizeof d.error, "%s cannot be read: %s", to, strerror(errno));
    } else if (listed) {
        status = LEAT_EARG;
        snprintf(d.error, sizeof d.error, "%s: the folder holds snapshots already; choose another",
                 to);
    }
    if (status == LEAT_OK) status = snapshot_dir_write(&d, checkpoint, section, n);
    if (status != LEAT_OK) log_message(LEAT_ERROR, "%s", d.error);
    snapshot_dir_close(&d);
    return status;
}

static int cannot_write(const char *to, int status, int why)
{
    log_message(LEAT_ERROR, "%s: %s", to, strerror(why));
    return status;
}

static int write_one(const char *to, uint64_t checkpoint, const struct snapshot_section *section,
                     uint32_t n)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, SNAPSHOT_MODE);
    if (fd < 0) return cannot_write(to, errno == EEXIST ? LEAT_EARG : LEAT_EIO, errno);
    int bad = snapshot_write(fd, checkpoint, section, n) != LEAT_OK || fsync(fd);
    int why = errno;
    if (close(fd) && !bad) bad = 1, why = errno;
    if (!bad) return LEAT_OK;
    unlink(to);
    return cannot_write(to, LEAT_EIO, why);
}

int model_write(const char *to, uint64_t checkpoint, const struct snapshot_section *section,
                uint32_t n)
{
    return is_directory(to) ? write_directory(to, checkpoint, section, n)
                            : write_one(to, checkpoint, section, n);
}
