# SPDX-License-Identifier: MIT
# Pictures are read and written by libpng.
$(call needs,images,png.h,-lpng,libpng-dev)
