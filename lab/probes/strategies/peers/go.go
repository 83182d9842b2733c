package main

// Go's own garbage collector as it comes: it marks beside the program, and starts when the heap has doubled.
const growth = 100 // percent, the variable GOGC
