"""A small fitted model that marks what an answer says: spans, their kinds, stances and relations.

It is all-MiniLM-L6-v2 with low-rank adapters and a few heads, fitted to the labelled answers of the
project's tests. Deterministic: float32 throughout, no sampling.
"""
