# SPDX-License-Identifier: GPL-2.0-only
# One line for each line of gprof -b -q:
#	entry role function calls self children
# where role is parent, itself or child, and the numbers may be "-".

function flush_entry(	i)
{
	for (i = 1; i <= n; i++)
		print entry, (i < at ? "parent" : i == at ? "itself" : "child"),
			line[i]
	n = at = 0
}

/^index / { on = 1; next }
/^\f/ || !on || NF == 0 { next }
/^-----/ { flush_entry(); next }
/<spontaneous>/ { next }

{
	primary = /^\[/
	sub(/ \[[0-9]+\]$/, "")
	sub(/ <cycle [0-9]+( as a whole)?>$/, "")
	function_ = $NF
	calls = NF > 1 && $(NF - 1) ~ /^[0-9]+([+\/][0-9]+)?$/ ? $(NF - 1) : "-"
	if (primary) {
		self = $3
		children = $4
		at = n + 1
		entry = function_
	} else if (NF >= 4) {
		self = $1
		children = $2
	} else {
		self = children = "-"
	}
	line[++n] = function_ " " calls " " self " " children
}
