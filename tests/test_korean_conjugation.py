"""The forms that a stem takes in running text, and whether a phrase ends in a stem."""

from __future__ import annotations

import pytest

from jatdae.errors import RequestError
from jatdae.korean.conjugation import conjugated, final_stem
from jatdae.korean.form_search import FormSearch


def found(stem: str, text: str) -> list[str]:
    search = FormSearch((form, 0) for form in conjugated(stem))
    return [text[start:end] for start, end in search.leftmost(text)]


FORMS = {
    "정적이 흐르": (
        "흐른다 흐릅니다 흘렀다 흐르던 흐르는 흐른 흐를 흐르고 "
        "흐르며 흐르면서 흘러서 흐르지만 흐르자 흐르는데 흐르셨다 흐르시던 흘러"
    ),
    "미소를 머금": (
        "머금는다 머금습니다 머금었다 머금던 머금은 머금을 머금고 "
        "머금으며 머금으면서 머금어 머금으니 머금으셨다 머금으시고 머금음"
    ),
    "하염없이 바라보": (
        "바라본다 바라봤다 바라보았다 바라봐 바라보아 바라본 바라볼수록 바라보셨다 바라보십니다 바라보니까 바라보세요"
    ),
    "눈시울이 붉어지": "붉어졌다 붉어진다 붉어져 붉어진 붉어질 붉어짐 붉어지었다 붉어집니다 붉어지시며",
    "마음이 무겁": "무겁다 무거웠다 무거운 무거울 무거워서 무거우니 무거우셨다 무겁게 무겁지만 무거움이 무겁습니다",
    "이름을 짓": "지었다 짓는다 지은 지을 지어서 지으며 짓던 지으셨다 짓고",
    "손을 씻": "씻었다 씻는다 씻은 씻을 씻어서 씻으며 씻으셨다",
    "길을 걷": "걸었다 걷는다 걸은 걸을 걸어서 걸으며 걷던 걸으셨다 걷고",
    "커튼을 걷": "걷었다 걷는다 걷은 걷어서 걷으며 걷고",
    "하늘이 하얗": "하얗다 하얬다 하얀 하얄 하얘서 하야니 하얗고 하얗습니다 하얗네 하야네",
    "기분이 좋": "좋다 좋았다 좋은 좋아서 좋으니 좋을까 좋네",
    "너를 사랑하": "사랑한다 사랑했다 사랑하였다 사랑해서 사랑하여 사랑한 사랑할 사랑합니다 사랑하신 사랑함",
    "꿈이 되": "된다 됐다 되었다 돼서 되어 된 될 됩니다 되신",
    "노을이 물들": "물든다 물들었다 물드는 물든 물들 물들어 물들며 물드니 물듭니다 물드셨다 물들고",
    "불을 끄": "끈다 껐다 꺼서 끈 끌 끄고 끕니다 끄셨다",
    "정상에 이르": "이르렀다 이르러 이른다 이른 이를 이르고",
    "말을 이르": "일렀다 일러 이른다 이르고",
    "목이 메": "메었다 멨다 메어 메서 멘 멜 메고 멥니다",
    "여정을 떠나": "떠났다 떠나 떠나서 떠난다 떠날 떠나며 떠나요",
    "두말할 나위 없": "없다 없었다 없는 없이 없으며 없을 없습니다",
    "사실이 아니": "아니다 아니었다 아닌 아닐 아니라 아니며 아닙니다 아니어서",
}


@pytest.mark.parametrize(("stem", "form"), [(stem, form) for stem, forms in FORMS.items() for form in forms.split()])
def test_given_a_stem_when_its_form_stands_in_a_sentence_then_it_is_found_once(stem: str, form: str) -> None:
    before = stem.rpartition(" ")[0]
    for text in (f"그리고 {before} {form}.", f"{before} {form} 밤", f"{before} {form}"):
        [hit] = found(stem, text)
        assert hit.startswith(before + " ") and form.startswith(hit.removeprefix(before + " "))


@pytest.mark.parametrize(
    ("stem", "text"),
    [
        ("정적이 흐르", "정적이 흩어졌다. 강물이 흘렀다. 정적이 흐."),
        ("미소를 짓", "미소를 짓밟았다."),
        ("미소를 짓", "미소를 지웠다."),
        ("길을 걷", "길을 걷어찼다."),
        ("커튼을 걷", "커튼을 걸었다."),
        ("손을 씻", "손을 씨."),
        ("목이 메", "목이 멘토처럼. 목이 멜로디. 목이 메뉴."),
        ("여정을 떠나", "여정을 떠나비."),
        ("울", "싸우는 겨울고개. 방울."),
        ("슬프", "구슬프다. 구슬픈 밤."),
    ],
)
def test_given_a_stem_when_another_word_is_spelled_alike_then_it_is_not_found(stem: str, text: str) -> None:
    assert found(stem, text) == []


def test_given_a_stem_of_one_word_when_it_starts_a_word_then_it_is_found() -> None:
    assert found("슬프", "나는 (슬퍼서) 울었다. 슬픈 밤, 슬픔이") == ["슬퍼", "슬픈", "슬픔"]


def test_given_a_stem_that_no_dictionary_has_when_conjugated_then_its_regular_forms_are_found() -> None:
    assert found("쀼뚤리", "쀼뚤리고 쀼뚤렸다 쀼뚤린다 쀼뚤린 밤") == ["쀼뚤리고", "쀼뚤렸", "쀼뚤린다", "쀼뚤린"]


@pytest.mark.parametrize(
    ("phrase", "stem"),
    [
        *(
            ("정적이 흐르", "흐르"),
            ("숨을 죽이", "죽이"),
            ("눈을 감", "감"),
            ("할 수 없", "없"),
            ("에 지나지 않", "않"),
        ),
        *(
            ("노을이 물들", "물들"),
            ("길이 무거워지", "지"),
            ("거짓이 아니", "아니"),
            ("텅 비", "비"),
            ("😀 흐르", "흐르"),
        ),
    ],
)
def test_given_a_phrase_that_ends_in_a_stem_when_asked_then_the_stem_is_named(phrase: str, stem: str) -> None:
    predicate = final_stem(phrase)
    assert predicate is not None
    assert (predicate.stem, predicate.before + predicate.stem) == (stem, phrase)


@pytest.mark.parametrize(
    "phrase",
    [
        *(
            "옅은 미소",
            "작은 걸음이",
            "하루를 시작",
            "두 손을 모으는",
            "그런 까닭으로",
            "무엇보다도",
            "함께 보겠",
            "기억해야",
        ),
        *("", " ", "abc", "흐르 ", "\x00", "\ud800", "흐르\ud800르", "😀"),
    ],
)
def test_given_a_phrase_that_ends_in_anything_else_when_asked_then_there_is_no_stem(phrase: str) -> None:
    assert final_stem(phrase) is None


@pytest.mark.parametrize("phrase", ["", "abc", "흐르!", "정적이 ", "\x00흐르", "\ud800흐르"])
def test_given_text_that_cannot_be_a_stem_when_conjugated_then_the_error_tells_how_to_write_one(phrase: str) -> None:
    with pytest.raises(RequestError, match="without its ending"):
        conjugated(phrase)


def test_given_forms_that_share_a_beginning_when_the_text_ends_early_then_no_hit_reaches_past_it() -> None:
    assert found("정적이 흐르", "정적이 흐르") == []
    assert found("정적이 흐르", "정적이 흐른") == ["정적이 흐른"]
