/* SPDX-License-Identifier: MIT */
/* Whether two shares differ: the tests, and what they are computed of. */
#ifndef PROFIL_STATISTICS_H
#define PROFIL_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* The regularized incomplete beta function I_x(a, b). */
double stat_beta(double x, double a, double b);

/* The chance that |t| is as large with df degrees of freedom. */
double stat_student(double t, double df);

/* Numbers of one side: their mean, variance (by nr - 1), and how many. */
struct stat_set {
	double mean, variance;
	size_t nr;
};

struct stat_set stat_set_of(const double *values, size_t nr);

struct stat_test {
	double t, df, p;
};

/* A set with one number gets the other's variance, if that is larger. */
void stat_raise_single(struct stat_set *a, struct stat_set *b);

/*
 * Welch's t of two sets, after stat_raise_single().  Where one has one number, the
 * degrees of freedom are the other's.
 */
struct stat_test stat_welch(struct stat_set a, struct stat_set b);

/*
 * Fisher's exact test: k1 of n1 and k2 of n2.  Twice the smaller tail, which is
 * never less than what other definitions of two sides have.
 */
double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2);

/* Holm's adjustment of values that are sorted, the smallest first. */
void stat_holm(double *p, size_t nr);

#endif /* PROFIL_STATISTICS_H */
