"""What the columns of a long table hold, in memory that does not grow with its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interviews.ingest.passages import Segment

MOST_COLUMNS = 200
MOST_VALUES = 20
"""Different values of a column that are named; of one with more only the first few are."""


class _Column:
    def __init__(self, name: str) -> None:
        self.name = name
        self.filled = self.numbers = 0
        self.least, self.most, self.total = float("inf"), float("-inf"), 0.0
        self.values: dict[str, int] = {}

    def add(self, value: object) -> None:
        said = str(value).strip() if value is not None else ""
        if not said:
            return
        self.filled += 1
        try:
            number = float(said)
        except ValueError:
            pass
        else:
            self.numbers += 1
            self.least, self.most = min(self.least, number), max(self.most, number)
            self.total += number
        if said in self.values or len(self.values) <= MOST_VALUES:
            key = said[:60]
            self.values[key] = self.values.get(key, 0) + 1

    def __str__(self) -> str:
        told = [f"{self.filled} values"]
        if self.numbers:
            mean = self.total / self.numbers
            told.append(f"{self.least:g} to {self.most:g}, {mean:g} on average")
        if self.filled > self.numbers:
            names = ", ".join(list(self.values)[:MOST_VALUES])
            told.append(f"among them {names}" if len(self.values) > MOST_VALUES else names)
        return f"{self.name}: {'; '.join(told)}"


class Columns:
    """Counts, ranges and values of each column of a table whose rows come one by one."""

    def __init__(self, header: Sequence[object]) -> None:
        """`header` names the columns; at most 200 of them are followed."""
        names = [str(name).strip() if name is not None else "" for name in header[:MOST_COLUMNS]]
        self._columns = [_Column(name or f"column {at}") for at, name in enumerate(names, start=1)]
        self.rows = 0

    def add(self, row: Sequence[object]) -> None:
        """Count a row."""
        self.rows += 1
        for column, value in zip(self._columns, row, strict=False):
            column.add(value)

    def summary(self, mark: str) -> Iterator[Segment]:
        """What the columns hold; stands at `mark`."""
        yield Segment(text=f"{self.rows} rows in all.\n", mark=mark)
        for column in self._columns:
            yield Segment(text=f"{column}\n", mark=mark)
