! SPDX-License-Identifier: GPL-2.0-only
! Fortran: module procedures, one of them recursive, that count their calls;
! works for as many seconds of CPU time as the argument says, then prints them.
module mix
	implicit none
	integer(8) :: threes = 0, ones = 0, sums = 0
	integer(8), volatile :: turns = 0
contains
	subroutine three()
		integer :: i
		threes = threes + 1
		do i = 1, 30000
			turns = turns + 1
		end do
	end subroutine three

	subroutine one()
		integer :: i
		ones = ones + 1
		do i = 1, 10000
			turns = turns + 1
		end do
	end subroutine one

	recursive function total(n) result(sum)
		integer, intent(in) :: n
		integer :: sum
		sum = n
		if (n > 1) then
			sum = n + total(n - 1)
		else
			! Those from outside: all chains end here.
			sums = sums + 1
		end if
	end function total
end module mix

program fortran
	use mix
	implicit none
	character(len=16) :: argument
	real :: seconds, now
	integer :: i

	seconds = 0
	if (command_argument_count() > 0) then
		call get_command_argument(1, argument)
		read (argument, *) seconds
	end if
	do
		do i = 1, 50
			call three()
			call one()
			if (total(5) /= 15) error stop
		end do
		call cpu_time(now)
		if (now >= seconds) exit
	end do
	print '(a,i0)', '__mix_MOD_three ', threes
	print '(a,i0)', '__mix_MOD_one ', ones
	print '(a,i0)', '__mix_MOD_total ', sums
	print '(a)', 'MAIN__ 1'
end program fortran
