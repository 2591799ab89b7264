"""What holds of every question, whoever words it: its language, repetition, the last resort."""
