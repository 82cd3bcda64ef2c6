/* zone_file.c -- implementation of zone_file.h. */
#include "zone_file.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "kernels/text/edit_distance.h"
#include "kernels/text/time_zone.h"

#define DATABASE "/usr/share/zoneinfo"
enum { FILE_BYTES = 1 << 14, NAME_BYTES = 64, PATH_BYTES = 320, DEPTH = 3 };

/* ---- a name that does not exist ---- */

/* Search for the zone with the most similar name; `name` is the best so far. */
struct search {
    const char *wanted;
    char name[NAME_BYTES];
    size_t distance;
};

/* Returns the distance of `wanted` to the name or to its last part: "Berlin" should find
 * Europe/Berlin. */
static size_t distance_of(const char *wanted, const char *name)
{
    const char *last = strrchr(name, '/');
    size_t whole = edit_distance(wanted, name, strlen(name));
    if (!last || strchr(wanted, '/')) return whole;
    size_t part = edit_distance(wanted, last + 1, strlen(last + 1));
    return part < whole ? part : whole;
}

/* Stores the name if it is more similar than s->name. The name must be shorter than NAME_BYTES. */
static void consider(struct search *s, const char *name)
{
    size_t n = strlen(name);
    assert(n < sizeof s->name);
    size_t d = distance_of(s->wanted, name);
    bool is_nearer = d < s->distance || (d == s->distance && strcmp(name, s->name) < 0);
    if (!edit_is_near(s->wanted, d) || !is_nearer) return;
    s->distance = d;
    memcpy(s->name, name, n + 1);
}

/* Considers the zones of a folder and its subfolders. Zone names begin with a capital letter. This
 * leaves out the folders posix and right, which repeat all zones. */
static void zone_file_look_into(struct search *s, const char *folder, int depth)
{
    char path[PATH_BYTES], name[PATH_BYTES];
    struct stat st;
    snprintf(path, sizeof path, DATABASE "/%s", folder);
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        if (!isupper((unsigned char)e->d_name[0])) continue;
        int n = snprintf(name, sizeof name, "%s%s%s", folder, *folder ? "/" : "", e->d_name);
        if (n >= NAME_BYTES) continue;
        snprintf(path, sizeof path, DATABASE "/%.*s", NAME_BYTES, name);
        if (stat(path, &st)) continue;
        if (!S_ISDIR(st.st_mode))
            consider(s, name);
        else if (depth < DEPTH)
            zone_file_look_into(s, name, depth + 1);
    }
    closedir(d);
}

static void say_unknown(const char *name, char *why)
{
    struct search s = {.wanted = name, .distance = SIZE_MAX};
    struct stat st;
    zone_file_look_into(&s, "", 0);
    if (s.name[0])
        snprintf(why, ZONE_WHY, "there is no time zone '%.40s': did you mean '%s'?", name, s.name);
    else if (stat(DATABASE, &st))
        snprintf(why, ZONE_WHY,
                 "time zone '%.40s' cannot be looked up: this machine has no " DATABASE
                 " (package tzdata): install it, or give UTC or an offset such as +02:00",
                 name);
    else
        snprintf(
            why, ZONE_WHY,
            "there is no time zone '%.40s': give UTC, an offset such as +02:00, or a name such "
            "as Europe/Berlin",
            name);
}

/* ---- a name that may exist ---- */

/* True if the name is letters, digits and _ + - with single slashes between, so that no path leaves
 * the database. */
static bool zone_file_is_name(const char *name)
{
    size_t n = strlen(name);
    if (!n || n >= NAME_BYTES || *name == '/' || name[n - 1] == '/' || strstr(name, "//"))
        return false;
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") == n;
}

static bool read_zone(struct time_zone *z, const char *name, char *why)
{
    char path[PATH_BYTES], bytes[FILE_BYTES];
    struct stat st;
    snprintf(path, sizeof path, DATABASE "/%s", name);
    FILE *f = zone_file_is_name(name) && !stat(path, &st) && S_ISREG(st.st_mode)
                  ? fopen(path, "rbe")
                  : NULL;
    if (!f) {
        say_unknown(name, why);
        return false;
    }
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    const char *wrong = time_zone_read(z, bytes, n);
    if (wrong)
        snprintf(why, ZONE_WHY, DATABASE "/%.64s cannot be used as a time zone: %s", name, wrong);
    return !wrong;
}

bool zone_file_find(struct time_zone *z, const char *name, char *why)
{
    const char *p = name, *end = name + strlen(name);
    int32_t offset;
    bool signed_ = *name == '+' || *name == '-',
         is_utc = !strcmp(name, "UTC") || !strcmp(name, "Z");
    if (!signed_ && !is_utc) return read_zone(z, name, why);
    const char *wrong = time_take_offset(&p, end, &offset);
    if (!wrong && p == end) {
        time_zone_fixed(z, offset);
        return true;
    }
    snprintf(why, ZONE_WHY,
             "'%.40s' is not an offset: write one such as +02:00, between -23:59 and +23:59", name);
    return false;
}
