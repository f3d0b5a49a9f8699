/* SPDX-License-Identifier: MIT */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "traces/base/util.h"

static struct blas loaded;
static char missing[160];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void *library, const char *name, void *function)
{
	void *symbol = library ? dlsym(library, name) : NULL;
	if (!symbol && !missing[0])
		snprintf(missing, sizeof(missing), "%s", name);
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
	if (!missing[0])
		return &loaded;
	report("no %s here: this needs OpenBLAS and LAPACKE (Debian: libopenblas0-pthread "
	       "liblapacke)",
	       missing);
	return NULL;
}
