/* zone_file.h -- finds time zones by name: UTC, +02:00, or a name in the machine's zone database.
 *
 * The database (tzdata, in /usr/share/zoneinfo) is read as files, without the variable TZ and the C
 * library's functions for zones. A stage also looks up its zone when it is validated: the database,
 * like the libraries, belongs to the machine. */
#ifndef LEAT_COMMON_ZONE_FILE_H
#define LEAT_COMMON_ZONE_FILE_H

#include <stdbool.h>

#include "kernels/text/time_zone.h"

enum { ZONE_WHY = 300 };

/* Finds a zone. If there is no such zone, returns false with the reason in `why` (ZONE_WHY
 * bytes). */
bool zone_file_find(struct time_zone *z, const char *name, char *why);

#endif
