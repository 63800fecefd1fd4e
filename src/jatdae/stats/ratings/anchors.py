"""Where the scale of ratings hangs: anchors, models with published ratings, and the prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from jatdae.errors import RequestError, did_you_mean
from jatdae.stats.clusters import Floats
from jatdae.stats.ratings.newton import ELO, ORIGIN
from jatdae.stats.ratings.separation import Mask

AnchorMode = Literal["free", "mean_pin", "listed", "locked", "shared_pin", "affine"]
"""How anchors place the ratings.

`free`: none; the mean of all models is 1200. `mean_pin`: anchors are rated like all, then their mean is put at 1200.
`listed`, `locked`: each anchor keeps its own given value (from the user, or from an earlier fit). `shared_pin`: all
anchors are held at 1200, or at one given value, which declares them equal; for comparison with published tables only.
`affine`: a free fit, then moved and stretched so that two anchors get their given values.
"""

Anchors = Mapping[str, float] | Sequence[str]
HELD = ("listed", "locked", "shared_pin")


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The placing of the models of one fit, in the order of `models`.

    `anchors` marks them. `fixed` marks the models that are held at `values` (Elo; 1200 elsewhere). `pins` are the two
    numbers of `affine`. `covariance` (Elo^2) says how sure the held values are; 0 for certain.
    """

    mode: AnchorMode
    models: tuple[str, ...]
    anchors: Mask
    fixed: Mask
    values: Floats
    pins: tuple[int, int] | None
    covariance: Floats

    @property
    def is_held(self) -> bool:
        """Whether held values, and not a shift after the fit, place the ratings."""
        return bool(self.fixed.any())

    def kind(self, number: int) -> Literal["free", "anchor", "fixed"]:
        if self.fixed[number]:
            return "fixed"
        return "anchor" if self.anchors[number] else "free"


@dataclass(frozen=True, slots=True)
class Prior:
    """What keeps ratings finite: virtual games per model, half won and half lost against strength 0, or a normal.

    `games` 0 is none. `sd` is in Elo; None is none. Models that are held have no prior.
    """

    games: float = 1.0
    sd: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.games < float("inf"):
            raise RequestError(f"prior_games {self.games}: 0 or more is needed")
        if self.sd is not None and not 0 < self.sd < float("inf"):
            raise RequestError(f"prior_sd {self.sd}: more than 0 is needed")

    @property
    def is_given(self) -> bool:
        return self.games > 0 or self.sd is not None

    @property
    def precision(self) -> float:
        """Of the normal prior, in 1 / nat^2."""
        return 0.0 if self.sd is None else (ELO / self.sd) ** 2

    def __str__(self) -> str:
        said = [f"{self.games:g} virtual game(s) a model"] if self.games else []
        said += [f"normal with sd {self.sd:g}"] if self.sd is not None else []
        return "prior: " + (" and ".join(said) or "none")


def scale(
    models: Sequence[str],
    anchors: Anchors = (),
    mode: AnchorMode | None = None,
    frozen: Mapping[str, float] | None = None,
    covariance: Sequence[Sequence[float]] | Floats | None = None,
) -> Scale:
    """Read the anchors: names alone are `mean_pin`, names with values are `listed`, none are `free`, unless said.

    `frozen` are other models that keep published values; those without games here are left out. `covariance` (Elo^2)
    is that of the listed values, in the order of `anchors`. Raises RequestError where the parts do not fit together or
    an anchor has no game.
    """
    names = list(anchors)
    values = dict(anchors) if isinstance(anchors, Mapping) else {}
    chosen = mode or ("listed" if values else "mean_pin" if names else "free")
    _check(chosen, names, values, frozen or {})
    _check_known(names, models)
    held = dict(frozen or {})
    if chosen in HELD:
        held |= dict.fromkeys(names, ORIGIN) | values
    number = {model: index for index, model in enumerate(models)}
    held = {name: value for name, value in held.items() if name in number}
    fixed = np.array([model in held for model in models], dtype=bool)
    return Scale(
        mode=chosen,
        models=tuple(models),
        anchors=np.array([model in set(names) for model in models], dtype=bool),
        fixed=fixed,
        values=np.array([held.get(model, values.get(model, ORIGIN)) for model in models], dtype=np.float64),
        pins=(number[names[0]], number[names[1]]) if chosen == "affine" and models else None,
        covariance=_spread(covariance, names, number, chosen),
    )


def _check(mode: AnchorMode, names: Sequence[str], values: Mapping[str, float], frozen: Mapping[str, float]) -> None:
    if mode not in get_args(AnchorMode):
        raise RequestError(f"anchor mode {mode!r}: {did_you_mean(mode, get_args(AnchorMode))}")
    if len(set(names)) != len(names):
        raise RequestError(f"anchors {', '.join(names)}: a name appears twice")
    if mode == "free" and names:
        raise RequestError("anchor mode 'free' has no anchors; leave them out or choose 'mean_pin'")
    if mode != "free" and not names:
        raise RequestError(f"anchor mode {mode!r} needs anchors; name at least one")
    if mode in ("listed", "locked", "affine") and len(values) != len(names):
        raise RequestError(f"anchor mode {mode!r} needs a value for each anchor, such as 1200")
    if mode == "shared_pin" and len(set(values.values())) > 1:
        raise RequestError("anchor mode 'shared_pin' holds all anchors at one value; choose 'listed' for several")
    if mode == "affine" and (len(names) != 2 or values[names[0]] == values[names[1]] or frozen):
        raise RequestError("anchor mode 'affine' needs two anchors with different values and no frozen models")
    for name, value in (*values.items(), *frozen.items()):
        if not np.isfinite(value):
            raise RequestError(f"rating {value} of {name!r}: a finite number is needed")


def _check_known(names: Sequence[str], models: Sequence[str]) -> None:
    for name in names:
        if models and name not in models:
            raise RequestError(f"anchor {name!r} has no game; {did_you_mean(name, models)}")


def _spread(
    covariance: Sequence[Sequence[float]] | Floats | None,
    names: Sequence[str],
    number: Mapping[str, int],
    mode: AnchorMode,
) -> Floats:
    """The covariance of the held values over all models."""
    spread = np.zeros((len(number), len(number)))
    if covariance is None:
        return spread
    given = np.asarray(covariance, dtype=np.float64)
    if mode not in ("listed", "locked") or given.shape != (len(names), len(names)):
        raise RequestError(f"anchor covariance: listed anchors and {len(names)} x {len(names)} numbers are needed")
    if not np.isfinite(given).all() or not np.allclose(given, given.T) or np.linalg.eigvalsh(given).min() < -1e-6:
        raise RequestError("anchor covariance: a symmetric matrix without negative variances is needed")
    if number:
        at = [number[name] for name in names]
        spread[np.ix_(at, at)] = given
    return spread
