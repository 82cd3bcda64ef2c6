/* http_answers.c -- a test server of HTTP that answers from files.
 *
 *   http_answers FOLDER    prints its port on the loopback; the end of its input ends it
 *
 * FOLDER/a_b_7 answers GET /a/b/7, and FOLDER/POST_a_b_7 answers POST /a/b/7: its first line is the
 * status, and after | a header; the rest is the body. /a/b/7?x is answered by a_b_7?x, or else by
 * a_b_7. Without any such file FOLDER/missing answers. Each request becomes a line of FOLDER/log:
 * the path, and the name and password of the login, still encoded. Each body becomes a line of
 * FOLDER/bodies. */
#include <signal.h>
#include <string.h>

#include "http_listen.h"

enum { BYTES = 1 << 16 };

static const char *folder;

static size_t read_answer(const char *name, char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) {
        *strchrnul(path, '?') = 0;
        f = fopen(path, "r");
    }
    if (!f && strcmp(name, "missing") != 0) return read_answer("missing", text);
    size_t n = f ? fread(text, 1, BYTES - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    return n;
}

static void note(const char *path, const char *request)
{
    char log[4096];
    const char *login = strcasestr(request, "authorization: basic ");
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *f = fopen(log, "a");
    if (!f) return;
    fprintf(f, "%s %.*s\n", path, login ? (int)strcspn(login + 21, "\r\n") : 0,
            login ? login + 21 : "");
    fclose(f);
}

static void note_body(const char *body)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bodies", folder);
    FILE *f = fopen(path, "a");
    if (!f) return;
    fprintf(f, "%s\n", body);
    fclose(f);
}

/* Returns the body of a request if all of it is there; "" if it has none; else NULL. */
static const char *body_of(const char *request)
{
    const char *end = strstr(request, "\r\n\r\n");
    const char *length = end ? strcasestr(request, "\r\ncontent-length:") : NULL;
    if (!end || !length || length > end) return end ? "" : NULL;
    return strlen(end + 4) >= (size_t)atoi(length + 17) ? end + 4 : NULL;
}

/* Reads the request. Returns its body, NULL if it does not end. */
static const char *read_request(int fd, char *request)
{
    const char *body = NULL;
    for (size_t n = 0; !body && n < BYTES - 1;) {
        ssize_t more = read(fd, request + n, BYTES - 1 - n);
        if (more <= 0) return NULL;
        n += (size_t)more;
        request[n] = 0;
        body = body_of(request);
    }
    return body;
}

static void answer(int fd)
{
    static char request[BYTES], text[BYTES];
    char method[8], path[1000], name[1010];
    const char *sent = read_request(fd, request);
    if (!sent || sscanf(request, "%7s /%999s", method, path) != 2) return;
    note(path, request);
    if (*sent) note_body(sent);
    snprintf(name, sizeof name, "%s%s", strcmp(method, "GET") ? "POST_" : "", path);
    for (char *p = name; *p; p++)
        if (*p == '/') *p = '_';
    size_t n = read_answer(name, text), status = strcspn(text, "\n");
    const char *body = text + status + (text[status] == '\n');
    int bar = (int)strcspn(text, "|\n"), header = (int)status - bar;
    dprintf(fd, "HTTP/1.1 %.*s\r\n%.*s%s", bar, text, header ? header - 1 : 0, text + bar + 1,
            header ? "\r\n" : "");
    dprintf(fd, "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", n - (size_t)(body - text),
            body);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a client may be gone */
    if (argc != 2) return 2;
    folder = argv[1];
    return http_listen(answer);
}
