// As closures.scad, without closures.
made = [for (i = [1:2000]) let (twice = 2 * i) twice];
cube(len(made));
