"""How requests become token ids: where prompt and option part, which special tokens stand before, what is too long."""

from __future__ import annotations

import pytest
from tiny_model import CHAT_TEMPLATE, CHAT_TEMPLATE_WITH_BOS, build_tokenizer

pytest.importorskip("transformers")

from hypothesis import given
from hypothesis import strategies as st

from jatdae.errors import ModelError, RequestFailed
from jatdae.models.hf.compat import TEMPLATE_DATE
from jatdae.models.hf.encoding import EncodedPrompt, EncodedScore, Encoder, split
from jatdae.types import Generate, Message, Sampling, Score

BOS, EOS = 0, 1


@pytest.fixture(scope="module")
def plain() -> Encoder:
    return Encoder(build_tokenizer(bos=False), window=200)


@pytest.fixture(scope="module")
def with_bos() -> Encoder:
    return Encoder(build_tokenizer(bos=True, chat_template=CHAT_TEMPLATE_WITH_BOS), window=200)


def score(encoder: Encoder, context: str | tuple[Message, ...], *options: str) -> EncodedScore:
    encoded = encoder.encode([Score(context, options)])[0]
    assert isinstance(encoded, EncodedScore)
    return encoded


def test_context_and_option_are_encoded_together(plain: Encoder) -> None:
    encoded = score(plain, "동생은 부엌에서", " 빵을 샀다.", " 웃었다.")
    texts = [plain.tokenizer.decode(ids) for ids in encoded.sequences()]
    assert texts == ["동생은 부엌에서 빵을 샀다.", "동생은 부엌에서 웃었다."]
    assert plain.tokenizer.decode(encoded.context) == "동생은 부엌에서"
    assert not encoded.merged


def test_spaces_at_the_end_of_the_context_go_to_the_option(plain: Encoder) -> None:
    moved, plainly = score(plain, "정답： ", "A", "B"), score(plain, "정답：", " A", " B")
    assert (moved.sequences(), moved.options) == (plainly.sequences(), plainly.options)


def test_a_token_over_the_boundary_leaves_every_option_a_token() -> None:
    """Given that `: C` is one token, when `정답:` is followed by letters, then all four are split before the colon."""
    from tokenizers import AddedToken

    tokenizer = build_tokenizer(bos=False)
    tokenizer.add_tokens([AddedToken(": C", normalized=False)])
    encoded = score(Encoder(tokenizer, 200), "정답:", " A", " B", " C", " D")
    assert encoded.merged
    assert all(encoded.options)
    assert [tokenizer.decode(option) for option in encoded.options] == [": A", ": B", ": C", ": D"]


@given(
    context=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    wholes=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=4),
)
def test_a_split_always_leaves_a_token_and_shares_the_context(context: list[int], wholes: list[list[int]]) -> None:
    start, merged = split(context, wholes)
    assert all(len(whole) > start for whole in wholes)
    assert all(whole[:start] == context[:start] for whole in wholes)
    clean = all(whole[: len(context)] == context and len(whole) > len(context) for whole in wholes)
    assert merged is not clean
    assert start == len(context) or merged


def test_a_start_token_is_added_once_where_the_tokenizer_adds_one(with_bos: Encoder, plain: Encoder) -> None:
    assert score(with_bos, "봄", " 여름").sequences()[0].count(BOS) == 1
    assert score(with_bos, "<s>봄", " 여름").sequences()[0].count(BOS) == 1
    assert BOS not in score(plain, "봄", " 여름").sequences()[0]


def test_a_template_that_writes_the_start_token_does_not_get_a_second(with_bos: Encoder) -> None:
    messages = (Message("user", "봄 다음은?"),)
    ids = score(with_bos, messages, "여름").sequences()[0]
    assert ids[0] == BOS and ids.count(BOS) == 1
    prompt = with_bos.encode([Generate(messages)])[0]
    assert isinstance(prompt, RequestFailed)  # 256 new tokens do not fit a window of 200
    prompt = with_bos.encode([Generate(messages, Sampling(max_tokens=10))])[0]
    assert isinstance(prompt, EncodedPrompt)
    assert with_bos.tokenizer.decode(prompt.ids) == "<s><|user|>\n봄 다음은?<|end|>\n<|assistant|>\n"


def test_an_assistant_turn_at_the_end_is_continued() -> None:
    encoder = Encoder(build_tokenizer(bos=False, chat_template=CHAT_TEMPLATE), 200)
    text = encoder.render((Message("user", "답은?"), Message("assistant", "정답은")))
    assert text.endswith("<|assistant|>\n정답은")


