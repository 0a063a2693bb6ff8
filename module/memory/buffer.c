// SPDX-License-Identifier: GPL-2.0-only
/*
 * One region's buffer: the counters in the process's memory.
 *
 * A notifier watches its mapping, and its pages are pinned while it is live.
 * An increment must land where a store by the program would.  So each change of
 * the mapping makes the buffer stale before it takes effect:
 *
 *	tick				munmap, mprotect, madvise, fork, ...
 *	lock				mmu_notifier_invalidate_range_start()
 *	  LIVE: store to pages[]	  invalidate(): lock
 *	unlock				    STALE
 *	...				  unlock
 *	lock				change of the page tables
 *	  STALE: the sample is pending
 *	unlock, queue the worker
 *
 * The store to pages[] is under the lock, so once invalidate() has returned, no
 * tick stores to the old page.
 *
 * Most events, such as fork, leave the page where it is.  So a tick in the
 * process itself looks whether the pinned page is mapped and writable at that
 * moment; if it is, the sample need not wait.  The mapping may change before
 * the store, because on many machines an interrupt does not hold up the change.
 * So the tick stores to the program's address and not to the page.
 *
 * Such a look costs as much as to pin four pages.  So when the looks have cost
 * as much as to pin all pages, the worker pins them: profil_count_pc().
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <asm/futex.h>

#include "region/bin.h"
#include "delay.h"
#include "profil.h"

/* The address of the buffer's first page. */
unsigned long profil_buffer_start(const struct profil_region *region)
{
	return region->base & PAGE_MASK;
}

unsigned long profil_buffer_nr_pages(const struct profil_region *region)
{
	u64 end = region->base + profil_buffer_bytes(region);

	return (PAGE_ALIGN(end) - profil_buffer_start(region)) >> PAGE_SHIFT;
}

struct profil_buffer profil_buffer_none;

/* Context: any; the caller holds the profile's lock. */
void profil_buffer_stale(struct profil_buffer *buffer)
{
	struct profil_profile *profile = buffer->profile;

	lockdep_assert_held(&profile->lock);
	buffer->live = false;
	buffer->looks = 0;
	if (profile->hot == buffer)
		profile->hot = &profil_buffer_none;
}

/**
 * profil_buffer_off() - switch a buffer off for good
 * @buffer: may be off already
 * @reason: PROFIL_REASON_*
 *
 * profil_refresh() gives its pages and its notifier back.
 *
 * Context: any; the caller holds the profile's lock.
 */
void profil_buffer_off(struct profil_buffer *buffer, u8 reason)
{
	struct profil_profile *profile = buffer->profile;

	profil_buffer_stale(buffer);
	buffer->wanted = false;
	if (__test_and_set_bit(buffer - profile->buffers, profile->off))
		return;
	buffer->reason = reason;
	profile->reason = reason;
	profile->nr_on--;
}

/**
 * profil_buffer_invalidate() - make a buffer stale before its mapping changes
 * @buffer: watched
 * @range: the change
 * @seq: its number
 *
 * Context: that of the change: process, usually under mmap_lock or locks of the
 * rmap; does not sleep.
 */
void profil_buffer_invalidate(struct profil_buffer *buffer,
			      const struct mmu_notifier_range *range,
			      unsigned long seq)
{
	struct profil_profile *profile = buffer->profile;
	unsigned long flags;

	profil_delay();
	raw_spin_lock_irqsave(&profile->lock, flags);
	mmu_interval_set_seq(&buffer->watch, seq);
	profil_buffer_stale(buffer);
	if (range->event == MMU_NOTIFY_UNMAP && !buffer->gone)
		buffer->gone = 1;
	raw_spin_unlock_irqrestore(&profile->lock, flags);
}

/**
 * profil_buffer_release() - stop watching, unpin
 * @buffer: of a profile that is dead or was never published
 *
 * Never fails.  Context: process; sleeps until a running invalidation is over.
 * The caller holds refresh_lock.
 */
void profil_buffer_release(struct profil_buffer *buffer)
{
	if (!buffer->watched)
		return;
	mmu_interval_notifier_remove(&buffer->watch);
	buffer->watched = false;
	profil_ledger_out(PROFIL_LEDGER_WATCHES, 1);
	profil_buffer_drop(buffer);
}

