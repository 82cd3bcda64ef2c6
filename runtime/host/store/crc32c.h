/* crc32c.h -- CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected), as in iSCSI, ext4 and
 * Kafka. */
#ifndef LEAT_HOST_STORE_CRC32C_H
#define LEAT_HOST_STORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of all bytes so far: of those before, whose CRC is `crc` (0: none), and these n. Any
 * thread. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);
/* The same, for machines that have no instruction for it. */
uint32_t crc32c_by_tables(uint32_t crc, const void *bytes, size_t n);

#endif
