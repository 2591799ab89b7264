"""A small fitted model that says which of several questions a skilled interviewer would ask.

It is the first layers of all-MiniLM-L6-v2 with low-rank adapters and one head, fitted to questions
that were judged in the place where they would have been asked. Deterministic: no sampling.
"""
