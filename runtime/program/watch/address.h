/* address.h -- the server's address: "127.0.0.1:9100", "[::1]:9100", "localhost:0", ":9100". */
#ifndef LEAT_PROGRAM_WATCH_ADDRESS_H
#define LEAT_PROGRAM_WATCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct http_address {
    struct sockaddr_storage at;
    socklen_t n;
    bool loopback; /* reachable from this machine only */
};

enum { HTTP_ADDRESS_TEXT = 64, HTTP_ADDRESS_WHY = 200 };

/* Reads an address. If there is no host, it is 127.0.0.1. Returns NULL, or the fault (a static
 * text). */
const char *http_address_read(const char *text, struct http_address *to);

/* Returns a listening socket. Writes its URL with the actual port to `shown`. On failure, returns
 * -1 and writes the reason and a remedy to `why`. */
int http_address_listen(const struct http_address *a, char shown[HTTP_ADDRESS_TEXT],
                        char why[HTTP_ADDRESS_WHY]);

#endif
