/* SPDX-License-Identifier: MIT
 * cuBLAS, loaded when first asked for: a machine without it runs all else.
 */
#ifndef WARPREEL_PATCHES_CUBLAS_CUH
#define WARPREEL_PATCHES_CUBLAS_CUH

#include <cuda_runtime.h>
#include <dlfcn.h>

/* With the values of cublas_api.h. */
enum { CUBLAS_PLAIN = 0 };
struct cublas { /* NULL: not there */
	int (*create)(void **handle);
	int (*set_stream)(void *handle, cudaStream_t stream);
	int (*dgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
		     const double *alpha, const double *a, int a_stride, const double *b,
		     int b_stride, const double *beta, double *c, int c_stride);
};

static inline void cublas_find(void *library, const char *name, void *function)
{
	void *symbol = library ? dlsym(library, name) : NULL;

	__builtin_memcpy(function, &symbol, sizeof(symbol));
}

static inline struct cublas cublas_load(void)
{
	static const char *const names[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so" };
	struct cublas c = { NULL, NULL, NULL };
	void *library = NULL;

	for (int k = 0; k < 3 && !library; k++)
		library = dlopen(names[k], RTLD_NOW);
	cublas_find(library, "cublasCreate_v2", &c.create);
	cublas_find(library, "cublasSetStream_v2", &c.set_stream);
	cublas_find(library, "cublasDgemm_v2", &c.dgemm);
	return c;
}

#endif
