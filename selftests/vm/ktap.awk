# SPDX-License-Identifier: GPL-2.0-only
# Reads the framed KTAP of many programs, passes it on as one and counts:
#
#	# begin NAME	the program's own output follows
#	# end STATUS	it ended so
#	# boot NAME	a guest starts; its programs follow
#	# halt STATUS	it ended so: no program may be left inside
#
# A program without a test point is one itself: its status says which.

function result(ok, name, directive)
{
	printf "%s %d - %s%s\n", ok ? "ok" : "not ok", ++total, name, directive
	fflush()
}

function fail(what)
{
	failed++
	bad[++nr_bad] = what
}

function finish(status, why)
{
	inside = 0
	why = ""
	if (status == 124 || status == 137)
		why = "ended by the time limit or killed"
	else if (status == "none")
		why = "the guest ended before it did"
	else if (status != 0 && status != 4 && !not_oks)
		why = "ended with status " status
	else if (plan >= 0 && points != plan && !not_oks)
		why = "planned " plan " test points, had " points
	if (why != "") {
		fail(name ": " why)
		print "  # " why
	} else if (points == 0) {
		if (status == 4 || plan_skip)
			skipped++
		else
			passed++
	}
	result(why == "" && !not_oks, name,
		status == 4 || plan_skip ? " # SKIP" : "")
}

BEGIN {
	print "KTAP version 1"
	passed = failed = skipped = 0
}

/^# begin / {
	name = substr($0, 9)
	inside = 1
	points = not_oks = plan_skip = 0
	plan = -1
	print "# " name
	next
}

/^# end / {
	finish($3)
	next
}

/^# boot / {
	boot = substr($0, 8)
	print "# " boot ": booting"
	fflush()
	next
}

/^# halt / {
	if (inside)
		finish("none")
	if ($3 != 0)
		fail(boot ": the guest failed, status " $3)
	result($3 == 0, boot)
	next
}

inside && /^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	plan_skip = plan == 0 && /# *SKIP/
}

inside && /^ok [0-9]/ {
	points++
	if (/# *SKIP/)
		skipped++
	else
		passed++
}

inside && /^not ok [0-9]/ {
	points++
	if (/# *(TODO|XFAIL)/) {
		skipped++
	} else {
		not_oks++
		match($0, /^not ok [0-9]+ *-? */)
		fail(name ": " substr($0, RLENGTH + 1))
	}
}

NF == 0 {
	next
}

{
	print (inside ? "  " : "") $0
	fflush()
}

END {
	if (inside)
		finish("none")
	print "1.." total
	for (i = 1; i <= nr_bad; i++)
		print "# failed: " bad[i]
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0
}
