"""Fields that the console's forms share."""

from __future__ import annotations

from typing import Any

import yaml
from django import forms


class YamlField(forms.CharField):
    """Settings as a few lines of YAML, which is what documents are written in too."""

    widget = forms.Textarea(attrs={"rows": 4, "class": "console-input"})

    def prepare_value(self, value: Any) -> Any:
        """Lines, whatever is stored; what was typed stays as it was."""
        if isinstance(value, str):
            return value
        return yaml.safe_dump(value, sort_keys=False, allow_unicode=True) if value else ""

    def to_python(self, value: Any) -> Any:
        """The data, None where nothing is said."""
        try:
            return yaml.safe_load(value) if isinstance(value, str) else value
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "it"
            raise forms.ValidationError(
                f"This cannot be read: look at {where}. Write a setting a line, as in the example."
            ) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether something else is said, however it is written."""
        try:
            return (self.to_python(data) or None) != (initial or None)
        except forms.ValidationError:
            return True
