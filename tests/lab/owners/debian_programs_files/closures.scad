// Each function literal keeps the scope that it is made in, which has the function.
made = [for (i = [1:2000]) let (twice = function(x) 2 * x) twice(i)];
cube(len(made));
