"""SEE: raw output -> Failure -> fingerprint. Pure: no clock, disk, network or randomness."""
