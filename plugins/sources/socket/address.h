/* address.h -- where a source listens: "tcp://127.0.0.1:5140", "udp://[::]:5140",
 * "unix:///run/leat.sock"; and the names of senders. */
#ifndef LEAT_SOURCES_SOCKET_ADDRESS_H
#define LEAT_SOURCES_SOCKET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct sockaddr_storage;

enum { ADDRESS_WHY = 512, ADDRESS_TEXT = 256 };

struct address {
    enum address_kind { ADDRESS_TCP, ADDRESS_UDP, ADDRESS_UNIX } kind;
    char host[ADDRESS_TEXT]; /* TCP, UDP; empty: all of the machine's addresses */
    char port[6];            /* "0": the system chooses one                     */
    char path[108];          /* Unix: as sockaddr_un has it                     */
};

/* Reads an address; looks nothing up. Returns false if the text is wrong; `why` says how. */
bool address_read(const char *text, struct address *a, char why[ADDRESS_WHY]);

/* Returns a socket that is bound and, unless it is UDP, listens; it never blocks. Returns -1 if
 * that fails; `why` says why. A Unix socket on which nobody listens any more is replaced. */
int address_listen(const struct address *a, char why[ADDRESS_WHY]);

/* Writes the address with the port that the system has chosen. */
void address_show(const struct address *a, int fd, char text[ADDRESS_TEXT + 32]);

/* Writes the name of a sender: "10.0.0.7:4711", "[::1]:4711", without the port "10.0.0.7". */
void address_of_sender(const struct sockaddr_storage *from, bool with_port,
                       char name[ADDRESS_TEXT]);

#endif
