/* log_writer.c -- writes a log and rotates it; or watches a log.
 *
 *   log_writer write PATH FIRST LINES EACH_SECOND ROTATE_EVERY rename|copy
 *       writes lines "NUMBER NANOSECONDS xxx…", from FIRST on, some in two writes. After every
 *       ROTATE_EVERY lines (0: never) PATH becomes PATH.1, PATH.1 PATH.2 and so on, by names, or by
 *       a copy and truncation. EACH_SECOND 0: at full speed.
 *   log_writer watch PATH LINES
 *       reads PATH as it grows, and prints the delay from each line's time until it was visible:
 *       median, 99th and 100th percentile, in milliseconds. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 50, NAME = 4096 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void put(int fd, const char *text, size_t n)
{
    if (write(fd, text, n) != (ssize_t)n) die("write");
}

/* ---- write ---- */

static void shift_names(const char *path)
{
    char from[NAME], to[NAME];
    for (int k = KEPT; k > 0; k--) {
        snprintf(from, sizeof from, "%s.%d", path, k);
        snprintf(to, sizeof to, "%s.%d", path, k + 1);
        rename(from, to);
    }
}

static void copy_to(const char *path, const char *to)
{
    char block[65536];
    ssize_t n;
    int in = open(path, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0) die(to);
    while ((n = read(in, block, sizeof block)) > 0)
        put(out, block, (size_t)n);
    close(in);
    close(out);
}

static int open_log(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) die(path);
    return fd;
}

/* Rotates. Returns the log to write to. */
static int rotate(const char *path, int fd, bool by_copy)
{
    char first[NAME];
    snprintf(first, sizeof first, "%s.1", path);
    shift_names(path);
    if (by_copy) {
        copy_to(path, first);
        if (ftruncate(fd, 0)) die(path);
        return fd;
    }
    if (rename(path, first)) die(path);
    put(fd, "-1 0 a writer that has the old file open\n", 41);
    close(fd);
    return open_log(path);
}

static int write_log(char **arg)
{
    const char *path = arg[0];
    uint64_t first = strtoull(arg[1], NULL, 10), lines = strtoull(arg[2], NULL, 10),
             rate = strtoull(arg[3], NULL, 10), every = strtoull(arg[4], NULL, 10);
    bool by_copy = !strcmp(arg[5], "copy");
    int fd = open_log(path);
    uint64_t begin = now_ns();
    char line[256];
    for (uint64_t i = 0; i < lines; i++) {
        if (rate) sleep_until(begin + i * 1000000000u / rate);
        int n =
            snprintf(line, sizeof line, "%llu %llu %.*s\n", (unsigned long long)(first + i),
                     (unsigned long long)now_ns(), (int)(i % 90),
                     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                     "xxxxxxxxxxxxxxxxxxxxxx");
        int half = i % 7 == 3 ? n / 2 : 0;
        if (half) put(fd, line, (size_t)half);
        put(fd, line + half, (size_t)(n - half));
        if (every && (i + 1) % every == 0) fd = rotate(path, fd, by_copy);
    }
    return close(fd);
}

/* ---- watch ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int watch_log(char **arg)
{
    size_t lines = strtoull(arg[1], NULL, 10), n = 0, have = 0;
    double *ms = calloc(lines, sizeof *ms);
    char text[65536];
    int fd = -1;
    while (ms && n < lines) {
        if (fd < 0) fd = open(arg[0], O_RDONLY);
        ssize_t got = fd < 0 ? 0 : read(fd, text + have, sizeof text - have);
        double now = (double)now_ns();
        have += got > 0 ? (size_t)got : 0;
        char *at = text;
        for (char *end; n < lines && (end = memchr(at, '\n', have - (size_t)(at - text)));
             at = end + 1) {
            unsigned long long number, ns;
            if (sscanf(at, "%llu %llu", &number, &ns) == 2 && ns)
                ms[n++] = (now - (double)ns) / 1e6;
        }
        have -= (size_t)(at - text);
        memmove(text, at, have);
        if (got <= 0) usleep(500);
    }
    qsort(ms, n, sizeof *ms, by_size);
    printf("%.1f %.1f %.1f\n", ms[n / 2], ms[n - 1 - n / 100], ms[n - 1]);
    free(ms);
    return 0;
}

int main(int n, char **arg)
{
    if (n == 8 && !strcmp(arg[1], "write")) return write_log(arg + 2);
    if (n == 4 && !strcmp(arg[1], "watch")) return watch_log(arg + 2);
    fprintf(stderr, "log_writer write PATH FIRST LINES EACH_SECOND ROTATE_EVERY rename|copy\n"
                    "log_writer watch PATH LINES\n");
    return 2;
}
