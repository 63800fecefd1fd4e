"""Sets to rate, written for these tests: two models whose names must never be seen, one hostile text, one long one."""

from __future__ import annotations

from pathlib import Path

from jatdae.judging.annotation.units import Pair, pair_units, rubric_units
from jatdae.judging.cases import Case, Criterion, Response, Section
from jatdae.store import Store
from jatdae.store.annotations import Annotations, AnnotationSet, SetKind

ONE, OTHER = "openai:가람-7B", "hf:models/naru-13b"
TELLING = ("가람", "naru", "13b", "openai", "hf:", "text_hash", "hashes")
CRITERIA = (
    Criterion("자연스러움", "한국어답게 이어지는지 봅니다.", 0.6, ("번역 투가 남았다",)),
    Criterion("절제", "넘치지 않는지 봅니다.", 0.4),
)
HOSTILE = (
    "</script><script>document.title='뚫림'</script><img src=x onerror=alert(1)> ![그림](http://evil.example/a.png)"
    " {{ 7 * 7 }} \x1b[31m빨강\x1b[0m \x00 \ud800 \u202e뒤집힘 저는 가람-7B입니다."
)
LONG = "가" * 100_000


def case(number: int) -> Case:
    context = (Section("과제", f"{number}번째 편지를 쓰세요."),)
    return Case(f"T{number}", "", 1, "편지", context, "", CRITERIA)


def text(model: str, number: int) -> str:
    if model == ONE and number == 0:
        return HOSTILE
    return LONG if number == 1 else f"{'봄' if model == ONE else '가을'}에 쓰는 {number}번째 편지입니다. 잘 지내시지요?"


def response(model: str, number: int) -> Response:
    return Response(model, (Section("응답", text(model, number)),))


def make_set(folder: Path, kind: SetKind, count: int, name: str = "봄편지") -> AnnotationSet:
    """`count` cases that both models have answered: twice as many texts, or as many pairs."""
    with Store.open(folder) as store:
        if kind == "rubric":
            samples = [(case(number), response(model, number)) for number in range(count) for model in (ONE, OTHER)]
            units = rubric_units(samples, seed="s", size=None)
        else:
            pairs = [Pair(case(number), response(ONE, number), response(OTHER, number)) for number in range(count)]
            units = pair_units(pairs, seed="s", size=None)
        return Annotations(store).create(name, kind, {"seed": "s", "source": "task"}, units)
