/* SPDX-License-Identifier: MIT
 * CRC-32 (the polynomial of zlib and Ethernet) eight bytes a step, for the recorder and the reader
 * of its spool. Header only, because the recorder must not link the program.
 */
#ifndef WARPREEL_SPOOL_CRC_H
#define WARPREEL_SPOOL_CRC_H

#include <stddef.h>
#include <stdint.h>

struct spool_crc {
	uint32_t table[8][256];
};

static inline void spool_crc_init(struct spool_crc *crc)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
		crc->table[0][i] = value;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int slice = 1; slice < 8; slice++) {
			uint32_t before = crc->table[slice - 1][i];

			crc->table[slice][i] = before >> 8 ^ crc->table[0][before & 0xff];
		}
}

/* Goes on from `value` (0 at the start) over `bytes` bytes. */
static inline uint32_t spool_crc_add(const struct spool_crc *crc, uint32_t value, const void *data,
				     size_t bytes)
{
	const unsigned char *at = data;

	value = ~value;
	for (; bytes >= 8; bytes -= 8, at += 8) {
		uint32_t low = value ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 |
					(uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);

		value = crc->table[7][low & 0xff] ^ crc->table[6][low >> 8 & 0xff] ^
			crc->table[5][low >> 16 & 0xff] ^ crc->table[4][low >> 24] ^
			crc->table[3][at[4]] ^ crc->table[2][at[5]] ^ crc->table[1][at[6]] ^
			crc->table[0][at[7]];
	}
	for (; bytes; bytes--, at++)
		value = value >> 8 ^ crc->table[0][(value ^ *at) & 0xff];
	return ~value;
}

#endif
