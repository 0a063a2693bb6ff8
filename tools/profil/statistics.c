// SPDX-License-Identifier: MIT
/* Student's t by the incomplete beta function, Welch's, Fisher's and Holm's. */
#include <float.h>
#include <math.h>

#include "statistics.h"

/* Of a sum, what adds nothing to it any more. */
#define NOTHING	(DBL_EPSILON / 16)

double stat_beta(double x, double a, double b)
{
	double term = 1, sum = 1, n;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	/* Where the terms would grow at first. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - stat_beta(1 - x, b, a);
	/* The series of x^n (a + b)...(a + b + n - 1) / (a + 1)...(a + n). */
	for (n = 0; term > sum * NOTHING; n++) {
		term *= x * (a + b + n) / (a + 1 + n);
		sum += term;
	}
	return sum / a * exp(lgamma(a + b) - lgamma(a) - lgamma(b) +
			     a * log(x) + b * log1p(-x));
}

double stat_student(double t, double df)
{
	if (isinf(t))
		return 0;
	return stat_beta(df / (df + t * t), df / 2, 0.5);
}

struct stat_set stat_set_of(const double *values, size_t nr)
{
	struct stat_set set = { .nr = nr };
	size_t i;

	for (i = 0; i < nr; i++)
		set.mean += values[i] / nr;
	for (i = 0; i < nr && nr > 1; i++)
		set.variance += (values[i] - set.mean) *
				(values[i] - set.mean) / (nr - 1);
	return set;
}

void stat_raise_single(struct stat_set *a, struct stat_set *b)
{
	if (a->nr < 2 && a->variance < b->variance)
		a->variance = b->variance;
	if (b->nr < 2 && b->variance < a->variance)
		b->variance = a->variance;
}

struct stat_test stat_welch(struct stat_set a, struct stat_set b)
{
	struct stat_test test = { .p = 1 };
	double x, y;

	stat_raise_single(&a, &b);
	x = a.variance / a.nr;
	y = b.variance / b.nr;
	if (a.nr < 2 || b.nr < 2)
		test.df = a.nr + b.nr - 2;
	else
		test.df = (x + y) * (x + y) /
			  (x * x / (a.nr - 1) + y * y / (b.nr - 1));
	if (a.mean == b.mean || (a.nr < 2 && b.nr < 2))
		return test;
	test.t = (a.mean - b.mean) / sqrt(x + y);
	if (x + y > 0)
		test.p = stat_student(test.t, test.df);
	else
		test.p = 0;
	return test;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
	double k, other, n, m, term, sum;

	/* The tail of the side that has less than its part. */
	if ((double)k1 * n2 > (double)k2 * n1)
		return stat_fisher(k2, n2, k1, n1);
	k = k1;
	other = k2;
	n = n1;
	m = n2;
	term = exp(log_choose(n, k) + log_choose(m, other) -
		   log_choose(n + m, k + other));
	sum = term;
	for (; k > 0 && other < m && term > sum * NOTHING; k--, other++) {
		term *= k * (m - other) / ((n - k + 1) * (other + 1));
		sum += term;
	}
	return 2 * sum < 1 ? 2 * sum : 1;
}

void stat_holm(double *p, size_t nr)
{
	double least = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		p[i] *= nr - i;
		if (p[i] > 1)
			p[i] = 1;
		if (p[i] < least)
			p[i] = least;
		least = p[i];
	}
}