def test_an_empty_context_starts_from_the_start_or_the_end_token(plain: Encoder, with_bos: Encoder) -> None:
    for encoder in (plain, with_bos):
        encoded = score(encoder, "", "봄", "여름")
        assert encoded.context.tolist() == [BOS]
        assert all(BOS not in option for option in encoded.options)


def test_messages_without_a_template_are_refused_with_the_reason(plain: Encoder) -> None:
    with pytest.raises(ModelError, match="no chat template"):
        plain.encode([Score((Message("user", "봄"),), ("여름",))])


def test_a_template_that_raises_is_reported_in_one_line() -> None:
    strict = "{{ raise_exception('system role not supported') }}"
    encoder = Encoder(build_tokenizer(bos=False, chat_template=strict), 200)
    with pytest.raises(ModelError, match=r"refuses these messages.*system role not supported"):
        encoder.encode([Generate((Message("system", "너는"), Message("user", "봄")))])


DATED = "{% if strftime_now is defined %}{% set today = strftime_now('%d %b %Y') %}{% endif %}"


@pytest.mark.parametrize("start", ["", "  ", "\n", "\n  "])
def test_a_template_that_asks_for_the_date_gives_one_text_on_every_day(
    start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given the clock on two days, the text has a fixed date; all else is as the template engine writes it."""
    import datetime

    from transformers.utils import chat_template_utils

    template = f"{start}{DATED}\n{{{{ today }}}}|{{{{ strftime_now('%Y-%m-%d %A %H') }}}}\n{CHAT_TEMPLATE}"
    tokenizer = build_tokenizer(bos=False, chat_template=template)
    messages = (Message("user", "봄 다음은?"),)

    def on(day: datetime.datetime) -> tuple[str, str]:
        class Clock(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
                return day

        monkeypatch.setattr(chat_template_utils, "datetime", Clock)
        plain = tokenizer.apply_chat_template(
            [{"role": "user", "content": "봄 다음은?"}], tokenize=False, add_generation_prompt=True
        )
        return Encoder(tokenizer, 200).render(messages), plain

    day, next_day = on(datetime.datetime(2024, 7, 26)), on(datetime.datetime(2031, 1, 5, 17))
    assert day[0] == day[1] == next_day[0] != next_day[1]
    assert "26 Jul 2024|2024-07-26 Friday 00" in day[0]


def test_the_fixed_date_is_written_as_the_clock_would_write_it() -> None:
    import datetime

    day = datetime.datetime(2024, 7, 26, tzinfo=None)
    assert {code: day.strftime(code) for code in TEMPLATE_DATE} == TEMPLATE_DATE


def test_an_overlong_request_is_refused_alone(plain: Encoder) -> None:
    long, short = Score("비가 오지 않았다. " * 100, (" A", " B")), Score("봄", (" A", " B"))
    refused, kept = plain.encode([long, short])
    assert isinstance(refused, RequestFailed) and refused.kind == "overlong"
    assert "window of 200" in str(refused) and "--truncate left" in str(refused)
    assert isinstance(kept, EncodedScore)


def test_cutting_from_the_left_keeps_one_context_for_all_options() -> None:
    encoder = Encoder(build_tokenizer(bos=False), window=50, truncate="left")
    encoded = score(encoder, "비가 오지 않았다. " * 30 + "답:", " A", " 아무 말도 하지 않고 웃었다.")
    assert max(map(len, encoded.sequences())) == 51  # the last token is read, not fed
    assert encoded.cut > 0
    whole = Encoder(encoder.tokenizer, window=10**6).encode(
        [Score("비가 오지 않았다. " * 30 + "답:", (" A", " 아무 말도 하지 않고 웃었다."))]
    )[0]
    assert isinstance(whole, EncodedScore)
    assert [ids[encoded.cut :] for ids in whole.sequences()] == encoded.sequences()


def test_an_option_longer_than_the_window_fails_even_when_cutting() -> None:
    encoder = Encoder(build_tokenizer(bos=False), window=5, truncate="left")
    failed = encoder.encode([Score("봄", (" 아무 말도 하지 않고 웃었다. 밤하늘의 별을 세어 보았다.",))])[0]
    assert isinstance(failed, RequestFailed) and failed.kind == "overlong"


def test_a_prompt_leaves_room_for_what_is_to_be_written() -> None:
    text = "비가 오지 않았다. " * 30
    refused = Encoder(build_tokenizer(bos=False), window=50).encode([Generate(text, Sampling(max_tokens=20))])[0]
    assert isinstance(refused, RequestFailed) and refused.kind == "overlong"
    cut = Encoder(build_tokenizer(bos=False), window=50, truncate="left").encode(
        [Generate(text, Sampling(max_tokens=20))]
    )[0]
    assert isinstance(cut, EncodedPrompt)
    assert len(cut.ids) == 30 and cut.cut > 0
