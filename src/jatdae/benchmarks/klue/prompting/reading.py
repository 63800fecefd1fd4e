"""MRC by prompting: a short answer is generated and read by strict rules.

What counts is the text after the model's reasoning. Of it the first line that says something is the answer, without a
leading `답:` or `정답:`. The words `답 없음` alone, blanks and punctuation aside, are the empty answer; other wordings
of the same are text, and wrong. A text that ends in its reasoning, or whose answer the token limit cuts, is truncated;
one that declines, in words that aren't the passage's, is refused; one that says nothing is unparsed. None of the three
earns anything, not even where there is no answer to be found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from jatdae.benchmarks.klue.prompting.asking import Asking, Reply
from jatdae.benchmarks.klue.prompting.wording import NO_ANSWER, READING
from jatdae.benchmarks.klue.records import Question
from jatdae.korean.reasoning import visible_text
from jatdae.korean.refusal import is_refusal
from jatdae.types import Completion, Generate, Model, Outcome, Prompt, Protocol, Sampling

LINE_BREAK = "\n"
_CUE = re.compile(r"(?:정답|답변|답)\s*[:：]")
_NO_WORD = re.compile(r"[\W_]+")


class ReadingAsking(Asking):
    """A passage and a question, which it may not answer."""

    wording = READING
    note = f"the first line of the reply is the answer as it is written; only the words '{NO_ANSWER}' mean no answer"
    sampling = Sampling(max_tokens=64, stop=(LINE_BREAK,))
    generates = True

    def fields(self, record: Question) -> Mapping[str, str]:
        return {"context": record.context, "question": record.question}

    def answer(self, record: Question) -> str:
        return record.gold[0] or NO_ANSWER

    def kind(self, record: Question) -> str:
        return "unanswerable" if record.is_impossible else "answerable"

    def request(self, prompt: Prompt, protocol: Protocol) -> Generate:
        # a chat model may reason first, over many lines
        kept = tuple(stop for stop in protocol.sampling.stop if not (protocol.chat_template and stop == LINE_BREAK))
        return Generate(prompt, replace(protocol.sampling, stop=kept))

    async def ask(self, record: Question, prompt: Prompt, protocol: Protocol, model: Model) -> Reply:
        """An answer ends with its line. A text that says nothing by then is asked for again without that stop."""
        request = self.request(prompt, protocol)
        completion = await model.generate(request)
        stops = tuple(stop for stop in request.sampling.stop if stop != LINE_BREAK)
        if stops != request.sampling.stop and _says_nothing(completion):
            completion = await model.generate(replace(request, sampling=replace(request.sampling, stop=stops)))
        return self.read(record, completion)

    def read(self, record: Question, completion: Completion) -> Reply:
        """The answer in a text, or why there is none."""
        told = {"response": completion.text, "finish": completion.finish}
        line, is_last = _first_line(completion.text)
        if line is None:
            cut = completion.finish == "length" or visible_text(completion.text) is None
            return Reply(None, Outcome.TRUNCATED if cut else Outcome.UNPARSED, told)
        if is_last and completion.finish == "length":
            return Reply(None, Outcome.TRUNCATED, told)
        if _NO_WORD.sub("", line) == _NO_WORD.sub("", NO_ANSWER):
            return Reply({"prediction": ""}, detail=told)
        if is_refusal(line) and line not in record.context:
            return Reply(None, Outcome.REFUSED, told)
        return Reply({"prediction": line}, detail=told)


def _says_nothing(completion: Completion) -> bool:
    """Whether the line break that ended the text came before an answer: at its start, after a cue, in reasoning."""
    return completion.finish == "stop" and _first_line(completion.text)[0] is None


def _first_line(text: str) -> tuple[str | None, bool]:
    """The first line after the reasoning that says something, its cue dropped, and whether no line follows it."""
    lines = (visible_text(text) or "").split(LINE_BREAK)
    for number, line in enumerate(lines, 1):
        said = line.strip()
        cue = _CUE.match(said)
        said = said[cue.end() :].strip() if cue else said
        if said:
            return said, number == len(lines)
    return None, True
