// SPDX-License-Identifier: GPL-2.0-only
/* The highest rate that a caller may have. */
#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/user_namespace.h>

#include "observe/observe.h"

/* Context: process. */
u32 profil_rate_max(void)
{
	if (hrtimer_resolution > 1)
		return HZ;
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN) ?
	       PROFIL_RATE_MAX_ROOT : PROFIL_RATE_MAX;
}

/* Context: process.  Return: 0, -EPERM or -EOPNOTSUPP. */
int profil_rate_check(u32 rate_hz)
{
	if (rate_hz <= profil_rate_max())
		return 0;
	return hrtimer_resolution > 1 ? -EOPNOTSUPP : -EPERM;
}
