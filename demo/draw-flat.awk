# SPDX-License-Identifier: GPL-2.0-only
# Draws the top of a flat profile, with what the other run says about the same
# functions, from two outputs of gprof -b -p.

# A function without a recorded call has no numbers of calls.
NF >= 4 && $1 ~ /^[0-9.]+$/ && $3 ~ /^[0-9.]+$/ {
	if (FNR == NR) {
		name[++n] = $NF
		calls[n] = NF >= 7 ? $4 : ""
		percent[n] = $1
		self[n] = $3
	} else {
		other_percent[$NF] = $1
		other_self[$NF] = $3
	}
}

END {
	print "         tick           SIGPROF"
	print "  % time  self s    % time  self s       calls  function"
	for (i = 1; i <= n && i <= 10; i++)
		printf "  %6.1f%8.2f    %6.1f%8.2f  %10s  %s\n", percent[i],
			self[i], other_percent[name[i]], other_self[name[i]],
			calls[i], name[i]
}
