/* SPDX-License-Identifier: MIT */
/*
 * The part of <profil.h>, which includes it, that only C++ understands:
 * monitor and monstartup with addresses of any kind.
 */
#ifndef PROFIL_MONITOR_HPP
#define PROFIL_MONITOR_HPP

struct profil_address {
	unsigned long value;

	template <class T> profil_address(T number) :
		value(static_cast<unsigned long>(number)) {}
	template <class T> profil_address(T *pointer) :
		value(reinterpret_cast<unsigned long>(pointer)) {}
};

inline void monitor(profil_address lowpc, profil_address highpc = 0,
		    void *buffer = 0, size_t bufsize = 0, size_t nfunc = 0)
{
	profil_monitor(lowpc.value, highpc.value, buffer, bufsize, nfunc);
}

inline void monstartup(profil_address lowpc, profil_address highpc)
{
	monstartup(lowpc.value, highpc.value);
}

#endif /* PROFIL_MONITOR_HPP */
