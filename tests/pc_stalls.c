/* SPDX-License-Identifier: MIT
 * Which instructions the warps of any CUDA program wait at, and why: a library to be injected, of
 * CUPTI's PC sampling (continuous, so launches by graphs are counted, too). When the program ends
 * it appends a row an instruction and reason to a table: kernel, offset in its code (bytes),
 * reason, samples. Times of the program are no measurements while it samples.
 *
 *     CUDA_INJECTION64_PATH=build/libpc-stalls.so PC_STALLS=out.tsv PROGRAM
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>

enum { PERIOD_LOG2 = 10, PCS_AT_ONCE = 20000 };

static struct {
	CUcontext context;
	size_t reason_count;
	uint32_t *reason_index;
	char **reason_name;
	CUpti_PCSamplingData data;
	FILE *out;
} sampling;

/* Says what failed and gives it up: the program that is sampled goes on. */
static int failed(CUptiResult result, const char *what)
{
	const char *text = "unknown";

	if (result == CUPTI_SUCCESS)
		return 0;
	cuptiGetResultString(result, &text);
	fprintf(stderr, "pc_stalls: %s: %s\n", what, text);
	return 1;
}

static int reasons(CUcontext context)
{
	CUpti_PCSamplingGetNumStallReasonsParams number = {
		.size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
		.ctx = context,
		.numStallReasons = &sampling.reason_count
	};
	CUpti_PCSamplingGetStallReasonsParams names = {
		.size = CUpti_PCSamplingGetStallReasonsParamsSize, .ctx = context
	};

	if (failed(cuptiPCSamplingGetNumStallReasons(&number), "number of reasons"))
		return 1;
	sampling.reason_index = calloc(sampling.reason_count, sizeof(*sampling.reason_index));
	sampling.reason_name = calloc(sampling.reason_count, sizeof(*sampling.reason_name));
	if (!sampling.reason_index || !sampling.reason_name)
		return 1;
	for (size_t i = 0; i < sampling.reason_count; i++)
		if (!(sampling.reason_name[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE)))
			return 1;
	names.numStallReasons = sampling.reason_count;
	names.stallReasonIndex = sampling.reason_index;
	names.stallReasons = sampling.reason_name;
	return failed(cuptiPCSamplingGetStallReasons(&names), "reasons");
}

static int buffers(void)
{
	CUpti_PCSamplingData *d = &sampling.data;

	d->size = sizeof(*d);
	d->collectNumPcs = PCS_AT_ONCE;
	d->pPcData = calloc(PCS_AT_ONCE, sizeof(*d->pPcData));
	if (!d->pPcData)
		return 1;
	for (size_t i = 0; i < PCS_AT_ONCE; i++) {
		d->pPcData[i].size = sizeof(d->pPcData[i]);
		d->pPcData[i].stallReason =
			calloc(sampling.reason_count, sizeof(*d->pPcData[i].stallReason));
		if (!d->pPcData[i].stallReason)
			return 1;
	}
	return 0;
}

static const char *reason_of(uint32_t index)
{
	for (size_t i = 0; i < sampling.reason_count; i++)
		if (sampling.reason_index[i] == index)
			return sampling.reason_name[i];
	return "unknown";
}

static void write_rows(void)
{
	const CUpti_PCSamplingData *d = &sampling.data;

	for (size_t i = 0; i < d->totalNumPcs; i++) {
		CUpti_PCSamplingPCData *pc = &d->pPcData[i];
		for (size_t k = 0; k < pc->stallReasonCount; k++)
			if (pc->stallReason[k].samples)
				fprintf(sampling.out, "%s\t%llu\t%s\t%u\n", pc->functionName,
					(unsigned long long)pc->pcOffset,
					reason_of(pc->stallReason[k].pcSamplingStallReasonIndex),
					pc->stallReason[k].samples);
	}
	if (d->droppedSamples || d->hardwareBufferFull)
		fprintf(stderr, "pc_stalls: %llu samples dropped%s\n",
			(unsigned long long)d->droppedSamples,
			d->hardwareBufferFull ? ", buffer full" : "");
}

static void finish(void)
{
	CUpti_PCSamplingDisableParams disable = { .size = CUpti_PCSamplingDisableParamsSize,
						  .ctx = sampling.context };
	CUpti_PCSamplingGetDataParams get = { .size = CUpti_PCSamplingGetDataParamsSize,
					      .ctx = sampling.context,
					      .pcSamplingData = &sampling.data };

	if (!sampling.context)
		return;
	do {
		if (failed(cuptiPCSamplingGetData(&get), "data"))
			break;
		write_rows();
	} while (sampling.data.remainingNumPcs > 0);
	sampling.data.totalNumPcs = 0;
	if (!failed(cuptiPCSamplingDisable(&disable), "disable"))
		write_rows(); /* what was left */
	fclose(sampling.out);
}

static void begin(CUcontext context)
{
	CUpti_PCSamplingEnableParams enable = { .size = CUpti_PCSamplingEnableParamsSize,
						.ctx = context };
	CUpti_PCSamplingConfigurationInfo info[4] = { 0 };
	CUpti_PCSamplingConfigurationInfoParams configure = {
		.size = CUpti_PCSamplingConfigurationInfoParamsSize,
		.ctx = context,
		.numAttributes = 4,
		.pPCSamplingConfigurationInfo = info
	};

	if (sampling.context || failed(cuptiPCSamplingEnable(&enable), "enable") ||
	    reasons(context) || buffers())
		return;
	info[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
	info[0].attributeData.collectionModeData.collectionMode =
		CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
	info[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
	info[1].attributeData.samplingPeriodData.samplingPeriod = PERIOD_LOG2;
	info[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
	info[2].attributeData.samplingDataBufferData.samplingDataBuffer = &sampling.data;
	info[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
	info[3].attributeData.scratchBufferSizeData.scratchBufferSize = 64u << 20;
	if (failed(cuptiPCSamplingSetConfigurationAttribute(&configure), "configure"))
		return;
	sampling.context = context;
}

static void CUPTIAPI resource(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			      const void *data)
{
	(void)user;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
		begin(((const CUpti_ResourceData *)data)->context);
}

int InitializeInjection(void);

int InitializeInjection(void)
{
	CUpti_SubscriberHandle subscriber;
	const char *path = getenv("PC_STALLS");

	if (!path || !(sampling.out = fopen(path, "a"))) {
		fprintf(stderr, "pc_stalls: PC_STALLS names no file that can be written\n");
		return 1;
	}
	if (failed(cuptiSubscribe(&subscriber, resource, NULL), "subscribe") ||
	    failed(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
				       CUPTI_CBID_RESOURCE_CONTEXT_CREATED),
		   "callback"))
		return 1;
	atexit(finish);
	return 1;
}
