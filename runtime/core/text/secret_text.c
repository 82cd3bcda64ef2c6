/* secret_text.c -- recognises secret properties and expands ${env:…} and ${file:…}. */
#include "secret_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_BYTES = 1 << 20, NAME_BYTES = 4096 };

/* Parts of names of secret properties. librdkafka has such a list, but does not export it; these
 * are its entries, including those of later versions. */
bool secret_is_name(const char *name)
{
    static const char *const parts[] = {
        "password", "secret", "key.pem", "sasl.oauthbearer.config", "assertion.private.key", NULL};
    for (const char *const *p = parts; *p; p++)
        if (strstr(name, *p)) return true;
    return false;
}

/* Returns the next "${env:" or "${file:" in the text, or NULL. */
static const char *find_reference(const char *text)
{
    for (; (text = strstr(text, "${")); text += 2)
        if (!strncmp(text, "${env:", 6) || !strncmp(text, "${file:", 7)) return text;
    return NULL;
}

bool secret_is_reference(const char *value) { return find_reference(value) != NULL; }

static bool put_file(FILE *out, const char *path, char *why, size_t cap)
{
    FILE *f = fopen(path, "r");
    char *text = f ? malloc(FILE_BYTES) : NULL;
    size_t n = text ? fread(text, 1, FILE_BYTES, f) : 0;
    bool good = text && !ferror(f) && n < FILE_BYTES && !memchr(text, 0, n);
    if (!good)
        snprintf(why, cap, "${file:%s} cannot be read: %s", path,
                 !f || (text && ferror(f)) ? strerror(errno) : "it is too long, or is not text");
    if (n && text[n - 1] == '\n') n--;
    if (n && text[n - 1] == '\r') n--;
    if (good) fwrite(text, 1, n, out);
    free(text);
    if (f) fclose(f);
    return good;
}

static bool put_variable(FILE *out, const char *name, char *why, size_t cap)
{
    const char *value = getenv(name);
    if (!value)
        snprintf(why, cap, "${env:%s}: the environment has no variable with this name", name);
    else
        fputs(value, out);
    return value != NULL;
}

/* Writes the value of the reference at *at, and moves *at past it. */
static bool put_reference(FILE *out, const char **at, char *why, size_t cap)
{
    char name[NAME_BYTES];
    bool is_file = (*at)[2] == 'f';
    const char *from = *at + (is_file ? 7 : 6), *end = strchr(from, '}');
    if (!end || end == from || (size_t)(end - from) >= sizeof name) {
        snprintf(why, cap, "a ${%s:…} has no name or no closing }", is_file ? "file" : "env");
        return false;
    }
    memcpy(name, from, (size_t)(end - from));
    name[end - from] = 0;
    *at = end + 1;
    return is_file ? put_file(out, name, why, cap) : put_variable(out, name, why, cap);
}

char *secret_expand(const char *value, char *why, size_t cap)
{
    char *text = NULL;
    size_t n;
    bool good = true;
    FILE *out = open_memstream(&text, &n);
    if (!out) {
        snprintf(why, cap, "there is not enough memory");
        return NULL;
    }
    for (const char *at = find_reference(value); good && at; at = find_reference(value)) {
        fwrite(value, 1, (size_t)(at - value), out);
        value = at;
        good = put_reference(out, &value, why, cap);
    }
    fputs(value, out);
    fclose(out);
    if (good) return text;
    free(text);
    return NULL;
}

bool secret_is(const char *secret, const char *given)
{
    size_t n = strlen(secret), m = given ? strlen(given) : 0;
    volatile unsigned char differs = n != m;
    for (size_t i = 0; i < m; i++)
        differs |= (unsigned char)(secret[i % n] ^ given[i]);
    return m && !differs;
}

const char *secret_bearer(const char *authorization)
{
    return authorization && !strncasecmp(authorization, "Bearer ", 7) ? authorization + 7 : NULL;
}
