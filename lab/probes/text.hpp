#pragma once
// Macros as text.

#define LAB_TEXT_(x) #x
#define LAB_TEXT(x) LAB_TEXT_(x)
