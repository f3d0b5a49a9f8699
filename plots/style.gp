# SPDX-License-Identifier: MIT
# How every figure looks. Loaded first by each .gp, which has set `picture`, the file to write, `data`, the folder with
# its tables, and `machine`, the GPU and platform that the title names, where the data are of one. The ending of `picture` chooses the terminal: .svg for documents, .png to look at.

data = (strlen(data) ? data : "build/plots") . "/"
is_png = (picture[strlen(picture) - 3:] eq ".png")
if (!exists("width")) width = 900
if (!exists("height")) height = 480
if (is_png) set terminal pngcairo noenhanced font "DejaVu Sans,10" size width,height background rgb "white"
if (!is_png) set terminal svg noenhanced font "DejaVu Sans,Verdana,Arial,sans-serif,12" size width,height background rgb "white"
set output picture

set datafile separator "\t"
set datafile missing NaN
set datafile commentschars "#"
set encoding utf8
set border 3 linewidth 0.8 linecolor rgb "#444444"
set tics nomirror out scale 0.6 textcolor rgb "#222222"
set grid linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set key samplen 1.6 spacing 1.05 textcolor rgb "#222222"

# Okabe and Ito's palette, told apart with every common colour blindness, and in grey.
ink = "#222222"; grey = "#999999"
blue = "#0072B2"; orange = "#E69F00"; green = "#009E73"; red = "#D55E00"; purple = "#CC79A7"; sky = "#56B4E9"; yellow = "#F0E442"
array series[7] = [ink, blue, green, orange, red, purple, sky]
array marks[7] = [7, 5, 9, 11, 13, 15, 3]
