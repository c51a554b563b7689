"""What does trueup itself cost? `make bench` answers; docs/performance.md explains."""
