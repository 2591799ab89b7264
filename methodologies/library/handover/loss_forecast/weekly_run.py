"""The weekly run: fetch claims, fit curves, refresh the workbook, raise flags.

Started by the scheduler on Monday mornings on the ACTUARY server.
"""

import subprocess
import sys

import fit_curves

VARIANCE_TRIGGER = 0.15
RETRY_MINUTES = 20
MAX_RETRIES = 3
ARRIVAL_HOUR = 18


def flagged(actual, forecast):
    """Whether somebody has to look at a region before the numbers go out."""
    variance = abs(actual - forecast) / forecast
    return variance > VARIANCE_TRIGGER


def reserve(expected, uncertainty):
    """What is set aside: the expectation and a margin on top of it."""
    return expected + 1.28 * uncertainty


def export_to_ledger(rows):
    """Write the booking file for the LEDGER system."""
    lines = [f"{region};{amount:.2f}" for region, amount in rows]
    subprocess.run(["ledger-load", "--stdin"], input="\n".join(lines), text=True, check=True)


def main():
    claims = fit_curves.read_history("history.csv")
    if not claims:
        sys.exit("no claims: ask Tomas Brandt in claims operations")
    # TODO: stop the run when a region is missing instead of carrying the old value on


if __name__ == "__main__":
    main()
