/* SPDX-License-Identifier: MIT
 * Finds libcupti and its functions.
 */
#include "recorder_cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUPTI_MAJOR (CUPTI_API_VERSION / 10000)
#if CUPTI_API_VERSION < 130000
#error "the recorder needs the CUPTI headers of CUDA 13 or newer"
#endif

static const char *const places[] = {
	"libcupti.so.13",
	"/usr/local/cuda/lib64/libcupti.so.13",
	"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
	"/usr/local/cuda/lib/libcupti.so.13",
};

static void *open_library(void)
{
	const char *given = getenv("WARPREEL_CUPTI");
	void *library = dlopen(places[0], RTLD_NOW | RTLD_NOLOAD);

	if (!library && given && *given)
		library = dlopen(given, RTLD_NOW);
	for (size_t i = 0; !library && i < sizeof(places) / sizeof(places[0]); i++)
		library = dlopen(places[i], RTLD_NOW);
	return library;
}

int cupti_open(struct cupti *cupti, char *why, size_t why_bytes)
{
	static const char *const name[] = {
#define CUPTI_NAME(function) #function,
		CUPTI_FUNCTIONS(CUPTI_NAME)
#undef CUPTI_NAME
	};
	void *const slot[] = {
#define CUPTI_SLOT(function) &cupti->function,
		CUPTI_FUNCTIONS(CUPTI_SLOT)
#undef CUPTI_SLOT
	};

	cupti->library = open_library();
	if (!cupti->library) {
		snprintf(why, why_bytes,
			 "libcupti.so.13 was not found (%s); WARPREEL_CUPTI names it", dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof(slot) / sizeof(slot[0]); i++) {
		void *symbol = dlsym(cupti->library, name[i]);

		memcpy(slot[i], &symbol, sizeof(symbol));
		if (!symbol) {
			snprintf(why, why_bytes, "libcupti has no function %s", name[i]);
			return -1;
		}
	}
	if (cupti->cuptiGetVersion(&cupti->version) != CUPTI_SUCCESS ||
	    cupti->version / 10000 != CUPTI_MAJOR) {
		snprintf(why, why_bytes, "libcupti is version %u; this recorder was built for %d.x",
			 cupti->version, CUPTI_MAJOR);
		return -1;
	}
	return 0;
}

void *cupti_symbol(const struct cupti *cupti, const char *name)
{
	return dlsym(cupti->library, name);
}

const char *cupti_text(const struct cupti *cupti, CUptiResult result)
{
	const char *text = NULL;

	if (cupti->cuptiGetResultString &&
	    cupti->cuptiGetResultString(result, &text) == CUPTI_SUCCESS && text)
		return text;
	return "unknown CUPTI error";
}

int cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber,
		    CUpti_CallbackFunc callback, void *user, char *why, size_t why_bytes)
{
	char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	CUpti_SubscriberParams params = { .structSize = CUpti_SubscriberParams_STRUCT_SIZE,
					  .subscriberName = "warpreel",
					  .oldSubscriberName = other,
					  .oldSubscriberSize = sizeof(other) };
	CUptiResult result = cupti->cuptiSubscribe_v2(subscriber, callback, user, &params);

	if (result == CUPTI_SUCCESS)
		return 0;
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		snprintf(why, why_bytes, "CUPTI is in use by another tool%s%.60s",
			 *other ? ": " : "", other);
	else
		snprintf(why, why_bytes, "CUPTI does not start: %s", cupti_text(cupti, result));
	return -1;
}
