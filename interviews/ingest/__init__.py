"""Reads files that strangers upload into passages that know their place.

:mod:`interviews.ingest.sandbox` is the way in: it has a process of its own read each file, with
little memory and time, without a network and without the right to write anywhere but in its
folder. What a reader gives is in :mod:`interviews.ingest.passages`.
"""
