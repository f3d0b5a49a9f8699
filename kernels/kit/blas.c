/* SPDX-License-Identifier: MIT */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "traces/base/util.h"

static struct blas loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void *library, const char *name, void *function)
{
	void *symbol = library ? dlsym(library, name) : NULL;
	memcpy(function, &symbol, sizeof(symbol));
}

static void load(void)
{
	void *blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL);
	void *lapack = dlopen("liblapacke.so.3", RTLD_NOW);
	find(blas, "cblas_dgemv", &loaded.dgemv);
	find(blas, "cblas_dgemm", &loaded.dgemm);
	find(blas, "openblas_set_num_threads", &loaded.threads);
	find(lapack, "LAPACKE_dpotrf", &loaded.dpotrf);
	find(lapack, "LAPACKE_dpotri", &loaded.dpotri);
}

const struct blas *blas_load(void)
{
	pthread_once(&once, load);
	if (loaded.dgemv && loaded.dgemm && loaded.threads)
		return &loaded;
	report("no libopenblas.so.0 here: this needs OpenBLAS (Debian: libopenblas0-pthread)");
	return NULL;
}

const struct blas *lapack_load(void)
{
	pthread_once(&once, load);
	if (loaded.dpotrf && loaded.dpotri)
		return &loaded;
	report("no liblapacke.so.3 here: this needs LAPACKE (Debian: liblapacke)");
	return NULL;
}
