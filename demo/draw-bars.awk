# SPDX-License-Identifier: GPL-2.0-only
# Draws the samples of hello by function, from nm's output and then hello's;
# ends with 1 if heavy() does not have 75 % of them, give or take 5.

function hex(digits,	i, value)
{
	for (i = 1; i <= length(digits); i++)
		value = 16 * value + \
			index("0123456789abcdef", substr(digits, i, 1)) - 1
	return value
}

function draw(what, number,	bar)
{
	bar = sprintf("%" int(50 * number / sum + 0.5) "s", "")
	gsub(/ /, "#", bar)
	printf "   %-6s%6d%7.1f %%%s\n", what, number, 100 * number / sum,
		bar ? "  " bar : ""
}

FNR == NR {
	if ($2 ~ /[tT]/) {
		name[++n] = $3
		start[n] = hex($1)
	}
	next
}

# A counter belongs to the last function that starts at or before it.
{
	pc = hex($1)
	best = 1
	for (i = 2; i <= n; i++)
		if (start[i] <= pc && (start[best] > pc ||
				start[i] > start[best]))
			best = i
	count[name[best]] += $2
	sum += $2
}

END {
	if (!sum)
		exit 1
	print "   in     samples"
	draw("heavy", count["heavy"])
	draw("light", count["light"])
	draw("other", sum - count["heavy"] - count["light"])
	share = 100 * count["heavy"] / sum
	exit !(share >= 70 && share <= 80)
}
