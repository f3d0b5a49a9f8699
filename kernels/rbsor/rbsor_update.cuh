/* SPDX-License-Identifier: MIT
 * One point of red-black SOR: as the CPU has it (rbsor_cpu.c), to the bit.
 */
#ifndef WARPREEL_RBSOR_UPDATE_CUH
#define WARPREEL_RBSOR_UPDATE_CUH

/* `horizontal`, `vertical`: sums of the neighbours either way. */
template <typename T>
__device__ __forceinline__ T rbsor_updated(T u, T omega, T horizontal, T vertical)
{
	return u + omega * (T(0.25) * (horizontal + vertical) - u);
}

#endif
