# SPDX-License-Identifier: GPL-2.0-only
# The samples in a gmon.out, and their rate, from od -An -v -tu1 -w1.

function u32(at)
{
	return byte[at] + 256 * (byte[at + 1] + 256 * (byte[at + 2] + \
		256 * byte[at + 3]))
}

{ byte[NR - 1] = $1 }

# The header has 20 bytes; a histogram record begins with the tag 0, has the
# number of its counters at 17, their rate at 21 and 16-bit counters from 41 on.
END {
	for (at = 20; at < NR && byte[at] == 0; at += 41 + 2 * bins) {
		bins = u32(at + 17)
		rate = u32(at + 21)
		for (i = 0; i < bins; i++)
			samples += byte[at + 41 + 2 * i] + \
				256 * byte[at + 42 + 2 * i]
	}
	print samples + 0, rate
}
