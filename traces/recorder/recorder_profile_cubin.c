/* SPDX-License-Identifier: MIT
 * The machine code of what is profiled: modules are kept as they are loaded, and those with a
 * profiled function go to the spool.
 */
#include "recorder_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_keep_cubin(struct profile *profile, const CUpti_ModuleResourceData *module)
{
	CUpti_GetCubinCrcParams crc = { .size = CUpti_GetCubinCrcParamsSize };
	struct profile_cubin *cubin, *other;

	if (!module || !module->pCubin || !module->cubinSize)
		return;
	cubin = calloc(1, sizeof(*cubin));
	if (cubin)
		cubin->data = malloc(module->cubinSize);
	if (!cubin || !cubin->data) {
		free(cubin);
		writer_loss(&recorder.writer, "lost-modules", 1,
			    "no memory for the code of a module");
		return;
	}
	memcpy(cubin->data, module->pCubin, module->cubinSize);
	cubin->bytes = module->cubinSize;
	crc.cubinSize = cubin->bytes;
	crc.cubin = cubin->data;
	if (PROFILE_CALL(profile, cuptiGetCubinCrc, &crc))
		cubin->crc = crc.cubinCrc;
	pthread_mutex_lock(&profile->cubin_lock);
	for (other = profile->cubin; other; other = other->next) /* every GPU loads it again */
		if (other->bytes == cubin->bytes && !memcmp(other->data, cubin->data, cubin->bytes))
			break;
	if (!other) {
		cubin->next = profile->cubin;
		profile->cubin = cubin;
	}
	pthread_mutex_unlock(&profile->cubin_lock);
	if (profile->verbose)
		fprintf(stderr, "warpreel profile: module of %zu bytes, crc %llx%s\n", cubin->bytes,
			(unsigned long long)cubin->crc, other ? ", known" : "");
	if (other) {
		free(cubin->data);
		free(cubin);
	}
}

/* Its name is in their table of strings. */
void profile_write_cubins(struct profile *profile, const char *symbol)
{
	size_t bytes = strlen(symbol) + 1;
	unsigned found = 0;

	pthread_mutex_lock(&profile->cubin_lock);
	for (struct profile_cubin *cubin = profile->cubin; cubin; cubin = cubin->next) {
		if (!memmem(cubin->data, cubin->bytes, symbol, bytes))
			continue;
		found++;
		if (cubin->written)
			continue;
		cubin->written = true;
		if (cubin->bytes > SPOOL_CHUNK_MAX_BYTES - sizeof(cubin->crc))
			writer_loss(&recorder.writer, "lost-modules", 1,
				    "a module is too large for the spool");
		else
			writer_append(&recorder.writer, SPOOL_CUBIN, &cubin->crc,
				      sizeof(cubin->crc), cubin->data, cubin->bytes);
	}
	pthread_mutex_unlock(&profile->cubin_lock);
	if (!found)
		writer_loss(&recorder.writer, "lost-modules", 1,
			    "the code of a profiled function was not seen when it was loaded");
}
