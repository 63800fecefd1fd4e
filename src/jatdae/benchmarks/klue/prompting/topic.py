"""YNAT by prompting: the seven topics' names are compared."""

from __future__ import annotations

from collections.abc import Mapping

from jatdae.benchmarks.klue.prompting.asking import Choosing
from jatdae.benchmarks.klue.prompting.wording import TOPIC
from jatdae.benchmarks.klue.records import Topic


class TopicAsking(Choosing):
    """A headline and one of seven topics."""

    wording = TOPIC

    def fields(self, record: Topic) -> Mapping[str, str]:
        return {"title": record.title}
