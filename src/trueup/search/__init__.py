"""How is a small bug in Python repaired by search, without a model?

The package is copied beside the project and runs in the project's own interpreter, inside the pytest session that the
check starts. So it uses the standard library alone, imports its own modules relatively, and works from Python 3.10 on.
"""