/* The byte offset of the counter of a pc in the pinned pages. */
static unsigned long counter_pos(const struct profil_region *region, u64 pc)
{
	unsigned long pos = offset_in_page(region->base);

	if (region->flags & PROFIL_REGION_F_OVERFLOW)
		return pos;
	return pos + profil_bin_index(pc - region->offset, region->scale,
				      region->width);
}

/* Enters an increment in the books, if there was one, which it returns. */
static bool enter_result(struct profil_buffer *buffer, enum profil_bin bin)
{
	if (bin == PROFIL_BIN_BUSY)
		return false;
	if (bin == PROFIL_BIN_FULL)
		buffer->saturated++;
	buffer->binned++;
	return true;
}

/**
 * profil_buffer_inc() - count one sample
 * @buffer: live
 * @region: its region
 * @pc: one that the region takes
 *
 * Context: any; the caller holds the profile's lock.
 * Return: false if each try met another store to the counter.
 */
bool profil_buffer_inc(struct profil_buffer *buffer,
		       const struct profil_region *region, u64 pc)
{
	unsigned long pos = counter_pos(region, pc);
	unsigned long index = array_index_nospec(pos >> PAGE_SHIFT,
						 buffer->nr_pages);
	void *page = buffer->memory[index];

	return enter_result(buffer, profil_bin_inc(page + offset_in_page(pos),
						   buffer->mask,
						   PROFIL_BIN_TRIES));
}

/* Is the pinned page mapped and writable at this moment? */
static bool is_mapped(const struct profil_buffer *buffer, unsigned long address,
		      unsigned long index)
{
	struct page *mapped;
	bool same;

	if (!buffer->pinned)
		return false;
	/* put_page() may free the page; PREEMPT_RT can't do that here. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	if (!get_user_page_fast_only(address, FOLL_WRITE, &mapped))
		return false;
	index = array_index_nospec(index, buffer->nr_pages);
	same = page_address(mapped) == buffer->memory[index];
	put_page(mapped);
	return same;
}

/*
 * Adds one through the program's own mapping.  The futex operation has 32 bits,
 * so a carry into the upper half of a 64-bit counter is left to
 * profil_buffer_inc().
 */
static enum profil_bin inc_user(unsigned long address, u32 width)
{
	u32 __user *word = (u32 __user *)(address & ~(sizeof(*word) - 1));
	u32 max = width == sizeof(u16) ? U16_MAX : U32_MAX;
	u32 shift = address & sizeof(u16) ? 16 : 0;
	int tries = PROFIL_BIN_TRIES;
	u32 old = 0, found;
	bool full;

#ifdef __BIG_ENDIAN
	return PROFIL_BIN_BUSY;
#endif
	while (tries--) {
		full = (old >> shift & max) == max;
		if (full && width == sizeof(u64))
			break;
		if (futex_atomic_cmpxchg_inatomic(&found, word, old,
						  full ? old : old + (1U << shift)))
			break;
		if (found == old)
			return full ? PROFIL_BIN_FULL : PROFIL_BIN_COUNTED;
		old = found;
	}
	return PROFIL_BIN_BUSY;
}

/**
 * profil_buffer_inc_mapped() - count one sample in a stale buffer, if possible
 * @buffer: stale
 * @region: its region
 * @pc: one that the region takes
 *
 * Context: an interrupt of a thread that runs in the buffer's mm; the caller
 * holds the profile's lock.
 * Return: false if the pinned page is not mapped there now.
 */
bool profil_buffer_inc_mapped(struct profil_buffer *buffer,
			      const struct profil_region *region, u64 pc)
{
	unsigned long pos = counter_pos(region, pc);
	unsigned long address = profil_buffer_start(region) + pos;
	enum profil_bin bin = PROFIL_BIN_BUSY;

	/* An access that would fault fails instead. */
	pagefault_disable();
	if (is_mapped(buffer, address, pos >> PAGE_SHIFT))
		bin = inc_user(address, region->width);
	pagefault_enable();
	if (!enter_result(buffer, bin))
		return false;
	buffer->looks++;
	return true;
}
