/* SPDX-License-Identifier: MIT */
#include "platform_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark_terms.h"
#include "traces/base/util.h"

void costs_release(struct platform *platform)
{
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		if (key->offset == NO_MEMBER)
			continue;
		void *member = (char *)platform + key->offset;
		if (key->kind == KEY_LIST) {
			free(((struct number_list *)member)->value);
			*(struct number_list *)member = (struct number_list){ 0 };
		} else if (key->kind == KEY_TEXT) {
			free(*(char **)member);
			*(char **)member = NULL;
		}
	}
}

static void apply(struct platform *to, const struct platform_entry *entry, const char *text)
{
	struct platform_entry one = { .key = entry->key,
				      .text = (char *)text,
				      .spec = entry->spec };
	if (text) {
		int rc = platform_apply(to, &one, "");
		assert(!rc); /* accepted before */
		(void)rc;
	}
}

/* The platform as its finer lists were measured: what the file says, [base.*] before the rest. */
static struct platform *base_of(const struct platform *platform)
{
	struct platform *base = xcalloc(1, sizeof(*base));
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < platform->entry_count; i++) {
			const struct platform_entry *entry = &platform->entry[i];
			if (platform_key_is_base(entry->key) == pass)
				apply(base, entry, pass ? entry->text : entry->file_text);
		}
	base->sm.present = platform->sm.present;
	sm_fill_in(&base->sm);
	sm_turnarounds(&base->sm);
	return base;
}

/* Every entry by the ratio of the two lists; a cost that was zero gives no ratio: the new one is
 * taken. */
static void scale_list(struct number_list *finer, const struct number_list *was,
		       const struct number_list *is)
{
	for (size_t k = 0; k < finer->count && k < was->count && k < is->count; k++)
		if (is->value[k] != was->value[k])
			finer->value[k] = was->value[k] > 0
						  ? finer->value[k] * is->value[k] / was->value[k]
						  : is->value[k];
}

/* Every entry by what the curve rose at its x; not below zero. */
static void shift_list(struct number_list *finer, const struct number_list *x,
		       const struct curve *was, const struct curve *is)
{
	for (size_t k = 0; k < finer->count && k < x->count; k++) {
		double rise = curve_at(is, x->value[k]) - curve_at(was, x->value[k]);
		finer->value[k] =
			isfinite(rise) && finer->value[k] + rise > 0 ? finer->value[k] + rise : 0;
	}
}

static bool same(const double *a, size_t count, const double *b, size_t other_count)
{
	return count == other_count && (!count || !memcmp(a, b, count * sizeof(*a)));
}

static bool same_curve(const struct curve *a, const struct curve *b)
{
	return same(a->x.value, a->x.count, b->x.value, b->x.count) &&
	       same(a->y.value, a->y.count, b->y.value, b->y.count);
}

static void move_calls(struct platform *p)
{
	const struct number_list *was = p->base->host, *is = p->host;
	for (int kind = 0; kind < HOST_COST_COUNT; kind++) {
		scale_list(&p->loop_host[kind], &was[kind], &is[kind]);
		scale_list(&p->peer_exchange[kind], &was[kind], &is[kind]);
	}
	scale_list(&p->loop_host[HOST_WAIT_OWN], &was[HOST_WAIT], &is[HOST_WAIT]);
	scale_list(&p->loop_launch_plain, &was[HOST_LAUNCH], &is[HOST_LAUNCH]);
	scale_list(&p->loop_copies_h2d, &was[HOST_COPY_H2D], &is[HOST_COPY_H2D]);
	scale_list(&p->loop_copies_d2h, &was[HOST_COPY_D2H], &is[HOST_COPY_D2H]);
}

static void move_copies(struct platform *p)
{
	for (int kind = 0; kind < COPY_CURVE_COUNT; kind++) {
		const struct curve *was = &p->base->copy[kind], *is = &p->copy[kind];
		if (!was->x.count || !is->x.count || same_curve(was, is))
			continue;
		shift_list(&p->idle[kind].y, &p->idle[kind].x, was, is);
		shift_list(&p->behind[kind], &p->idle[kind].x, was, is);
		shift_list(&p->behind_copy[kind], &p->idle[kind].x, was, is);
	}
}

