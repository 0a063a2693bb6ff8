// SPDX-License-Identifier: GPL-2.0-only
/*
 * One region's buffer in the process's memory: watched for changes of its
 * mapping, pinned while it is counted into.
 *
 * An increment must land where a store by the program would.  So whatever
 * happens to the mapping makes the buffer stale before it takes effect:
 *
 *	tick				munmap, mprotect, madvise, fork, ...
 *	lock				mmu_notifier_invalidate_range_start()
 *	  LIVE: store to pages[]	  invalidate(): lock
 *	unlock				    STALE
 *	...				  unlock
 *	lock				change of the page tables
 *	  STALE: the pc waits
 *	unlock, the settle work runs
 *
 * The lock is what makes it sound: once invalidate() has returned, no tick
 * is still storing to the old page.
 *
 * Most events leave the page where it is, fork's above all.  So a tick in the
 * process itself looks whether the page that is pinned is the one that is
 * mapped, and writable, at that moment, and need not wait.  It then stores to the
 * program's address, not to the page: by the time of the store the mapping may
 * have changed, and on many machines no interrupt holds up that change.  That
 * costs as much as to pin four pages, so once it has cost as much as pinning all,
 * the buffer is pinned.
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <asm/futex.h>

#include "region/bin.h"
#include "delay.h"
#include "profil.h"

/* Where its first page is. */
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
 * Its pages and its watch are given back by profil_refresh().
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
	if (range->event == MMU_NOTIFY_UNMAP)
		buffer->gone = true;
	raw_spin_unlock_irqrestore(&profile->lock, flags);
}

/**
 * profil_buffer_watch() - begin to watch the mapping
 * @buffer: zeroed but for its profile, whose mm has users
 * @region: what it is for
 * @ops: its callback calls profil_buffer_invalidate()
 *
 * The buffer begins stale.  Undone by profil_buffer_release().
 *
 * Context: process; may sleep.  The caller holds mmap_lock to write.
 */
int profil_buffer_watch(struct profil_buffer *buffer,
			const struct profil_region *region,
			const struct mmu_interval_notifier_ops *ops)
{
	int ret;

	buffer->offset = region->offset;
	buffer->scale = region->scale;
	buffer->mask = profil_bin_mask(region->width);
	buffer->first = offset_in_page(region->base);
	buffer->nr_pages = profil_buffer_nr_pages(region);
	ret = mmu_interval_notifier_insert_locked(&buffer->watch,
						  buffer->profile->mm,
						  profil_buffer_start(region),
						  buffer->nr_pages << PAGE_SHIFT,
						  ops);
	if (ret)
		return ret;
	buffer->watched = true;
	profil_ledger_in(PROFIL_LEDGER_WATCHES, 1);
	return 0;
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

/* Where in the pinned pages the counter of a pc is. */
static unsigned long counter_pos(const struct profil_region *region, u64 pc)
{
	unsigned long pos = offset_in_page(region->base);

	if (region->flags & PROFIL_REGION_F_OVERFLOW)
		return pos;
	return pos + profil_bin_index(pc - region->offset, region->scale,
				      region->width);
}

/* Enters what came of an increment; false if nothing did. */
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
 * Return: false if the program stores to the counter so often that there was
 * no way in between.
 */
bool profil_buffer_inc(struct profil_buffer *buffer,
		       const struct profil_region *region, u64 pc)
{
	unsigned long pos = counter_pos(region, pc);
	unsigned long index = array_index_nospec(pos >> PAGE_SHIFT,
						 buffer->nr_pages);
	void *page = buffer->memory[index];

	return enter_result(buffer, profil_bin_inc(page + offset_in_page(pos),
					    region->width));
}

/* Is the page that is pinned mapped there, at this moment, and writable? */
static bool is_mapped(const struct profil_buffer *buffer, unsigned long address,
		      unsigned long index)
{
	struct page *mapped;
	bool same;

	if (!buffer->pinned)
		return false;
	/* The last reference to a page may be ours to put: RT can't, here. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	if (!get_user_page_fast_only(address, FOLL_WRITE, &mapped))
		return false;
	same = page_address(mapped) == buffer->memory[index];
	put_page(mapped);
	return same;
}

/*
 * Adds one through the program's own mapping, a word at a time: the upper half of
 * a counter of 64 bits is left to profil_buffer_inc().
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
 * Return: false if another page, or none, is mapped there now.
 */
bool profil_buffer_inc_mapped(struct profil_buffer *buffer,
			      const struct profil_region *region, u64 pc)
{
	unsigned long pos = counter_pos(region, pc);
	unsigned long address = profil_buffer_start(region) + pos;
	enum profil_bin bin = PROFIL_BIN_BUSY;

	/* Neither of the two faults: this is how an interrupt says so. */
	pagefault_disable();
	if (is_mapped(buffer, address, pos >> PAGE_SHIFT))
		bin = inc_user(address, region->width);
	pagefault_enable();
	if (!enter_result(buffer, bin))
		return false;
	buffer->looks++;
	return true;
}

/**
 * profil_buffer_is_worth_pinning() - has looking cost as much as pinning would?
 * @buffer: stale
 *
 * Context: any; the caller holds the profile's lock.
 */
bool profil_buffer_is_worth_pinning(const struct profil_buffer *buffer)
{
	return buffer->looks > buffer->nr_pages / 4;
}
