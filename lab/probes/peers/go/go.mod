module freehold

go 1.26
