/* crc32c.h -- the checksum CRC-32C of iSCSI, ext4 and Kafka.
 *
 * Castagnoli's polynomial 0x1EDC6F41, reflected. */
#ifndef LEAT_HOST_STORE_CRC32C_H
#define LEAT_HOST_STORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Extends `crc`, the CRC of all earlier bytes (0 if there are none), by n bytes. For any thread. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);
/* Same result as crc32c(), for machines without an instruction for it. */
uint32_t crc32c_by_tables(uint32_t crc, const void *bytes, size_t n);

#endif
