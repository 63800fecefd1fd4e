"""Which items tell models apart. It proposes what to look at; no item is ever dropped by the models that it ranks.

Source: judging specification, section 3.4; MunBench specification, requirement B13.
"""

from __future__ import annotations

from typing import Any

from jatdae.reports.munbench.scored import Scored
from jatdae.stats.agreement import item_rest_correlations
from jatdae.stats.agreement.item_rest import FEWEST_MODELS

SATURATED, SHARE = 9.0, 0.9
"""An item with this share of the models at 9 points or more tells them apart no longer."""
WEAK = 0.1


def item_table(scored: Scored) -> dict[str, Any]:
    """Item-rest correlation and ceiling by item of each track; None where fewer than 8 models have every score."""
    found: dict[str, Any] = {}
    for track, units in scored.main_units.items():
        values = {model: scored.values(model, units) for model in scored.models}
        shared = [unit.id for unit in units if any(unit.id in own for own in values.values())]
        whole = [own for own in values.values() if all(unit in own for unit in shared)]
        if len(whole) < FEWEST_MODELS or len(shared) < 2:
            found[str(track)] = None
            continue
        correlations = item_rest_correlations([[own[unit] for unit in shared] for own in whole])
        rows = {
            unit: {
                "item_rest": correlation,
                "at_ceiling": sum(own[unit] >= SATURATED for own in whole) / len(whole),
            }
            for unit, correlation in zip(shared, correlations, strict=True)
        }
        found[str(track)] = {
            "models": len(whole),
            "items": rows,
            "weak": [unit for unit, row in rows.items() if row["item_rest"] and row["item_rest"].value < WEAK],
            "saturated": [unit for unit, row in rows.items() if row["at_ceiling"] >= SHARE],
        }
    return found
