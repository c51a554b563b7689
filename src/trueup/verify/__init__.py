"""VERIFY: what do the user's checks say about one tree? Checks -> Report, on a bench that no agent touches."""