/* An exchange of TERM_EXCHANGE_BYTES is a copy and two events. */
static void move_exchange(struct platform *p)
{
	const struct curve *was = &p->base->copy[COPY_CURVE_PEER], *is = &p->copy[COPY_CURVE_PEER];
	double rise_ns = 2 * (p->event_peer_ns - p->base->event_peer_ns);
	if (was->x.count && is->x.count && !same_curve(was, is))
		rise_ns += curve_at(is, TERM_EXCHANGE_BYTES) - curve_at(was, TERM_EXCHANGE_BYTES);
	p->exchange_ns = p->doorbell.silent_exchange_ns;
	if (p->exchange_ns > 0 && rise_ns != 0)
		p->exchange_ns = isfinite(rise_ns) ? fmax(p->exchange_ns + rise_ns, 0) : 0;
}

/* What turning round costs was measured beside the plain rates of [base.sm]; rates of copies and
 * updates that are others say what it costs now. */
static void move_turnarounds(struct sm_device *is, const struct sm_device *was)
{
	const bool copies =
		is->dram.copy_bytes_per_s != was->dram.copy_bytes_per_s ||
		is->dram_strips_bytes_per_s != was->dram_strips_bytes_per_s ||
		is->l2.copy_bytes_per_s != was->l2.copy_bytes_per_s ||
		is->l2_updated_copy_bytes_per_s != was->l2_updated_copy_bytes_per_s ||
		is->l2_wide_copy_bytes_per_s != was->l2_wide_copy_bytes_per_s ||
		!same(is->dram_update_reads.value, is->dram_update_reads.count,
		      was->dram_update_reads.value, was->dram_update_reads.count) ||
		!same(is->dram_update_bytes_per_s.value, is->dram_update_bytes_per_s.count,
		      was->dram_update_bytes_per_s.value, was->dram_update_bytes_per_s.count);
	sm_fill_in(is);
	if (copies) {
		sm_turnarounds(is);
		return;
	}
	is->dram.turnaround_s = was->dram.turnaround_s;
	is->dram_strips_turnaround_s = was->dram_strips_turnaround_s;
	is->l2.turnaround_s = was->l2.turnaround_s;
	is->l2_updated_turnaround_s = was->l2_updated_turnaround_s;
	is->l2_wide_turnaround_s = was->l2_wide_turnaround_s;
	memcpy(is->dram_update_turnaround_s, was->dram_update_turnaround_s,
	       sizeof(is->dram_update_turnaround_s));
}

void costs_derive(struct platform *platform)
{
	if (platform->base) {
		costs_release(platform->base);
		free(platform->base);
	}
	for (size_t i = 0; i < platform->entry_count; i++)
		if (!platform_key_is_base(platform->entry[i].key))
			apply(platform, &platform->entry[i], platform->entry[i].text);
	platform->base = base_of(platform);
	move_calls(platform);
	move_copies(platform);
	move_exchange(platform);
	move_turnarounds(&platform->sm, &platform->base->sm);
}

bool platform_texts_alike(const char *a, const char *b)
{
	struct number_list one = { 0 }, other = { 0 };
	char bad[48];
	bool alike = !number_list_parse(&one, a, bad) && !number_list_parse(&other, b, bad) &&
		     same(one.value, one.count, other.value, other.count);
	free(one.value);
	free(other.value);
	return alike;
}

void costs_tell_moved(const struct platform *platform)
{
	for (size_t i = 0; i < platform->entry_count; i++) {
		const struct platform_entry *base = &platform->entry[i];
		const struct platform_entry *plain =
			platform_key_is_base(base->key)
				? platform_entry_find(platform, base->spec->name)
				: NULL;
		if (plain && !platform_texts_alike(base->text, plain->text))
			report_warning(
				"%s: line %d: '%s' is not what line %d says it was when "
				"the finer measurements were made ('%s'): these move with it",
				platform->path, plain->line, plain->key, base->line, base->key);
	}
}
