"""What a run will take, as tables."""

from __future__ import annotations

from rich.text import Text

from jatdae.evaluate.munbench.estimating import RunEstimate
from jatdae.evaluate.munbench.precision import Precision
from jatdae.reports.munbench.escaping import one_line
from jatdae.reports.tables import columns, console


def show_estimate(estimate: RunEstimate) -> None:
    """Print calls, tokens, cost and expected precision to standard output."""
    out = console()
    title = f"{estimate.contestants} contestants, {estimate.units} prompts, {estimate.pairs:,} pairs to compare"
    header = ("stage", "model", "calls", "tokens read", "tokens written", "tokens at most", "USD", "USD at most")
    rows = [
        (
            one.stage,
            one_line(one.model),
            f"{one.calls:,}",
            f"{one.prompt_tokens:,}",
            f"{one.completion_tokens:,}",
            f"{one.most_tokens:,}",
            _money(one.cost_usd),
            _money(one.most_usd),
        )
        for one in estimate.stages
    ]
    total = ("all", "", f"{estimate.calls:,}", "", "", f"{estimate.most_tokens:,}")
    part = "+ unknown" if estimate.unpriced and estimate.cost_usd is not None else ""
    rows.append((*total, f"{_money(estimate.cost_usd)} {part}".strip(), f"{_money(estimate.most_usd)} {part}".strip()))
    out.print(columns(header, rows, title=title))
    for line in (*_precision(estimate.precision), *estimate.notes):
        out.print(Text(one_line(line)))


def _precision(found: Precision | None) -> list[str]:
    if found is None:
        return []
    return [
        f"expected 95 % interval of a rating: ±{found.rating:.0f} Elo ({found.comparisons:,} comparisons alone "
        f"±{found.by_games:.0f}; {found.items} items alone ±{found.item_floor:.0f}, which no judge and no order buys)",
        f"a difference of two ratings cannot be known better than ±{found.difference_floor:.0f} Elo on these items",
    ]


def _money(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.2f}"
