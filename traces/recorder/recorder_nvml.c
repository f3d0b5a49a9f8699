/* SPDX-License-Identifier: MIT
 * What CUPTI does not know: clocks, links between GPUs, bus addresses, the driver's name. From
 * NVML, opened at run time; without it the trace says so. nvml.h is not part of every toolkit, so
 * the few declarations used are written out here.
 */
#include "recorder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvmlDevice *nvml_device;
struct nvml_pci { /* nvmlPciInfo_t */
	char bus_id_legacy[16];
	unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
	char bus_id[32];
};
struct nvml_memory {
	unsigned long long total, free, used;
};
struct nvml_field { /* nvmlFieldValue_t */
	unsigned id, scope;
	long long timestamp, latency_us;
	int value_type, result;
	union {
		double real;
		unsigned u32;
		unsigned long long u64;
	} value;
};
enum {
	NVML_SUCCESS = 0,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_P2P_NVLINK = 2,
	NVML_FIELD_NVLINK_MBPS = 90,
	NVML_MAX_LINKS = 18,
	NVML_MAX_GPUS = 64
};

#define NVML_FUNCTIONS(X)                                                                          \
	X(init, "nvmlInit_v2", int, (void))                                                        \
	X(driver, "nvmlSystemGetDriverVersion", int, (char *, unsigned))                           \
	X(count, "nvmlDeviceGetCount_v2", int, (unsigned *))                                       \
	X(handle, "nvmlDeviceGetHandleByIndex_v2", int, (unsigned, nvml_device *))                 \
	X(uuid, "nvmlDeviceGetUUID", int, (nvml_device, char *, unsigned))                         \
	X(name, "nvmlDeviceGetName", int, (nvml_device, char *, unsigned))                         \
	X(pci, "nvmlDeviceGetPciInfo_v3", int, (nvml_device, struct nvml_pci *))                   \
	X(memory, "nvmlDeviceGetMemoryInfo", int, (nvml_device, struct nvml_memory *))             \
	X(clock, "nvmlDeviceGetClockInfo", int, (nvml_device, int, unsigned *))                    \
	X(max_clock, "nvmlDeviceGetMaxClockInfo", int, (nvml_device, int, unsigned *))             \
	X(pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration", int, (nvml_device, unsigned *))   \
	X(pcie_width, "nvmlDeviceGetMaxPcieLinkWidth", int, (nvml_device, unsigned *))             \
	X(link_state, "nvmlDeviceGetNvLinkState", int, (nvml_device, unsigned, unsigned *))        \
	X(p2p, "nvmlDeviceGetP2PStatus", int, (nvml_device, nvml_device, int, int *))              \
	X(fields, "nvmlDeviceGetFieldValues", int, (nvml_device, int, struct nvml_field *))

struct nvml {
	void *library;
	unsigned device_count;
	nvml_device device[NVML_MAX_GPUS];
#define NVML_MEMBER(name, symbol, result, arguments) result(*name) arguments;
	NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

static struct nvml *no_nvml(struct nvml *nvml, const char *why)
{
	writer_meta(&recorder.writer, "nvml", why);
	free(nvml);
	return NULL;
}

struct nvml *nvml_open(void)
{
	static const struct {
		const char *symbol;
		size_t offset;
	} function[] = {
#define NVML_ENTRY(name, symbol, result, arguments) { symbol, offsetof(struct nvml, name) },
		NVML_FUNCTIONS(NVML_ENTRY)
#undef NVML_ENTRY
	};
	struct nvml *nvml = calloc(1, sizeof(*nvml));

	if (!nvml || !(nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW)))
		return no_nvml(nvml, "absent: libnvidia-ml.so.1 was not found; clocks and links "
				     "are not in this trace");
	for (size_t i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		void *symbol = dlsym(nvml->library, function[i].symbol);

		if (!symbol)
			return no_nvml(nvml, "absent: a function is missing; clocks and links are "
					     "not in this trace");
		memcpy((char *)nvml + function[i].offset, &symbol, sizeof(symbol));
	}
	if (nvml->init() != NVML_SUCCESS || nvml->count(&nvml->device_count) != NVML_SUCCESS)
		return no_nvml(nvml,
			       "absent: it does not start; clocks and links are not in this trace");
	if (nvml->device_count > NVML_MAX_GPUS)
		nvml->device_count = NVML_MAX_GPUS;
	for (unsigned i = 0; i < nvml->device_count; i++)
		if (nvml->handle(i, &nvml->device[i]) != NVML_SUCCESS)
			nvml->device[i] = NULL;
	return nvml;
}

/* "GPU-2ad1c8b3-..." -> 16 bytes, as CUPTI gives them. */
static void parse_uuid(const char *text, uint8_t uuid[16])
{
	const char *at = strchr(text, '-');

	for (int i = 0; at && i < 16; i++) {
		char pair[3] = { 0 };

		at += strspn(at, "-");
		memcpy(pair, at, strnlen(at, 2));
		if (strspn(pair, "0123456789abcdefABCDEF") != 2)
			return;
		uuid[i] = (uint8_t)strtoul(pair, NULL, 16);
		at += 2;
	}
}

static void write_gpu(struct nvml *nvml, unsigned index)
{
	struct spool_gpu out = { .type = SPOOL_TYPE_gpu, .size = sizeof(out), .index = index };
	nvml_device device = nvml->device[index];
	char text[128] = "";
	struct nvml_pci pci = { 0 };
	struct nvml_memory memory = { 0 };

	if (nvml->uuid(device, text, sizeof(text)) == NVML_SUCCESS)
		parse_uuid(text, out.uuid);
	if (nvml->name(device, text, sizeof(text)) == NVML_SUCCESS)
		out.name = writer_string(&recorder.writer, text);
	if (nvml->pci(device, &pci) == NVML_SUCCESS)
		out.bus = writer_string(&recorder.writer, pci.bus_id);
	if (nvml->memory(device, &memory) == NVML_SUCCESS)
		out.memory_bytes = memory.total;
	nvml->max_clock(device, NVML_CLOCK_SM, &out.max_sm_mhz);
	nvml->max_clock(device, NVML_CLOCK_MEM, &out.max_memory_mhz);
	nvml->pcie_generation(device, &out.pcie_generation);
	nvml->pcie_width(device, &out.pcie_width);
	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}

/* How many NVLinks of the GPU are up, and the speed of one in MB/s (0: NVML does not say). */
static uint32_t links_of(struct nvml *nvml, unsigned index, uint32_t *megabytes_per_s)
{
	struct nvml_field field = { .id = NVML_FIELD_NVLINK_MBPS };
	uint32_t links = 0;

	for (unsigned link = 0; link < NVML_MAX_LINKS; link++) {
		unsigned up = 0;

		if (nvml->link_state(nvml->device[index], link, &up) == NVML_SUCCESS && up)
			links++;
	}
	*megabytes_per_s = 0;
	if (links && nvml->fields(nvml->device[index], 1, &field) == NVML_SUCCESS &&
	    field.result == NVML_SUCCESS)
		*megabytes_per_s = field.value.u32;
	return links;
}

static void write_links(struct nvml *nvml, unsigned from)
{
	uint32_t speed, links = links_of(nvml, from, &speed);
	struct spool_link out = { .type = SPOOL_TYPE_link,
				  .size = sizeof(out),
				  .from = from,
				  .links = links,
				  .megabytes_per_s = speed };

	out.kind = writer_string(&recorder.writer, "nvlink");
	for (unsigned to = 0; links && to < nvml->device_count; to++) {
		int status = -1;

		if (to == from || !nvml->device[to] ||
		    nvml->p2p(nvml->device[from], nvml->device[to], NVML_P2P_NVLINK, &status) !=
			    NVML_SUCCESS ||
		    status != 0)
			continue;
		out.to = to;
		writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
	}
}

void nvml_write_facts(struct nvml *nvml)
{
	char text[96];

	if (nvml->driver(text, sizeof(text)) == NVML_SUCCESS)
		writer_meta(&recorder.writer, "driver", text);
	for (unsigned i = 0; i < nvml->device_count; i++)
		if (nvml->device[i])
			write_gpu(nvml, i);
	for (unsigned i = 0; i < nvml->device_count; i++)
		if (nvml->device[i])
			write_links(nvml, i);
}

void nvml_write_clocks(struct nvml *nvml)
{
	for (unsigned i = 0; i < nvml->device_count; i++) {
		struct spool_clock out = { .type = SPOOL_TYPE_clock,
					   .size = sizeof(out),
					   .index = i };

		if (!nvml->device[i] ||
		    nvml->clock(nvml->device[i], NVML_CLOCK_SM, &out.sm_mhz) != NVML_SUCCESS ||
		    nvml->clock(nvml->device[i], NVML_CLOCK_MEM, &out.memory_mhz) != NVML_SUCCESS)
			continue;
		out.at_ns = recorder_now_ns();
		writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
	}
}
