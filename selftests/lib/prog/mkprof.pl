# SPDX-License-Identifier: GPL-2.0-only
# Writes a made-up mon.out or gmon.out to standard output.
# usage: perl mkprof.pl KEY=VALUE...
#   kind=mon|gmon word= low= high= scale= width= hz= version= magic=
#   calls=PC:N,...  counts=INDEX:N,...  even=1 (each byte of text one sample)
#   tail=BYTES  ncnt= nbins= (what the header says)
use strict;
use warnings;

my %o = (kind => 'mon', word => 8, low => 0x401000, high => 0x401300,
	 scale => 0x8000, width => 2, hz => 100, version => 1,
	 magic => "mon.out\0", calls => '', counts => '', even => 0, tail => 0);
for (@ARGV) {
	my ($key, $value) = split /=/, $_, 2;
	$o{$key} = $value =~ /^0x[0-9a-f]+$/ ? hex $value : $value;
}
my $range = $o{high} - $o{low};
my $last = int(($range - 1) * $o{scale} / 65536 / $o{width});
my @counters = (0) x ($last + 1);
for (split /,/, $o{counts}) {
	my ($index, $count) = split /:/;
	$counters[$index] += $count;
}
if ($o{even}) {
	$counters[int($_ * $o{scale} / 65536 / $o{width})]++ for 0 .. $range - 1;
}
my @calls = map { my ($pc, $n) = split /:/; [hex $pc, $n] }
	split /,/, $o{calls};
my %pack = (2 => 'S', 4 => 'L', 8 => 'Q');
binmode STDOUT;
if ($o{kind} eq 'mon') {
	print pack 'a8LLQQQQLLLL', $o{magic}, $o{version}, $o{word}, $o{low},
		$o{high}, $o{ncnt} // scalar @calls, $o{nbins} // scalar @counters,
		$o{scale}, $o{width}, $o{hz}, 0;
	print pack 'QQ', @$_ for @calls;
	print pack "$pack{$o{width}}*", @counters;
} else {
	my $w = $pack{$o{word}};

	print pack 'a4La12', 'gmon', $o{version}, '';
	# Twice: of records over the same text the counters add up.
	for (1 .. 2) {
		print pack "C$w${w}LLa15a", 0, $o{low}, $o{high},
			scalar @counters, $o{hz}, 'seconds', 's';
		print pack 'S*', @counters;
	}
	print pack "C$w${w}L", 1, $o{high} - 64, @$_ for @calls;
}
print "\t" x $o{tail};
