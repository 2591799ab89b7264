"""The ways of interviewing, a package each; :mod:`interviews.modes.registry` knows them."""
