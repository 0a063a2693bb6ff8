// SPDX-License-Identifier: MIT
/*
 * The statistics of profil diff against values of Python's scipy 1.10.1:
 * special.betainc, stats.t.sf, stats.ttest_ind(equal_var=False), and the
 * tails of stats.hypergeom.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "statistics.h"

static unsigned int nr_tests, nr_bad;

static bool near(double is, double wanted)
{
	return fabs(is - wanted) <= fabs(wanted) / 100000000000;
}

static void expect(const char *name, bool good)
{
	nr_bad += !good;
	printf("%sok %u %s\n", good ? "" : "not ", ++nr_tests, name);
}

static bool beta_known(void)
{
	static const double known[][4] = {
		{ 0.5, 2, 3, 0.6875 },
		{ 0.1, 0.5, 0.5, 0.2048327646991335 },
		{ 0.9, 10, 0.5, 0.15164090963470997 },
		{ 0.001, 5, 0.5, 2.461963550285714 / 10000000000000000 },
		{ 0.3, 50, 70, 0.003566135005956953 },
		{ 0.999, 1000, 0.5, 0.15724727426683946 },
		{ 0.7, 2.5, 0.5, 0.2031106637200549 },
		{ 0, 2, 3, 0 },
		{ 1, 2, 3, 1 },
	};
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		double is = stat_beta(known[i][0], known[i][1], known[i][2]);

		if (!near(is, known[i][3])) {
			printf("# I_%g(%g, %g) is %.17g\n", known[i][0],
			       known[i][1], known[i][2], is);
			good = false;
		}
	}
	return good;
}

static bool student_known(void)
{
	static const double known[][3] = {
		{ 2, 4, 0.1161165235168155 },
		{ 1, 1, 0.5 },
		{ -3.5, 7.3, 0.00934313852848555 },
		{ 12.706204736, 1, 0.05000000000068465 },
		{ 30, 2, 0.0011092626819596588 },
		{ 0, 5, 1 },
		{ 4.5, 1000, 7.5930710264982366 / 1000000 },
		{ 10, 3.25, 0.00150173484490217 },
	};
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		double is = stat_student(known[i][0], known[i][1]);

		if (!near(is, known[i][2])) {
			printf("# p of t = %g with %g is %.17g\n", known[i][0],
			       known[i][1], is);
			good = false;
		}
	}
	return good && stat_student(INFINITY, 3) == 0;
}

static bool welch_is(const double *a, size_t nr_a, const double *b, size_t nr_b,
		     struct stat_test wanted)
{
	struct stat_test is = stat_welch(stat_set_of(a, nr_a),
					 stat_set_of(b, nr_b));

	if (near(is.t, wanted.t) && near(is.df, wanted.df) &&
	    near(is.p, wanted.p))
		return true;
	printf("# t %.17g, df %.17g, p %.17g\n", is.t, is.df, is.p);
	return false;
}

static bool welch_known(void)
{
	static const double a[] = {
		27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6,
		23.1, 19.6, 19.0, 21.7, 21.4
	}, b[] = {
		27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2,
		21.9, 22.1, 22.9, 30.5, 24.4
	}, c[] = { 40.1, 40.3, 39.9 }, d[] = { 44.8, 45.4, 45.1 },
	e[] = { 1, 2 }, f[] = { 3, 5, 4 }, g[] = { 1, 2, 4 }, h[] = { 5 };

	return welch_is(a, 15, b, 15, (struct stat_test){
			-2.8529548701715215, 27.88730398842012,
			0.008071938172194901 }) &
	       welch_is(c, 3, d, 3, (struct stat_test){
			-24.019223070763022, 3.484536082474215,
			5.374401009922979 / 100000 }) &
	       welch_is(e, 2, f, 3, (struct stat_test){
			-3.273268353539886, 2.8823529411764697,
			0.049416256862577515 }) &
	       welch_is(h, 1, g, 3, (struct stat_test){
			1.511857892036909, 2, 0.26970325665977835 });
}

/* A single run of few samples is not as sure as the others' agreement. */
static bool welch_single(void)
{
	const struct stat_set one = { .mean = 0.1, .variance = 0.0006, .nr = 1 },
		several = { .mean = 0.14, .variance = 0.000001, .nr = 5 };

	return stat_welch(one, several).p > 0.1 &&
	       stat_welch(several, one).p > 0.1;
}

static bool fisher_known(void)
{
	static const double known[][5] = {
		{ 10, 100, 20, 100, 0.07342758972137636 },
		{ 0, 50, 5, 50, 0.05628449442882433 },
		{ 500, 1000, 560, 1000, 0.00819346102546032 },
		{ 3, 10, 3, 10, 1 },
		{ 40000, 100000, 41000, 100000, 5.3493331894786284 / 1000000 },
		{ 1, 5000, 12, 5000, 0.003398955297647275 },
		{ 7, 9, 1, 80, 8.18120964636864 / 100000000 },
	};
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const double *k = known[i];
		double is = stat_fisher(k[0], k[1], k[2], k[3]);
		double back = stat_fisher(k[2], k[3], k[0], k[1]);

		/* Logarithms of factorials of 100,000 have ten digits. */
		if (fabs(is - k[4]) > k[4] / 100000000 ||
		    fabs(back - k[4]) > k[4] / 100000000) {
			printf("# %g of %g, %g of %g: %.17g\n", k[0], k[1],
			       k[2], k[3], is);
			good = false;
		}
	}
	return good;
}

/* By hand: 4 x 0.01, 3 x 0.02, 2 x 0.03 and no less, 1 x 0.8. */
static bool holm_known(void)
{
	double p[] = { 0.01, 0.02, 0.025, 0.8 }, many[] = { 0.6, 0.7 };

	stat_holm(p, 4);
	stat_holm(many, 2);
	return near(p[0], 0.04) && near(p[1], 0.06) && near(p[2], 0.06) &&
	       near(p[3], 0.8) && many[0] == 1 && many[1] == 1;
}

int main(void)
{
	puts("KTAP version 1");
	expect("statistics_beta_is_scipys", beta_known());
	expect("statistics_student_is_scipys", student_known());
	expect("statistics_welch_is_scipys", welch_known());
	expect("statistics_welch_single_run_keeps_its_own", welch_single());
	expect("statistics_fisher_is_scipys", fisher_known());
	expect("statistics_holm_is_what_it_is_by_hand", holm_known());
	printf("1..%u\n", nr_tests);
	return nr_bad > 0;
}
