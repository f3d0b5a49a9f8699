/* SPDX-License-Identifier: MIT
 * How devices other than 0 are kept apart on the one GPU. A context of its own has modules of its
 * own, so a device's variables are its own, too; but the GPU takes some 140 us to change contexts.
 * Green contexts (CUDA 13, driver API, "Green Contexts"), each with all multiprocessors, are parts
 * of the primary context: their default streams are apart, and the GPU changes between them at
 * once (docs/lab/as-gpus.md). They share the primary one's modules. So a program whose code has
 * variables in device memory gets contexts of its own; what registers those is hooked here.
 */
#include "virtual.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct context_kind {
	const char *name;
	bool in_primary;
	CUresult (*make)(const struct driver *driver, CUcontext *context, CUdevice device);
	/* Until all work of `of` has ended; `mine` is and stays current. */
	void (*wait)(const struct driver *driver, CUcontext of, CUcontext mine);
};

static CUresult make_own(const struct driver *driver, CUcontext *context, CUdevice device)
{
	return driver->cuCtxCreate_v2(context, 0, device);
}

static void wait_own(const struct driver *driver, CUcontext of, CUcontext mine)
{
	driver->cuCtxSetCurrent(of);
	driver->cuCtxSynchronize();
	driver->cuCtxSetCurrent(mine);
}

static CUresult make_green(const struct driver *driver, CUcontext *context, CUdevice device)
{
	CUdevResourceDesc description;
	CUdevResource all;
	CUgreenCtx green;
	CUresult result;

	if (!driver->cuDeviceGetDevResource || !driver->cuDevResourceGenerateDesc ||
	    !driver->cuGreenCtxCreate || !driver->cuCtxFromGreenCtx || !driver->cuCtxSynchronize_v2)
		return CUDA_ERROR_NOT_SUPPORTED;
	result = driver->cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM);
	if (!result)
		result = driver->cuDevResourceGenerateDesc(&description, &all, 1);
	if (!result)
		result = driver->cuGreenCtxCreate(&green, description, device,
						  CU_GREEN_CTX_DEFAULT_STREAM);
	return result ? result : driver->cuCtxFromGreenCtx(context, green);
}

/* Green contexts are to be current to one thread at a time, so this one does not take it. */
static void wait_green(const struct driver *driver, CUcontext of, CUcontext mine)
{
	(void)mine;
	driver->cuCtxSynchronize_v2(of);
}

static const struct context_kind own = { "own", false, make_own, wait_own },
				 green = { "green", true, make_green, wait_green };
/* Chosen with the first context, as one program has one kind. */
static _Atomic(const struct context_kind *) kind;
static atomic_bool has_variables;

CUresult contexts_make(CUcontext *context, CUdevice device)
{
	const struct driver *driver = real_driver();
	const struct context_kind *chosen = atomic_load(&kind);
	const char *asked = getenv("WARPREEL_VIRTUAL_CONTEXTS");
	CUresult result;

	if (chosen)
		return chosen->make(driver, context, device);
	chosen = asked ? (strcmp(asked, green.name) ? &own : &green)
		       : (atomic_load(&has_variables) ? &own : &green);
	result = chosen->make(driver, context, device);
	if (result && chosen == &green) { /* an older driver, or one that has none here */
		chosen = &own;
		result = chosen->make(driver, context, device);
	}
	if (!result)
		atomic_store(&kind, chosen);
	return result;
}

void contexts_wait(CUcontext of, CUcontext mine)
{
	const struct context_kind *chosen = atomic_load(&kind);

	(chosen ? chosen : &own)->wait(real_driver(), of, mine);
}

bool contexts_in_primary(void)
{
	const struct context_kind *chosen = atomic_load(&kind);

	return chosen && chosen->in_primary;
}

/* Called by a program's start, and where it opens a library, for each variable in device memory. */
HOOK void __cudaRegisterVar(void **module, char *host, char *address, const char *name,
			    int is_external, size_t bytes, int is_constant, int is_global);
HOOK void __cudaRegisterVar(void **module, char *host, char *address, const char *name,
			    int is_external, size_t bytes, int is_constant, int is_global)
{
	static void *_Atomic slot;
	static bool said;
	void (*real)(void **, char *, char *, const char *, int, size_t, int, int) =
		(__typeof__(real))(uintptr_t)real_other(&slot, "libcudart.so", "__cudaRegisterVar");

	atomic_store(&has_variables, true);
	if (contexts_in_primary())
		notes_say(&said,
			  "a library that was opened when devices were in use has variables in "
			  "device memory (%s), of which all virtual devices then share one copy: "
			  "WARPREEL_VIRTUAL_CONTEXTS=own gives each its own",
			  name);
	if (real)
		real(module, host, address, name, is_external, bytes, is_constant, is_global);
}
