"""The one error of this floor that is meant for a person to read, not for a programmer."""


class ConfigurationError(Exception):
    """The machine or its settings stop the program; the message says how to mend it.

    `manage.py` prints the message without a traceback and leaves with exit code 2.
    """
