# SPDX-License-Identifier: GPL-2.0-only
# Draws the first entries of a call graph with the times of both runs: what
# graph.awk made of the one, then of the other.

{ key = $1 " " $2 " " $3 }

FNR == NR {
	if ($1 != order[entries])
		order[++entries] = $1
	row[$1, ++rows[$1]] = key
	calls[key] = $4
	time[key] = sprintf("%7s%8s", $5, $6)
	total[key] = $5 + $6
	next
}

{
	other[key] = sprintf("%7s%8s", $5, $6)
	total[key] += $5 + $6
}

function show(key, indent)
{
	printf "  %s %s%20s  %s%s\n", time[key], other[key], calls[key],
		indent, part[3]
}

# main, what it calls, and what is called there most.
END {
	print "       tick, s        SIGPROF, s"
	print "   self   below    self   below               calls  function"
	for (e = 1; e <= 4; e++) {
		hidden = 0
		for (r = 1; r <= rows[order[e]]; r++) {
			key = row[order[e], r]
			split(key, part)
			if (part[2] == "itself")
				show(key, "")
			else if (part[2] == "parent")
				continue
			else if (total[key] > 0)
				show(key, "    calls ")
			else
				hidden++
		}
		if (hidden)
			printf "%54s    calls %d more, in no time\n", "", hidden
	}
}
