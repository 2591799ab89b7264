"""Fit development curves to the claims history and blend them with the prior year.

Called by weekly_run.py. Reads history.csv, writes the factors that loss_model.xlsx picks up.
"""

import csv
from collections import defaultdict

HISTORY_QUARTERS = 4
LARGE_LOSS_CAP = 200_000
MIN_CLAIMS = 30
SMOOTHING = 0.2
BASE_CURVE = None


def read_history(path):
    """Claims by region and quarter, large losses capped."""
    claims = defaultdict(list)
    with open(path, newline="") as source:
        for row in csv.DictReader(source):
            paid = min(float(row["paid"]), LARGE_LOSS_CAP)
            claims[row["region"], row["quarter"]].append(paid)
    return claims


def credibility(count):
    """Limited fluctuation: full credibility at 1,082 claims."""
    return (count / 1082) ** 0.5


def blend(observed, expected, count):
    """Weigh what was seen against what was expected."""
    if count < MIN_CLAIMS:
        return expected
    weight = credibility(count)
    return weight * observed + (1 - weight) * expected


def smooth(factors):
    """Exponential smoothing from the oldest quarter to the newest."""
    level = factors[0]
    for factor in factors[1:]:
        level = SMOOTHING * factor + (1 - SMOOTHING) * level
    return level


def drift(old, new):
    """How far the curve has moved; a jump is not believed at once."""
    change = abs(new - old) / old
    if change > 0.08:
        # Halved because one broker once sent the same file twice.
        return (old + new) / 2
    return new
