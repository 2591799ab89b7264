"""What is asked in every mode once the mode is done or out of time: more time, personal data.

Its wording is fixed, and no language model ever reads or writes any of it.
"""
