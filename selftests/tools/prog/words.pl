# SPDX-License-Identifier: MIT
# Sorts and joins words: the Perl program of profil(1)'s examples.
use strict;
use warnings;

my ($rounds) = @ARGV;
my ($seed, %seen, $text) = (1);

sub word {
	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	return substr('abcdefghijklmnopqrstuvwxyz', $seed % 20, 2 + $seed % 5) . $seed % 997;
}

for (1 .. $rounds) {
	my @words = map { word() } 1 .. 2000;
	$seen{$_}++ for @words;
	$text = join ' ', sort { $seen{$b} <=> $seen{$a} || $a cmp $b } @words;
	my @found = $text =~ /\b[a-m]\w+5\b/g;
	$seen{found} += @found;
}
