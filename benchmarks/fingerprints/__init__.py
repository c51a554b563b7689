"""Is a failure of a real test runner known again elsewhere, and told from another one?"""
