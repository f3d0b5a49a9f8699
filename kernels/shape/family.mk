# SPDX-License-Identifier: MIT
# Pictures are read and written by libpng.
$(call needs,shape,png.h,-lpng,libpng-dev)
