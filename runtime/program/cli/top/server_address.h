/* server_address.h -- where a run is watched, as who looks at it names it: "127.0.0.1:9100",
 * ":9100", "[::1]:9100", "host:9100", "http://host:9100/". */
#ifndef LEAT_PROGRAM_CLI_TOP_SERVER_ADDRESS_H
#define LEAT_PROGRAM_CLI_TOP_SERVER_ADDRESS_H

#include <stdbool.h>
#include <netdb.h>

enum { SERVER_HOST = 256, SERVER_PORT = 6, SERVER_URL = SERVER_HOST + 32, SERVER_WHY = 400 };

struct server_address {
    char host[SERVER_HOST], port[SERVER_PORT];
    char url[SERVER_URL];  /* "http://host:9100/" */
    struct addrinfo *list; /* what the name stands for; NULL: not resolved */
};

/* Takes the text apart. false: it is no such address. */
bool server_address_read(struct server_address *a, const char *text);
/* Asks the system what the host's name stands for, which may take seconds. false: `why` says what
 * is wrong. Afterwards always free it. */
bool server_address_resolve(struct server_address *a, char why[SERVER_WHY]);
void server_address_free(struct server_address *a);

/* What the header Host says to one of its addresses: a number where only this machine reaches it,
 * as a run that listens there answers to no names. */
void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL]);

#endif
