/* zone_file.h -- time zones by name: UTC, +02:00, or a name of the machine's database of zones.
 *
 * The database (tzdata, in /usr/share/zoneinfo) is read as files; neither TZ nor the C library's
 * idea of a zone plays a part. A stage looks its zone up while it is checked, too: the database
 * belongs to the machine as its libraries do. */
#ifndef LEAT_COMMON_ZONE_FILE_H
#define LEAT_COMMON_ZONE_FILE_H

#include <stdbool.h>

#include "kernels/text/time_zone.h"

enum { ZONE_WHY = 300 };

/* false: `why` (ZONE_WHY bytes) says why there is no such zone. */
bool zone_file_find(struct time_zone *z, const char *name, char *why);

#endif
