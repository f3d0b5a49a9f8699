/* SPDX-License-Identifier: MIT
 * The platform of a command that is not told one: the file that was calibrated on this machine,
 * where there is one.
 *
 * $WARPREEL_OWN_PLATFORM names the file (empty: none), else it is warpreel/here.ini in
 * $XDG_CONFIG_HOME, else in ~/.config. One of another processor or number of cores is not of this
 * machine: homes are shared.
 */
#ifndef WARPREEL_OWN_PLATFORM_H
#define WARPREEL_OWN_PLATFORM_H

/* `asked`: by --platform; NULL = nothing was. Says so when it takes the machine's own. Owned by the
 * caller; NULL: none was asked for, and this machine has none. */
char *own_platform(const char *asked);

#endif
