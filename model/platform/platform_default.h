/* SPDX-License-Identifier: MIT
 * The platform of commands that are not told one, and of what make validates, draws and computes
 * again: the one that has all of measurements, recordings and kernel profiles. mk/report.mk reads
 * it from here.
 */
#ifndef WARPREEL_PLATFORM_DEFAULT_H
#define WARPREEL_PLATFORM_DEFAULT_H

#define PLATFORM_DEFAULT "h200x4"

#endif
