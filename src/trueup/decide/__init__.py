"""DECIDE: recorded facts -> the next move. Pure: no clock, disk, network or randomness."""
