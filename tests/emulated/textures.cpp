/* SPDX-License-Identifier: MIT
 * Texture objects of the emulated runtime, of linear memory alone. A fetch from one that has been
 * destroyed ends the program.
 */
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "cuda_runtime.h"

struct emulated_texture {
	const char *memory; /* NULL: destroyed */
	size_t bytes;
	int element;
};
static std::mutex lock;
static std::vector<emulated_texture> textures; /* object k + 1 */

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *memory,
				    const cudaTextureDesc *how, const void *view)
{
	const auto &linear = memory->res.linear;
	const emulated_texture made = { (const char *)linear.devPtr, linear.sizeInBytes,
					linear.desc.bytes };

	if (emulated_strict_capture()) /* as a driver 580 says on an H200 */
		return cudaErrorInvalidValue;
	if (memory->resType != cudaResourceTypeLinear || how->readMode != cudaReadModeElementType ||
	    view || !made.memory || (uintptr_t)made.memory % EMULATED_TEXTURE_ALIGN ||
	    made.bytes / (size_t)made.element > EMULATED_TEXTURE_ELEMENTS)
		return cudaErrorInvalidValue;
	std::lock_guard<std::mutex> guard(lock);
	textures.push_back(made);
	*texture = textures.size();
	return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	std::lock_guard<std::mutex> guard(lock);
	if (!texture || texture > textures.size() || !textures[texture - 1].memory)
		return cudaErrorInvalidValue;
	textures[texture - 1].memory = NULL;
	return cudaSuccess;
}

const void *emulated_texel(cudaTextureObject_t texture, int index, size_t bytes)
{
	std::lock_guard<std::mutex> guard(lock);
	const emulated_texture *t =
		texture && texture <= textures.size() ? &textures[texture - 1] : NULL;
	if (!t || !t->memory || (size_t)t->element != bytes) {
		fprintf(stderr, "a fetch from texture %llu, which is none\n", texture);
		abort();
	}
	return index < 0 || ((size_t)index + 1) * bytes > t->bytes
		       ? NULL
		       : t->memory + (size_t)index * bytes;
}
