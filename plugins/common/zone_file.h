/* zone_file.h -- time zones by name: UTC, +02:00, or a name in the machine's database of zones.
 *
 * The database (tzdata, in /usr/share/zoneinfo) is read as files, without TZ and the C library's
 * functions for zones. A stage also looks its zone up while it is checked, because the database
 * belongs to the machine as its libraries do. */
#ifndef LEAT_COMMON_ZONE_FILE_H
#define LEAT_COMMON_ZONE_FILE_H

#include <stdbool.h>

#include "kernels/text/time_zone.h"

enum { ZONE_WHY = 300 };

/* Finds a zone. Returns false if there is none, with the reason in `why` (ZONE_WHY bytes). */
bool zone_file_find(struct time_zone *z, const char *name, char *why);

#endif
