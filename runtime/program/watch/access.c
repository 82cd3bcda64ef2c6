/* access.c -- see access.h. */
#include "access.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { HOST = 64 };

static bool is_address(int family, const char *host, size_t n)
{
    char text[HOST];
    unsigned char address[sizeof(struct in6_addr)];
    if (n >= sizeof text) return false;
    memcpy(text, host, n);
    text[n] = 0;
    return inet_pton(family, text, address) == 1;
}

bool http_access_host(const char *host)
{
    if (!host) return true; /* older than the header: no browser */
    if (*host == '[') {
        const char *end = strchr(host, ']');
        return end && is_address(AF_INET6, host + 1, (size_t)(end - host - 1));
    }
    size_t n = strcspn(host, ":");
    return (n == 9 && !strncasecmp(host, "localhost", n)) || is_address(AF_INET, host, n);
}

bool http_access_site(const char *site, const char *mode)
{
    bool other = site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
    return !other || (mode && !strcmp(mode, "navigate"));
}

bool http_access_origin(const char *origin, const char *host)
{
    const char *of = origin ? strstr(origin, "://") : NULL;
    return !origin || (of && host && !strcasecmp(of + 3, host));
}

bool http_access_token(const char *token, const char *given)
{
    size_t n = strlen(token), m = given ? strlen(given) : 0;
    volatile unsigned char differs = n != m;
    for (size_t i = 0; i < m; i++)
        differs |= (unsigned char)(token[i % n] ^ given[i]);
    return m && !differs;
}

const char *http_access_bearer(const char *authorization)
{
    return authorization && !strncasecmp(authorization, "Bearer ", 7) ? authorization + 7 : NULL;
}
