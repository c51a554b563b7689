"""ACT: the only code that changes files or starts processes."""
