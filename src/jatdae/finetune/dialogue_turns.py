"""What a user's turn is to a tracker of dialogue states: the tokens it reads, and how a state is spelled and read back.

Source: the WoS part of the KLUE baseline (arXiv 2105.09680), whose tracker follows TRADE (arXiv 1905.08743).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jatdae.benchmarks.klue.labels import SLOTS
from jatdae.benchmarks.klue.records import Dialogue
from jatdae.errors import ModelError

NONE, POINTER = "none", "ptr"
GATES = (NONE, "dontcare", POINTER, "yes", "no")
"""What may be said of a slot, in the order of the gate's outputs; `ptr` is any value that has to be spelled."""
LONGEST = 10
"""So many tokens a value is spelled with at most, where nothing says how long it is."""

Tokens = tuple[int, ...]


def gate_of(value: str) -> int:
    """The gate's number for a slot's value."""
    return GATES.index(value if value in GATES else POINTER)


def exchanges(dialogue: Dialogue) -> list[tuple[str, str]]:
    """For each turn of the user: what the system said since the one before it ("" at the start), and the turn."""
    said: list[str] = []
    found = []
    for turn in dialogue.turns:
        if turn.role == "user":
            found.append((" ".join(said), turn.text))
            said = []
        else:
            said.append(turn.text)
    return found


def readings(parts: Iterable[tuple[Sequence[int], Sequence[int]]], separator: int) -> Iterator[list[int]]:
    """Tokens up to each of the user's turns, without the first and last special one: history, system, user.

    `parts` are the tokens of the dialogue's `exchanges`.
    """
    history: list[int] = []
    for system, user in parts:
        exchange = [*system, separator, *user]
        yield [*history, separator, *exchange]
        history += [*([separator] if history else []), *exchange]


@dataclass(frozen=True, slots=True)
class Speller:
    """Values as tokens and back, by the encoder's own tokenizer. What was spelled or read once is kept."""

    tokenizer: Any
    special: frozenset[int]
    _spelled: dict[str, Tokens] = field(default_factory=dict)
    _read: dict[Tokens, str] = field(default_factory=dict)

    @classmethod
    def of(cls, tokenizer: Any, name: str) -> Speller:
        """A speller. Raises ModelError for a tokenizer without the two tokens that a dialogue is put together with."""
        if tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
            raise ModelError(f"{name}: the tokenizer has no classification and separator tokens, which klue/wos needs")
        return cls(tokenizer, frozenset(tokenizer.all_special_ids))

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text's tokens, without special ones around them."""
        return self.tokenizer(
            list(texts), add_special_tokens=False, return_attention_mask=False, return_token_type_ids=False
        )["input_ids"]

    def spell(self, value: str) -> Tokens:
        """A value's tokens and the separator that ends it."""
        if value not in self._spelled:
            self._spelled[value] = (*self.tokens([value])[0], self.tokenizer.sep_token_id)
        return self._spelled[value]

    def read(self, tokens: Sequence[int]) -> str:
        """The value that tokens spell: all up to the first special one, put together as the baseline does."""
        end = next((place for place, token in enumerate(tokens) if token in self.special), len(tokens))
        spelled = tuple(tokens[:end])
        if spelled not in self._read:
            text = self.tokenizer.decode(list(spelled), clean_up_tokenization_spaces=False)
            self._read[spelled] = text.replace(" : ", ":").replace(" , ", ", ").replace("##", "").strip()
        return self._read[spelled]

    def is_readable(self, value: str) -> bool:
        """Whether a tracker that makes no mistake can give the value: by its gate, or spelled within `LONGEST`."""
        return gate_of(value) != GATES.index(POINTER) or self.read(self.spell(value)[:LONGEST]) == value

    def state(self, gates: Sequence[int], spelled: Mapping[int, Sequence[int]]) -> list[str]:
        """A state's items from the gate of each slot, and the tokens of those slots whose gate is `ptr`."""
        named = ((slot, GATES[gate], place) for place, (slot, gate) in enumerate(zip(SLOTS, gates, strict=True)))
        values = [(slot, self.read(spelled[place]) if gate == POINTER else gate) for slot, gate, place in named]
        return [f"{slot}-{value}" for slot, value in values if value != NONE]
