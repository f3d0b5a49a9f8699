# SPDX-License-Identifier: MIT
# Pictures are read and written by libpng.
$(call needs,poisson,png.h,-lpng,libpng-dev)
