/* http_posts.c -- a test server of HTTP that takes posted bodies, and misbehaves by a plan.
 *
 *   http_posts FOLDER     prints its port on the loopback; the end of its input ends it
 *
 * Each request becomes a line of FOLDER/log: its path, Content-Type and Authorization. The first
 * line of FOLDER/plan decides the answer, and is then removed; without a line the answer is 200. A
 * body answered by 200 is appended to FOLDER/taken, without its first line if that is `lost`.
 *
 *   STATUS [TEXT]     that status, and TEXT as the body of the answer
 *   wait SECONDS      429, Retry-After: SECONDS
 *   close             closes the connection without an answer
 *   half              closes the connection in the middle of the status
 *   slow              no answer for three seconds, then closes
 *   endless           takes the body, answers 200, and never ends that answer
 *   cut               takes the body, answers 200, and closes the connection within that answer
 *   lost              takes the body, and closes the connection without an answer
 *
 * A body with the word `poison` is always answered by 422. */
#include <string.h>

#include "http_listen.h"

enum { BYTES = 1 << 22 };

static const char *folder;

static FILE *open_in_folder(const char *name, const char *how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, how);
}

/* Takes the first line out of the plan. */
static void next_in_plan(char line[256])
{
    static char rest[65536];
    *line = 0;
    FILE *f = open_in_folder("plan", "r");
    if (!f) return;
    if (fgets(line, 256, f)) line[strcspn(line, "\n")] = 0;
    size_t n = fread(rest, 1, sizeof rest, f);
    fclose(f);
    f = open_in_folder("plan", "w");
    if (!f) exit(1);
    fwrite(rest, 1, n, f);
    fclose(f);
}

/* Reads head and body. Returns NULL if the request ends early. */
static char *read_request(int fd, char *request)
{
    size_t n = 0;
    for (;;) {
        char *end = strstr(request, "\r\n\r\n");
        const char *length = end ? strcasestr(request, "content-length:") : NULL;
        if (end && n >= (size_t)(end + 4 - request) + (length ? strtoul(length + 15, NULL, 10) : 0))
            return end + 4;
        ssize_t more = n < BYTES - 1 ? read(fd, request + n, BYTES - 1 - n) : 0;
        if (more <= 0) return NULL;
        n += (size_t)more;
        request[n] = 0;
    }
}

static void put_header(FILE *f, const char *request, const char *name)
{
    const char *at = strcasestr(request, name);
    if (at) fprintf(f, " %.*s", (int)strcspn(at + strlen(name), "\r\n"), at + strlen(name));
}

static void note(const char *request)
{
    FILE *f = open_in_folder("log", "a");
    const char *path = strchr(request, ' ');
    if (!f || !path) exit(1);
    fprintf(f, "%.*s", (int)strcspn(path + 1, " "), path + 1);
    put_header(f, request, "Content-Type: ");
    put_header(f, request, "Authorization: ");
    fprintf(f, "\n");
    fclose(f);
}

static void take(const char *body)
{
    FILE *f = open_in_folder("taken", "a");
    if (!f) exit(1);
    fprintf(f, "%s%s", body, body[strlen(body) - 1] == '\n' ? "" : "\n");
    fclose(f);
}

/* Answers 200 with a body that has no end, or is cut. Returns false: the connection is closed. */
static int answer_partly(int fd, const char *body, int endless)
{
    static char text[BYTES];
    take(body);
    dprintf(fd, "HTTP/1.1 200 As told\r\nContent-Length: 1000000000000\r\n\r\nyes");
    while (endless && write(fd, text, sizeof text) > 0) {
    }
    return 0;
}

/* Returns false if the connection must be closed. */
static int answer(int fd, const char *body, char plan[256])
{
    int status = atoi(plan);
    const char *text = strchr(plan, ' ') ? strchr(plan, ' ') + 1 : "";
    char extra[64] = "";
    if (strstr(body, "poison")) status = 422, text = "poison is refused\nand more";
    if (!strcmp(plan, "close")) return 0;
    if (!strcmp(plan, "half")) return dprintf(fd, "HTTP/1.1 2") < 0;
    if (!strcmp(plan, "slow")) return sleep(3);
    if (!strcmp(plan, "lost")) return take(body), 0;
    if (!strcmp(plan, "cut") || !strcmp(plan, "endless"))
        return answer_partly(fd, body, *plan == 'e');
    if (!strncmp(plan, "wait", 4)) snprintf(extra, sizeof extra, "Retry-After: %s\r\n", text);
    if (*extra) status = 429, text = "";
    if (!status) status = 200;
    if (status == 200) take(body);
    return dprintf(fd, "HTTP/1.1 %d As told\r\n%sContent-Length: %zu\r\n\r\n%s", status, extra,
                   strlen(text), text) > 0;
}

static void serve(int fd)
{
    static char request[BYTES];
    char plan[256] = "";
    for (const char *body; *request = 0, (body = read_request(fd, request));) {
        note(request);
        next_in_plan(plan);
        if (!answer(fd, body, plan)) break;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    folder = argv[1];
    return http_listen(serve);
}
