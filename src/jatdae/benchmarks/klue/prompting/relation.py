"""RE by prompting: all 30 relations are compared, each by a Korean phrase, whatever the types of the two names."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.klue.prompting.asking import Choosing
from jatdae.benchmarks.klue.prompting.wording import ENTITY_WORDS, RELATION
from jatdae.benchmarks.klue.records import Relation


class RelationAsking(Choosing):
    """A sentence, two names in it and the relation between them. The probabilities are what AUPRC ranks by."""

    wording = RELATION

    def fields(self, record: Relation) -> Mapping[str, str]:
        return {
            "sentence": record.sentence,
            "subject": record.subject.word,
            "subject_type": ENTITY_WORDS[record.subject.type],
            "object": record.object.word,
            "object_type": ENTITY_WORDS[record.object.type],
        }
