/* SPDX-License-Identifier: MIT
 * The program's questions about devices, answered for virtual ones. What is asked of the one real
 * device is asked of it, as device 0; what tells devices apart (PCI bus, UUID) is changed.
 */
#include "virtual.h"

#include <stdio.h>
#include <string.h>

HOOK cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t result = REAL(cudaGetDeviceCount)(count);

	if (result == cudaSuccess && gpus_count())
		*count = gpus_count();
	return result;
}

HOOK cudaError_t cudaSetDevice(int device)
{
	if (!gpus_count())
		return REAL(cudaSetDevice)(device);
	if (!gpus_has(device))
		/* The real one's refusal, so that it is also the last error. */
		return REAL(cudaSetDevice)(device < 0 ? device : 1 << 20);
	return gpus_set_current(device);
}

HOOK cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
	if (!gpus_count())
		return REAL(cudaInitDevice)(device, device_flags, flags);
	if (!gpus_has(device))
		return cudaErrorInvalidDevice;
	return REAL(cudaInitDevice)(0, device_flags, flags);
}

HOOK cudaError_t cudaGetDevice(int *device)
{
	cudaError_t result = REAL(cudaGetDevice)(device);

	if (result == cudaSuccess && gpus_count())
		*device = gpus_current();
	return result;
}

/* The PCI bus of a virtual device; the real one's has room above it. */
static int bus_of(int real_bus, int device)
{
	return (real_bus + gpus_number(device)) & 0xff;
}

HOOK cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	cudaError_t result;

	if (!gpus_count())
		return REAL(cudaGetDeviceProperties)(properties, device);
	if (!gpus_has(device))
		return cudaErrorInvalidDevice;
	result = REAL(cudaGetDeviceProperties)(properties, 0);
	if (result == cudaSuccess && real_runtime_major() >= 13) { /* the layout of this header */
		properties->pciBusID = bus_of(properties->pciBusID, device);
		properties->uuid.bytes[15] =
			(char)(properties->uuid.bytes[15] ^ gpus_number(device));
	}
	return result;
}

/* Of CUDA 12. */
HOOK cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
HOOK cudaError_t cudaGetDeviceProperties_v2(void *properties, int device)
{
	static void *_Atomic slot;
	cudaError_t (*real)(void *, int) = (cudaError_t(*)(void *, int))(uintptr_t)real_runtime(
		&slot, "cudaGetDeviceProperties_v2");

	if (gpus_count() && !gpus_has(device))
		return cudaErrorInvalidDevice;
	return real(properties, gpus_count() ? 0 : device);
}

HOOK cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	cudaError_t result;

	if (!gpus_count())
		return REAL(cudaDeviceGetAttribute)(value, attribute, device);
	if (!gpus_has(device))
		return cudaErrorInvalidDevice;
	result = REAL(cudaDeviceGetAttribute)(value, attribute, 0);
	if (result == cudaSuccess && attribute == cudaDevAttrPciBusId)
		*value = bus_of(*value, device);
	return result;
}

/* "0000:18:00.0", with another bus. */
static void move_bus(char *text, int bytes, int by)
{
	unsigned domain, bus, slot, function;

	if (gpus_number(by) && sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) == 4)
		snprintf(text, (size_t)bytes, "%04x:%02x:%02x.%x", domain,
			 (unsigned)bus_of((int)bus, by), slot, function);
}

HOOK cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
	cudaError_t result;

	if (!gpus_count())
		return REAL(cudaDeviceGetPCIBusId)(text, bytes, device);
	if (!gpus_has(device))
		return cudaErrorInvalidDevice;
	result = REAL(cudaDeviceGetPCIBusId)(text, bytes, 0);
	if (result == cudaSuccess)
		move_bus(text, bytes, device);
	return result;
}

HOOK cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
	unsigned domain, bus, slot, own_domain, own_bus, own_slot;
	char own[32] = "";

	if (!gpus_count())
		return REAL(cudaDeviceGetByPCIBusId)(device, text);
	if (REAL(cudaDeviceGetPCIBusId)(own, sizeof(own), 0) == cudaSuccess &&
	    sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3 &&
	    sscanf(own, "%x:%x:%x", &own_domain, &own_bus, &own_slot) == 3 &&
	    domain == own_domain && slot == own_slot)
		for (int i = 0; i < gpus_count(); i++)
			if (bus == (unsigned)bus_of((int)own_bus, i)) {
				*device = i;
				return cudaSuccess;
			}
	return cudaErrorInvalidDevice;
}

/* ---- peers: every two are linked, as GPUs of one host with NVLink are ---- */

HOOK cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!gpus_count())
		return REAL(cudaDeviceCanAccessPeer)(can, device, peer);
	if (!gpus_has(device) || !gpus_has(peer))
		return cudaErrorInvalidDevice;
	*can = device != peer;
	return cudaSuccess;
}

HOOK cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
					   int target)
{
	if (!gpus_count())
		return REAL(cudaDeviceGetP2PAttribute)(value, attribute, source, target);
	if (!gpus_has(source) || !gpus_has(target) || source == target)
		return cudaErrorInvalidDevice;
	*value = attribute != cudaDevP2PAttrPerformanceRank;
	return cudaSuccess;
}

HOOK cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	if (!gpus_count())
		return REAL(cudaDeviceEnablePeerAccess)(peer, flags);
	return flags ? cudaErrorInvalidValue : gpus_enable_peer(gpus_current(), peer, true);
}

HOOK cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	if (!gpus_count())
		return REAL(cudaDeviceDisablePeerAccess)(peer);
	return gpus_enable_peer(gpus_current(), peer, false);
}

/* ---- the rest ---- */

/* The context of a device other than 0 stays, with what it holds: its unread records would go with
 * it. */
HOOK cudaError_t cudaDeviceReset(void)
{
	int device = gpus_count() ? gpus_current() : 0;

	if (!device)
		return REAL(cudaDeviceReset)();
	gpus_forget_peers(device);
	return REAL(cudaDeviceSynchronize)();
}

HOOK cudaError_t cudaSetValidDevices(int *device, int count)
{
	if (!gpus_count())
		return REAL(cudaSetValidDevices)(device, count);
	for (int i = 0; i < count; i++)
		if (!device || !gpus_has(device[i]))
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

HOOK cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	cudaError_t result = REAL(cudaStreamGetDevice)(stream, device);
	CUcontext context = NULL;

	if (result == cudaSuccess && gpus_count())
		*device = (uintptr_t)stream > 2 && real_driver() &&
					  !real_driver()->cuStreamGetCtx(stream, &context)
				  ? gpus_of_context(context)
				  : gpus_current();
	return result;
}

HOOK cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
						 enum cudaFuncAttribute attribute, int value,
						 int device)
{
	return REAL(cudaKernelSetAttributeForDevice)(kernel, attribute, value,
						     gpus_has(device) ? 0 : device);
}
