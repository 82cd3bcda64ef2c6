/* address.h -- where a run is watched: "127.0.0.1:9100", "[::1]:9100", "localhost:0", ":9100". */
#ifndef LEAT_PROGRAM_WATCH_ADDRESS_H
#define LEAT_PROGRAM_WATCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct http_address {
    struct sockaddr_storage at;
    socklen_t n;
    bool loopback; /* only this machine reaches it */
};

enum { HTTP_ADDRESS_TEXT = 64, HTTP_ADDRESS_WHY = 200 };

/* NULL; or what is wrong with the text, which is static. Without a host it is 127.0.0.1. */
const char *http_address_read(const char *text, struct http_address *to);

/* A socket that listens there, and in `shown` its URL with the port that it has; -1: `why` says
 * what is wrong, and what to do. */
int http_address_listen(const struct http_address *a, char shown[HTTP_ADDRESS_TEXT],
                        char why[HTTP_ADDRESS_WHY]);

#endif
