// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages: what a pin keeps in memory beyond the pages that are used.
 *
 * A pin of one page keeps its compound page whole: it can't be split, moved or
 * freed in part.  So a profile is charged for each compound page as a whole,
 * once.  The two that keep the most are charged for the used pages alone,
 * because malloc() may return a part of a huge page under a small
 * RLIMIT_MEMLOCK.  That is for the profile of a process: its threads may have
 * thousands.
 */
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "profil.h"

#define EXEMPT_MAX	(SZ_2M >> PAGE_SHIFT)	/* pages of each of the two */

struct huge_page {
	struct page *head;
	unsigned long used;
};

/* The compound pages of a buffer, in its order.  Returns how many there are. */
static size_t list_buffer(const struct profil_buffer *buffer,
			  struct huge_page *list)
{
	struct page *head, *last = NULL;
	unsigned long i;
	size_t nr = 0;

	for (i = 0; i < buffer->nr_pages; i++) {
		head = compound_head(virt_to_page(buffer->memory[i]));
		if (!PageHead(head)) {
			last = NULL;
			continue;
		}
		if (head != last) {
			nr++;
			if (list)
				list[nr - 1] = (struct huge_page){ head, 0 };
		}
		if (list)
			list[nr - 1].used++;
		last = head;
	}
	return nr;
}

static size_t list_profile(const struct profil_profile *profile,
			   struct huge_page *list)
{
	const struct profil_buffer *buffer;
	size_t nr = 0;
	u32 i;

	for (i = 0; i < profile->layout->nr_regions; i++) {
		buffer = &profile->buffers[i];
		if (buffer->pinned && buffer->huge)
			nr += list_buffer(buffer, list ? list + nr : NULL);
		cond_resched();
	}
	return nr;
}

static int compare_heads(const void *a, const void *b)
{
	const struct huge_page *left = a, *right = b;

	if (left->head == right->head)
		return 0;
	return left->head < right->head ? -1 : 1;
}

/* The list is sorted.  exempt: without those of the two that keep the most. */
static unsigned long sum_kept(const struct huge_page *list, size_t nr,
			      bool exempt)
{
	unsigned long sum = 0, first = 0, second = 0, kept, used;
	size_t i;

	for (i = 0; i < nr; ) {
		struct page *head = list[i].head;

		for (used = 0; i < nr && list[i].head == head; i++)
			used += list[i].used;
		kept = compound_nr(head) > used ? compound_nr(head) - used : 0;
		sum += kept;
		kept = min_t(unsigned long, kept, EXEMPT_MAX);
		second = max(second, min(first, kept));
		first = max(first, kept);
	}
	return exempt ? sum - first - second : sum;
}

/**
 * profil_huge_kept() - pages that a profile keeps and does not use
 * @profile: one with buffers
 * @kept: their number, without those of two huge pages of a process's profile
 *
 * Context: process; may sleep.  The caller holds refresh_lock.
 * Return: 0, or -ENOMEM.
 */
int profil_huge_kept(const struct profil_profile *profile, unsigned long *kept)
{
	size_t nr = list_profile(profile, NULL);
	struct huge_page *list;

	lockdep_assert_held(&profile->refresh_lock);
	*kept = 0;
	if (!nr)
		return 0;
	list = kvmalloc_array(nr, sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return -ENOMEM;
	list_profile(profile, list);
	sort(list, nr, sizeof(*list), compare_heads, NULL);
	*kept = sum_kept(list, nr, !profile->task);
	kvfree(list);
	return 0;
}
