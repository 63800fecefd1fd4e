"""Reading headlines and sentence pairs: YNAT, STS, NLI."""

from __future__ import annotations

from jatdae.benchmarks.klue.labels import HUB_INFERENCE, HUB_TOPICS, SIMILARITY
from jatdae.benchmarks.klue.reading.rows import Row
from jatdae.benchmarks.klue.records import InferencePair, SimilarityPair, Topic

_SCOPES = ("first-scope", "second-scope", "third-scope")
_VOTES = ("author", "label2", "label3", "label4", "label5")
HIGHEST = 5
"""The end of the similarity scale, which starts at 0."""


def topic(row: Row) -> Topic:
    """A headline of a release file or the hub; annotations, address and date may be absent. Raises DataError."""
    return Topic(
        guid=row.text("guid"),
        title=row.text("title"),
        label=row.label("label", HUB_TOPICS),
        publisher=row.optional_text("predefined_news_category"),
        scopes=_scopes(row),
        url=row.optional_text("url"),
        date=row.optional_text("date"),
    )


def _scopes(row: Row) -> tuple[tuple[str, ...], ...]:
    if row.values.get("annotations") is None:
        return ()
    inner = row.inner("annotations").inner("annotations")
    return tuple(inner.texts(scope) for scope in _SCOPES)


def similarity_pair(row: Row) -> SimilarityPair:
    """A sentence pair with its similarity; the single ratings may be absent. Raises DataError."""
    labels = row.inner("labels")
    return SimilarityPair(
        guid=row.text("guid"),
        source=row.text("source"),
        sentence1=row.text("sentence1"),
        sentence2=row.text("sentence2"),
        real_label=labels.bounded("real-label", 0, HIGHEST),
        label=labels.bounded("label", 0, HIGHEST),
        binary=_binary(labels),
        ratings=_ratings(row),
    )


def _binary(labels: Row) -> str:
    if isinstance(labels.value("binary-label"), str):
        return labels.label("binary-label", SIMILARITY)
    number = labels.integer("binary-label")
    if number not in (0, 1):
        raise labels.fault(f"0 or 1 is expected, found {number}", "binary-label")
    return SIMILARITY[number]


def _ratings(row: Row) -> tuple[tuple[str, int], ...]:
    if row.values.get("annotations") is None:
        return ()
    inner = row.inner("annotations")
    annotators, scores = inner.texts("annotators"), inner.integers("annotations")
    if len(annotators) != len(scores):
        raise inner.fault(f"{len(scores)} ratings of {len(annotators)} annotators", "annotations")
    return tuple(zip(annotators, scores, strict=True))


def inference_pair(row: Row) -> InferencePair:
    """A premise and a hypothesis; train calls its source `genre`, the hub its label `label`. Raises DataError."""
    source = "genre" if "source" not in row.values and "genre" in row.values else "source"
    return InferencePair(
        guid=row.text("guid"),
        source=row.text(source),
        premise=row.text("premise"),
        hypothesis=row.text("hypothesis"),
        label=row.label("label" if row.from_hub else "gold_label", HUB_INFERENCE),
        votes=tuple(row.text(vote) for vote in _VOTES if row.values.get(vote) is not None),
    )
