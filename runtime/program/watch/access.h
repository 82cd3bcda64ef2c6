/* access.h -- who may ask: everybody on this machine, or who knows the token.
 *
 * On a loopback address without a token, a request must name an IP address or localhost as its
 * host: a page of another site in a browser on this machine, whose name leads here, is refused so.
 * One that names this address is told by its browser, which says so in Sec-Fetch-Site, an old one
 * in Origin; a link there (Sec-Fetch-Mode: navigate) is followed. */
#ifndef LEAT_PROGRAM_WATCH_ACCESS_H
#define LEAT_PROGRAM_WATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

/* host: as the header has it, or NULL. */
bool http_access_host(const char *host);

/* site, mode: as the headers have them, or NULL. */
bool http_access_site(const char *site, const char *mode);
/* origin, host: as the headers have them, or NULL. Is the page that asks of this host? */
bool http_access_origin(const char *origin, const char *host);

/* `given` is what came, or NULL. It takes as long for any text of the same length. */
bool http_access_token(const char *token, const char *given);

/* The token of "Bearer TOKEN", or NULL. */
const char *http_access_bearer(const char *authorization);

#endif
