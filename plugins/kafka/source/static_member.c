/* static_member.c -- implementation of static_member.h. */
#include "static_member.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/mix64.h"
#include "kafka/states/states.h"

enum { SLOTS = 1024, HOST = 60, TEXT = 80, FENCED_MOST = 3 };

const char *static_member_given(const struct consumer_cfg *cfg)
{
    const char *name = cfg->instance;
    return *name && strcmp(name, "auto") && strcmp(name, "none") ? name : NULL;
}

/* ---- where the process runs ---- */

static bool read_boot_id(char out[TEXT])
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, out, TEXT - 1);
    if (file >= 0) close(file);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

static bool read_network(char out[TEXT])
{
    ssize_t n = readlink("/proc/self/ns/net", out, TEXT - 1);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* Writes the host's name, with the characters that the name of a member may have. */
static void write_host(char out[HOST])
{
    if (gethostname(out, HOST)) out[0] = 0;
    out[HOST - 1] = 0;
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '-';
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix64(hash ^ states_hash(text, strlen(text)));
}

/* Writes the name without its slot. Returns false if the system does not tell where this is. */
static bool write_place(const struct consumer_cfg *cfg, const char *pipeline, char *out, size_t cap)
{
    char boot[TEXT], network[TEXT], host[HOST];
    if (!read_boot_id(boot) || !read_network(network)) return false;
    uint64_t hash = mix_text(mix_text(0, boot), network);
    hash = mix_text(mix_text(mix_text(hash, cfg->brokers), cfg->group), pipeline);
    write_host(host);
    snprintf(out, cap, "leat-%s-%016llx", host, (unsigned long long)hash);
    return true;
}

/* ---- the slot ---- */

/* Binds the socket to the name. Returns 0, or the error's number. */
static int hold_name(const struct static_member *m)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX}; /* sun_path[0] is 0: an abstract address */
    size_t n = strlen(m->made);
    memcpy(at.sun_path + 1, m->made, n);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    return bind(m->socket, (const struct sockaddr *)&at, size) ? errno : 0;
}

/* Makes the name of the first free slot. */
static void make_name(struct static_member *m, const struct consumer_cfg *cfg, const char *pipeline)
{
    char place[STATIC_MEMBER_NAME - 6];
    int err = EADDRINUSE;
    if (!write_place(cfg, pipeline, place, sizeof place)) return;
    m->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int slot = 0; m->socket >= 0 && err == EADDRINUSE && slot < SLOTS; slot++) {
        snprintf(m->made, sizeof m->made, "%s-%d", place, slot);
        err = hold_name(m);
    }
    m->name = err ? NULL : m->made;
}

void static_member_open(struct static_member *m, const struct consumer_cfg *cfg,
                        const char *pipeline)
{
    *m = (struct static_member){.socket = -1, .name = static_member_given(cfg)};
    if (cfg->group && pipeline && !strcmp(cfg->instance, "auto")) make_name(m, cfg, pipeline);
}

void static_member_fenced(struct static_member *m)
{
    if (++m->fenced == FENCED_MOST) m->name = NULL;
}

void static_member_close(struct static_member *m)
{
    if (m->socket >= 0) close(m->socket);
    m->socket = -1;
}

bool static_member_leaves(const struct static_member *m) { return m->name == m->made; }
