/* SPDX-License-Identifier: MIT
 * Facts about a GPU as "key = value" lines. Clocks come from NVML, opened at run time: a machine
 * without it loses two lines.
 */
#include <dlfcn.h>
#include <stdarg.h>

#include "machine_cuda.cuh"

struct text {
	char *bytes;
	size_t length, capacity;
};

static void text_add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void text_add(struct text *text, const char *format, ...)
{
	va_list list;
	char line[512];

	va_start(list, format);
	int length = vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	size_t add = length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1;
	if (text->length + add + 1 > text->capacity) {
		text->capacity = 2 * (text->length + add + 1);
		text->bytes = (char *)xrealloc(text->bytes, text->capacity, 1);
	}
	memcpy(text->bytes + text->length, line, add);
	text->length += add;
	text->bytes[text->length] = 0;
}

static void add_attribute(struct text *text, const char *key, cudaDeviceAttr attribute, int gpu)
{
	int value;

	if (!cudaDeviceGetAttribute(&value, attribute, gpu))
		text_add(text, "%s = %d\n", key, value);
}

/* The few NVML calls used; its header is not part of every CUDA toolkit. Clock types: 1 is SM, 2 is
 * memory. */
typedef int nvml_plain(void);
typedef int nvml_by_uuid(const char *uuid, void **device);
typedef int nvml_clock(void *device, int type, unsigned *mhz);
typedef int nvml_text(char *text, unsigned bytes);

static void add_nvml(struct text *text, const char *uuid)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *device = NULL;
	char version[96];
	unsigned mhz;

	if (!library)
		return;
	nvml_plain *init = (nvml_plain *)dlsym(library, "nvmlInit_v2"),
		   *shutdown = (nvml_plain *)dlsym(library, "nvmlShutdown");
	nvml_by_uuid *by_uuid = (nvml_by_uuid *)dlsym(library, "nvmlDeviceGetHandleByUUID");
	nvml_clock *clock = (nvml_clock *)dlsym(library, "nvmlDeviceGetClockInfo");
	nvml_clock *clock_max = (nvml_clock *)dlsym(library, "nvmlDeviceGetMaxClockInfo");
	nvml_text *driver = (nvml_text *)dlsym(library, "nvmlSystemGetDriverVersion");
	if (init && shutdown && by_uuid && clock && clock_max && driver && !init()) {
		if (!driver(version, sizeof(version)))
			text_add(text, "driver = %s\n", version);
		if (!by_uuid(uuid, &device)) {
			if (!clock(device, 1, &mhz))
				text_add(text, "sm_mhz = %u\n", mhz);
			if (!clock(device, 2, &mhz))
				text_add(text, "memory_mhz = %u\n", mhz);
			if (!clock_max(device, 1, &mhz))
				text_add(text, "max_sm_mhz = %u\n", mhz);
			if (!clock_max(device, 2, &mhz))
				text_add(text, "max_memory_mhz = %u\n", mhz);
		}
		(void)shutdown();
	}
	dlclose(library);
}

/* Row `gpu` of the peer matrix: access and the driver's relative rank of each link. */
static void add_peers(struct text *text, int gpu)
{
	int count = 0;

	if (cudaGetDeviceCount(&count))
		return;
	text_add(text, "gpus = %d\npeer_access =", count);
	for (int peer = 0; peer < count; peer++) {
		int value = 0;
		if (peer == gpu || cudaDeviceCanAccessPeer(&value, gpu, peer))
			value = peer == gpu;
		text_add(text, " %d", value);
	}
	text_add(text, "\npeer_rank =");
	for (int peer = 0; peer < count; peer++) {
		int value = -1;
		if (peer == gpu ||
		    cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, gpu, peer))
			value = -1;
		text_add(text, " %d", value);
	}
	text_add(text, "\n");
}

char *cuda_describe(uint32_t gpu)
{
	struct cudaDeviceProp properties;
	struct text text = { NULL, 0, 0 };
	int runtime = 0, id = (int)gpu;
	char uuid[64] = "GPU-";
	cudaError_t error = cudaGetDeviceProperties(&properties, id);

	if (error) {
		report("GPU %u: %s", gpu, cudaGetErrorString(error));
		return NULL;
	}
	for (int i = 0, at = 4; i < 16; i++)
		at += snprintf(uuid + at, sizeof(uuid) - (size_t)at,
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			       (unsigned char)properties.uuid.bytes[i]);
	text_add(&text, "name = %s\nuuid = %s\n", properties.name, uuid);
	text_add(&text, "compute_capability = %d.%d\n", properties.major, properties.minor);
	text_add(&text, "pci = %04x:%02x:%02x\n", properties.pciDomainID, properties.pciBusID,
		 properties.pciDeviceID);
	add_attribute(&text, "sm_count", cudaDevAttrMultiProcessorCount, id);
	text_add(&text, "l2_bytes = %d\n", properties.l2CacheSize);
	text_add(&text, "memory_bytes = %zu\n", properties.totalGlobalMem);
	add_attribute(&text, "copy_engines", cudaDevAttrAsyncEngineCount, id);
	add_attribute(&text, "memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth, id);
	add_attribute(&text, "registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor, id);
	add_attribute(&text, "shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor,
		      id);
	add_attribute(&text, "threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor, id);
	if (!cudaRuntimeGetVersion(&runtime))
		text_add(&text, "cuda_runtime = %d.%d\n", runtime / 1000, runtime % 1000 / 10);
	add_nvml(&text, uuid);
	add_peers(&text, id);
	return text.bytes;
}
