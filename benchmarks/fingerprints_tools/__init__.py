"""Are failures of compilers, linters, build tools and crashing programs known again? Real runs of real tools."""
