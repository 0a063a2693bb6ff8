// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a profile: its regions, and the table by which a pc is
 * searched.
 *
 * Regions may overlap.  PROFIL_IOC_SET flattens them into segments that do not
 * overlap, so that a tick does one search.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "region/bin.h"
#include "profil.h"
#include "region/segments.h"

static int region_check(struct profil_layout *layout, u32 i)
{
	const struct profil_region *region = &layout->regions[i];

	if (region->flags & ~PROFIL_REGION_F_OVERFLOW || region->reserved)
		return -EINVAL;
	if (region->width != 2 && region->width != 4 && region->width != 8)
		return -EINVAL;
	if (region->base & (region->width - 1))
		return -EINVAL;
	if (!region->scale || region->scale > PROFIL_SCALE_MAX)
		return -EINVAL;
	if (region->flags & PROFIL_REGION_F_OVERFLOW && region->scale != 2)
		return -EINVAL;
	if (region->size < region->width)
		return -EINVAL;
	if (region->size > PROFIL_SIZE_MAX)
		return -EFAULT;
	if (!(region->flags & PROFIL_REGION_F_OVERFLOW))
		return 0;
	if (layout->overflow != PROFIL_REGION_NONE)
		return -EINVAL;
	layout->overflow = i;
	return 0;
}

static int compare_regions(const void *a, const void *b, const void *regions)
{
	return profil_segments_compare(regions, *(const u16 *)a,
				       *(const u16 *)b);
}

static_assert(PROFIL_REGIONS_MAX <= PROFIL_INDEX_REGION + 1);

static struct profil_index_entry no_entries[] = {
	{ .owner = PROFIL_INDEX_MIXED },
};

const struct profil_index profil_index_empty = {
	.nr = ARRAY_SIZE(no_entries),
	.entries = no_entries,
};

static int build_segments(struct profil_layout *layout)
{
	u32 nr = 0, i;
	u16 *order;

	order = kcalloc(layout->nr_regions, 2 * sizeof(*order), GFP_KERNEL);
	if (!order)
		return -ENOMEM;

	for (i = 0; i < layout->nr_regions; i++)
		if (i != layout->overflow)
			order[nr++] = i;
	sort_r(order, nr, sizeof(*order), compare_regions, NULL,
	       layout->regions);
	layout->nr_segments = profil_segments_build(layout->regions, order, nr,
						    order + layout->nr_regions,
						    layout->start,
						    layout->owner);
	profil_index_build(&layout->index, layout->start, layout->owner,
			   layout->nr_segments);
	kfree(order);
	return 0;
}

/* The struct and its four arrays are one allocation. */
static struct profil_layout *layout_alloc(u32 nr_regions)
{
	u32 nr_segments = PROFIL_SEGMENTS_MAX(nr_regions);
	struct profil_layout *layout;
	size_t size;

	size = struct_size(layout, regions, nr_regions) +
	       nr_segments * (sizeof(*layout->start) + sizeof(*layout->owner)) +
	       PROFIL_INDEX_MAX(nr_segments) * sizeof(*layout->index.entries);
	layout = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!layout)
		return NULL;
	profil_ledger_in(PROFIL_LEDGER_LAYOUTS, 1);
	refcount_set(&layout->ref, 1);
	layout->nr_regions = nr_regions;
	layout->overflow = PROFIL_REGION_NONE;
	layout->start = (u64 *)(layout->regions + nr_regions);
	layout->owner = (u16 *)(layout->start + nr_segments);
	layout->index.entries = (void *)(layout->owner + nr_segments);
	return layout;
}

/**
 * profil_layout_create() - read and check the regions of a PROFIL_IOC_SET
 * @set: the request, with region_size and nr_regions not yet checked
 *
 * Context: the caller's process; may sleep and fault.
 * Return: a layout with one reference, or -EINVAL, -E2BIG, -EFAULT, -ENOMEM.
 */
struct profil_layout *profil_layout_create(const struct profil_set *set)
{
	const void __user *from = u64_to_user_ptr(set->regions);
	struct profil_layout *layout;
	u32 i;
	int ret;

	if (!set->nr_regions || set->region_size < sizeof(struct profil_region))
		return ERR_PTR(-EINVAL);
	if (set->nr_regions > PROFIL_REGIONS_MAX || set->region_size > PAGE_SIZE)
		return ERR_PTR(-E2BIG);

	layout = layout_alloc(set->nr_regions);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	layout->flags = set->flags;
	layout->rate_hz = set->rate_hz;

	for (i = 0; i < set->nr_regions; i++) {
		ret = copy_struct_from_user(&layout->regions[i],
					    sizeof(layout->regions[i]),
					    from + (u64)i * set->region_size,
					    set->region_size);
		if (ret)
			goto err_put;
		/* Mappings are looked up by addresses without tags. */
		layout->regions[i].base = untagged_addr(layout->regions[i].base);
		ret = region_check(layout, i);
		if (ret)
			goto err_put;
	}
	ret = build_segments(layout);
	if (ret)
		goto err_put;
	return layout;

err_put:
	profil_layout_put(layout);
	return ERR_PTR(ret);
}

/* Context: any. */
void profil_layout_put(struct profil_layout *layout)
{
	if (!refcount_dec_and_test(&layout->ref))
		return;
	profil_ledger_out(PROFIL_LEDGER_LAYOUTS, 1);
	/* RCU is not for readers: vfree() may sleep, and a fork may not. */
	kvfree_rcu(layout, rcu);
}

/**
 * profil_layout_find() - the region that takes a pc
 * @layout: the regions
 * @pc: a user address
 *
 * The overflow region is left to the caller.
 *
 * Context: any; at most 11 steps for PROFIL_REGIONS_MAX regions.
 * Return: an index into the regions, or PROFIL_REGION_NONE.
 */
u16 profil_layout_find(const struct profil_layout *layout, u64 pc)
{
	return profil_index_find(&layout->index, layout->start, layout->owner,
				 layout->nr_segments, pc);
}

/**
 * profil_layout_len() - the text that a region takes from its offset on
 * @layout: the regions
 * @region: an index
 *
 * Return: bytes to the end of the region's first segment; 0 for the overflow
 * region, and for a region that does not own its offset.
 */
u64 profil_layout_len(const struct profil_layout *layout, u16 region)
{
	u64 offset = layout->regions[region].offset;
	u32 i = profil_segments_find(layout->start, layout->nr_segments,
				     offset);

	if (layout->owner[i] != region)
		return 0;
	if (i + 1 == layout->nr_segments)
		return ~0ULL - offset;
	return layout->start[i + 1] - offset;
}
