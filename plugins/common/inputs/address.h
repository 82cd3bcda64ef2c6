/* address.h -- addresses to listen on, and names of senders.
 *
 * Addresses have the forms "tcp://127.0.0.1:5140", "udp://[::]:5140" and
 * "unix:///run/leat.sock". */
#ifndef LEAT_COMMON_INPUTS_ADDRESS_H
#define LEAT_COMMON_INPUTS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr_storage;

enum { ADDRESS_WHY = 512, ADDRESS_TEXT = 256 };

struct address {
    enum address_kind { ADDRESS_TCP, ADDRESS_UDP, ADDRESS_UNIX } kind;
    char host[ADDRESS_TEXT]; /* TCP, UDP; empty for all addresses of the machine */
    char port[6];            /* "0" lets the system choose a port */
    char path[108];          /* Unix; size as in sockaddr_un */
};

/* Parses an address, without looking up host names. Returns false with the reason in `why` if the
 * text is wrong. */
bool address_read(const char *text, struct address *a, char why[ADDRESS_WHY]);

/* Returns a bound, non-blocking socket, which listens unless it is UDP. Replaces a Unix socket
 * whose process has ended. Returns -1 with the reason in `why` if it fails. */
int address_listen(const struct address *a, char why[ADDRESS_WHY]);

/* Writes the address as text, with the port that the system chose. */
void address_show(const struct address *a, int fd, char text[ADDRESS_TEXT + 32]);

/* Writes the name of a sender: "10.0.0.7:4711", "[::1]:4711"; without port "10.0.0.7". */
void address_of_sender(const struct sockaddr_storage *from, bool with_port,
                       char name[ADDRESS_TEXT]);

#endif
