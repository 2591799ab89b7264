"""The curve of saturation as points of a drawing. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.study.saturation import Saturation

WIDTH, HEIGHT = 320, 150
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 10, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing of WIDTH × HEIGHT: the line, the band around it, Chao2's height and its interval.

    Ticks are (place, label). Empty without interviews.
    """

    line: str = ""
    band: str = ""
    chao2: float | None = None
    low: float | None = None
    high: float | None = None
    x_ticks: tuple[tuple[float, int], ...] = ()
    y_ticks: tuple[tuple[float, int], ...] = ()


def saturation_plot(saturation: Saturation) -> Plot:
    """Draw the accumulation of themes; the interval is cut at the drawing's upper edge."""
    curve = saturation.curve
    if not curve:
        return Plot()
    shown = [*(point.high for point in curve), *(point.themes for point in curve)]
    estimates = not saturation.too_few and saturation.chao2 is not None
    top = max(shown) * 1.25 if max(shown) else 1.0
    if estimates and saturation.chao2 is not None:
        top = max(top, min(saturation.chao2 * 1.15, max(shown) * 3))
    count = len(curve)

    def x(interviews: float) -> float:
        across = (interviews - 1) / max(count - 1, 1)
        return round(LEFT + across * (WIDTH - LEFT - RIGHT), 1)

    def y(themes: float) -> float:
        up = min(themes / top, 1.0)
        return round(HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), 1)

    upper = [f"{x(point.interviews)},{y(point.high)}" for point in curve]
    lower = [f"{x(point.interviews)},{y(point.low)}" for point in reversed(curve)]
    return Plot(
        line=" ".join(f"{x(point.interviews)},{y(point.themes)}" for point in curve),
        band=" ".join([*upper, *lower]),
        chao2=y(saturation.chao2) if estimates and saturation.chao2 is not None else None,
        low=y(saturation.low) if estimates and saturation.low is not None else None,
        high=y(saturation.high) if estimates and saturation.high is not None else None,
        x_ticks=tuple((x(n), n) for n in sorted({1, (count + 1) // 2, count})),
        y_ticks=tuple((y(n), n) for n in sorted({0, round(top / 2.5), round(top / 1.25)})),
    )
