"""Which failures does a rule repair?"""
