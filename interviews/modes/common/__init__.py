"""What holds in every mode: when an interview ends, repairs, foci, and reading an answer."""
