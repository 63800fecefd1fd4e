"""The agreement page: its figures are those of the functions of `stats`, with intervals, n, and verdicts in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from annotation_app import TOKEN, Served, serving
from annotation_texts import make_set

from jatdae.app.annotation.rating import Rating
from jatdae.stats.agreement import intraclass_correlation, krippendorff_alpha, spearman, weighted_kappa
from jatdae.store import Store
from jatdae.store.annotations import Annotations, AnnotationSet
from jatdae.types import Estimate

RATERS = ("김서연", "박하은", "이도윤")


def rate(tables: Annotations, made: AnnotationSet, raters: tuple[str, ...]) -> None:
    for shift, rater in enumerate(raters):
        rating = Rating(tables, made, rater)
        for unit in rating.order:
            number = int(unit[1:6], 16)
            if made.kind == "rubric":
                scores = [(number + criterion) % 9 + (shift if number % 3 else 0) % 3 for criterion in range(2)]
                rating.say(unit, {"scores": scores, "comment": ""})
            else:
                first = rating.left(unit) == "first"
                prefers_first = (number % 3 + (shift if number % 5 == 0 else 0)) % 2 == 0
                rating.say(unit, {"choice": "left" if prefers_first == first else "right", "comment": ""})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("store")
    made = [
        make_set(folder, "rubric", 12, "점수"),
        make_set(folder, "pairs", 20, "짝"),
        make_set(folder, "pairs", 3, "빈"),
    ]
    with Store.open(folder) as store:
        tables = Annotations(store)
        rate(tables, made[0], RATERS)
        rate(tables, made[1], RATERS)
    with serving(folder) as running:
        yield running


def ratings(served: Served, name: str) -> dict[str, dict[str, Any]]:
    """Each rater's stored values by unit, straight from the table."""
    with Store.open(served.store) as store:
        tables = Annotations(store)
        found: dict[str, dict[str, Any]] = {rater: {} for rater in RATERS}
        for one in tables.latest(tables.set(name).id):
            found[one.rater][one.unit] = one.value
    return found


def shown(estimate: Estimate | None) -> str:
    assert estimate is not None and estimate.low is not None and estimate.high is not None
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}] n={estimate.n}"


def cells(row: Any) -> list[str]:
    return [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]


def items_of(served: Served, name: str) -> dict[str, str]:
    with Store.open(served.store) as store:
        tables = Annotations(store)
        secrets = tables.secrets(tables.set(name).id)
    return {
        unit: secret["sample"]["item"] if "sample" in secret else secret["item"] for unit, secret in secrets.items()
    }


def test_figures_of_scores_are_those_of_stats(open_page: Any, served: Served) -> None:
    values = ratings(served, "점수")
    items = items_of(served, "점수")
    units = list(values[RATERS[0]])
    # The page lists units in the order in which the store has their answers, that of the first rater.
    scores = [[values[rater][unit]["scores"] for unit in units] for rater in RATERS]
    overall = [[0.6 * one["자연스러움"] + 0.4 * one["절제"] for one in row] for row in scores]
    clusters = [items[unit] for unit in units]
    watched = open_page(locale="ko-KR")
    page = watched.page

    page.goto(f"{served.url}/annotate/%EC%A0%90%EC%88%98/agreement?token={TOKEN}")
    page.wait_for_selector("#criteria[aria-busy=false]")
    page.wait_for_selector("#judges[aria-busy=false]")

    row = cells(page.locator("tr[data-criterion=overall]"))
    assert row[0] == "전체" and row[2] == "24"
    assert row[3] == shown(krippendorff_alpha(overall, clusters=clusters))
    assert row[4] == shown(krippendorff_alpha(overall, "interval", clusters=clusters))
    table = [list(column) for column in zip(*overall, strict=True)]
    assert row[6] == shown(intraclass_correlation(table, "2,1", clusters=clusters))
    assert row[7] == shown(intraclass_correlation(table, "3,1", clusters=clusters))
    pair = cells(page.locator("tr:has-text('김서연 · 박하은')"))
    assert pair[2] == shown(weighted_kappa(overall[0], overall[1], clusters=clusters))
    assert pair[3] == shown(spearman(overall[0], overall[1], clusters=clusters))
    assert page.locator("#criteria tbody tr").count() == 2
    assert "24개" in page.locator(".told").first.inner_text()
    assert page.locator("#judges").inner_text().startswith("견줄 심판이 없습니다")
    verdict = page.locator("tr[data-criterion=overall] .standing").inner_text()
    alpha = float(row[3].split()[0])
    assert verdict == ("쓸 만함" if alpha >= 0.8 else "조심해서 씀" if alpha >= 0.667 else "쓰기 어려움")
    watched.assert_clean()


def test_figures_of_choices_are_those_of_stats(open_page: Any, served: Served) -> None:
    values = ratings(served, "짝")
    units = list(values[RATERS[0]])
    clusters = [items_of(served, "짝")[unit] for unit in units]
    points = {"first": 1.0, "tie": 0.0, "second": -1.0}
    table = [[points[values[rater][unit]["preferred"]] for unit in units] for rater in RATERS]
    page = open_page(locale="en-US").page

    page.goto(f"{served.url}/annotate/%EC%A7%9D/agreement?token={TOKEN}")

    row = cells(page.locator("tr[data-criterion=preferred]"))
    assert row[3] == shown(krippendorff_alpha(table, "nominal", clusters=clusters))
    pair = cells(page.locator("tr:has-text('박하은 · 이도윤')"))
    assert pair[2] == shown(weighted_kappa(table[1], table[2], "plain", clusters=clusters))
    assert re.fullmatch(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\] n=\d+", row[4])


def test_a_set_without_answers_shows_no_figure(open_page: Any, served: Served) -> None:
    watched = open_page({"width": 390, "height": 844}, locale="ko-KR")
    page = watched.page

    page.goto(f"{served.url}/annotate/%EB%B9%88/agreement?token={TOKEN}")

    assert page.locator(".told").inner_text() == "아직 답이 없습니다."
    assert set(page.locator("tr[data-criterion] .figure").all_inner_texts()) == {"n/a"}
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    watched.assert_clean()
