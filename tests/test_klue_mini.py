"""The bundled KLUE items keep the release's formats to the letter, agree with themselves, and are this project's own.

Everything is read here by plain code of its own, so that a fault of the readers cannot hide a fault of the items. The
`source` and `genre` fields follow the release's inventories for the sake of the format: they name the style an item is
written in, not where its text comes from.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import jatdae


def words(text: str) -> list[str]:
    return text.split()


MINI = Path(jatdae.__file__).parent / "benchmarks" / "klue" / "mini"
SPLITS = ("train", "dev")
LEAST = {"train": 32, "dev": 12}
STEMS = {
    "ynat": "ynat", "sts": "klue-sts", "nli": "klue-nli", "ner": "klue-ner", "re": "klue-re", "dp": "klue-dp",
    "mrc": "klue-mrc", "wos": "wos",
}  # fmt: skip
SENTENCE_FILES = ("ner", "dp")
TEXT_FIELDS = {
    "ynat": ["title"], "sts": ["sentence1", "sentence2"], "nli": ["premise", "hypothesis"], "re": ["sentence"],
}  # fmt: skip
SIDE_FILES = ("ontology.json", "relation_list.json")

TOPICS = ("정치", "경제", "사회", "생활문화", "세계", "IT과학", "스포츠")
NO_TOPIC = "해당없음"
SCOPES = ("first-scope", "second-scope", "third-scope")
PAIR_SOURCES = {f"{text}-{origin}" for text in ("airbnb", "policy") for origin in ("rtt", "sampled")} | {
    "paraKQC-para",
    "paraKQC-sampled",
}
PREMISE_SOURCES = {"airbnb", "NSMC", "wikinews", "policy", "wikitree", "wikipedia"}
INFERENCE = ("entailment", "contradiction", "neutral")
ENTITY_TYPES = ("PS", "LC", "OG", "DT", "TI", "QT")
OBJECT_TYPES = {"PER", "ORG", "LOC", "DAT", "POH", "NOH"}
RELATIONS = words(
    "no_relation org:dissolved org:founded org:place_of_headquarters org:alternate_names org:member_of org:members "
    "org:political/religious_affiliation org:product org:founded_by org:top_members/employees "
    "org:number_of_employees/members per:date_of_birth per:date_of_death per:place_of_birth per:place_of_death "
    "per:place_of_residence per:origin per:employee_of per:schools_attended per:alternate_names per:parents "
    "per:children per:siblings per:spouse per:other_family per:colleagues per:product per:religion per:title"
)
DEPENDENCIES = words(
    "NP NP_AJT VP NP_SBJ VP_MOD NP_OBJ AP NP_CNJ NP_MOD VNP DP VP_AJT VNP_MOD NP_CMP VP_SBJ VP_CMP VP_OBJ VNP_CMP "
    "AP_MOD X_AJT VP_CNJ VNP_AJT IP X X_SBJ VNP_OBJ VNP_SBJ X_OBJ AP_AJT L X_MOD X_CNJ VNP_CNJ X_CMP AP_CMP AP_SBJ R "
    "NP_SVJ"
)
PARTS_OF_SPEECH = words(
    "NNG NNP NNB NP NR VV VA VX VCP VCN MMA MMD MMN MAG MAJ JC IC JKS JKC JKG JKO JKB JKV JKQ JX EP EF EC ETN ETM XPN "
    "XSN XSV XSA XR SF SP SS SE SO SL SH SW SN NA"
)
SLOTS = {
    "관광": "경치 좋은,교육적,도보 가능,문화 예술,역사적,이름,종류,주차 가능,지역",
    "숙소": "가격대,도보 가능,수영장 유무,스파 유무,예약 기간,예약 명수,예약 요일,이름,인터넷 가능,"
    "조식 가능,종류,주차 가능,지역,헬스장 유무,흡연 가능",
    "식당": "가격대,도보 가능,야외석 유무,예약 명수,예약 시간,예약 요일,이름,인터넷 가능,종류,"
    "주류 판매,주차 가능,지역,흡연 가능",
    "지하철": "도착지,출발 시간,출발지",
    "택시": "도착 시간,도착지,종류,출발 시간,출발지",
}
ALL_SLOTS = {f"{domain}-{slot}" for domain, slots in SLOTS.items() for slot in slots.split(",")}


class Sentence(NamedTuple):
    """A sentence of a file of rows: its header's two fields and the fields of each row."""

    guid: str
    header: str
    rows: list[list[str]]


def file_of(task: str, split: str) -> Path:
    return MINI / f"{STEMS[task]}-v1.1_{split}.{'tsv' if task in SENTENCE_FILES else 'json'}"


@cache
def content(task: str, split: str) -> Any:
    return json.loads(file_of(task, split).read_text(encoding="utf-8"))


@cache
def sentences(task: str, split: str) -> list[Sentence]:
    """The sentences below the five comment lines; rows are split at tabs and never stripped."""
    text = file_of(task, split).read_text(encoding="utf-8")
    _, _, body = text.partition("## 주석 : ##\n")
    blocks = body.partition("\n")[2].removesuffix("\n\n").split("\n\n")
    found = []
    for block in blocks:
        header, *rows = block.split("\n")
        guid, header_text = header.removeprefix("## ").split("\t")
        found.append(Sentence(guid, header_text, [row.split("\t") for row in rows]))
    return found


def questions(split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Context and question of every question."""
    for document in content("mrc", split)["data"]:
        for paragraph in document["paragraphs"]:
            for question in paragraph["qas"]:
                yield paragraph["context"], question


def side(name: str) -> Any:
    return json.loads((MINI / name).read_text(encoding="utf-8"))


def guids(task: str, split: str) -> list[str]:
    if task in SENTENCE_FILES:
        return [sentence.guid for sentence in sentences(task, split)]
    if task == "mrc":
        return [question["guid"] for _, question in questions(split)]
    return [item["guid"] for item in content(task, split)]


def texts(task: str, split: str) -> list[str]:
    """What a reader of the task would read: sentences, questions, contexts, turns; no labels."""
    if task == "ner":
        return ["".join(row[0] for row in sentence.rows) for sentence in sentences(task, split)]
    if task == "dp":
        return [" ".join(row[1] for row in sentence.rows) for sentence in sentences(task, split)]
    if task == "mrc":
        asked = [question["question"] for _, question in questions(split)]
        documents = content(task, split)["data"]
        return asked + [text for d in documents for text in (d["title"], *(p["context"] for p in d["paragraphs"]))]
    if task == "wos":
        return [turn["text"] for item in content(task, split) for turn in item["dialogue"]]
    return [item[field] for item in content(task, split) for field in TEXT_FIELDS[task]]


def both(task: str) -> list[Any]:
    return [item for split in SPLITS for item in content(task, split)]


# files and items


def test_the_folder_holds_two_splits_of_every_task_and_the_side_files() -> None:
    expected = {file_of(task, split).name for task in STEMS for split in SPLITS} | set(SIDE_FILES)
    assert {path.name for path in MINI.iterdir()} == expected


@pytest.mark.parametrize("path", sorted(MINI.iterdir()), ids=lambda path: path.name)
def test_text_is_composed_and_lines_end_in_line_feeds(path: Path) -> None:
    raw = path.read_bytes()
    text = raw.decode("utf-8")
    assert not raw.startswith(b"\xef\xbb\xbf"), "byte order mark"
    assert b"\r" not in raw and raw.endswith(b"\n")
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search("[\u1100-\u11ff\u00a0\u200b\u3000\ufffd]", text)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", STEMS)
def test_every_split_has_enough_items_under_their_own_names(task: str, split: str) -> None:
    names = guids(task, split)
    least = {"train": 8, "dev": 4}[split] if task == "wos" else LEAST[split]
    joint = "_" if task == "dp" else "-"
    assert len(names) >= least
    assert names == [f"{STEMS[task]}-v1_{split}_{number:05d}{joint}mini" for number in range(len(names))]


@pytest.mark.parametrize("task", STEMS)
def test_no_text_is_blank_or_has_stray_blanks_and_dev_shares_none_with_train(task: str) -> None:
    train, dev = texts(task, "train"), texts(task, "dev")
    for text in train + dev:
        assert text and all(line == " ".join(line.split()) for line in text.split("\n")), text
        assert re.search("[가-힣]", text)
    assert not set(train) & set(dev)


@pytest.mark.parametrize("task", ["ynat", "sts", "re", "ner", "dp", "mrc", "wos"])
def test_no_text_stands_twice(task: str) -> None:
    counts = Counter(texts(task, "train") + texts(task, "dev"))
    assert [text for text, times in counts.items() if times > 1] == []


@pytest.mark.parametrize("task", STEMS)
def test_no_text_is_found_in_the_upstream_files(task: str, upstream: Path) -> None:
    own = {" ".join(text.split()) for split in SPLITS for text in texts(task, split)}
    pile = upstream_text(upstream)
    assert len(pile) > 1_000_000
    assert [text for text in own if text in pile] == []


@cache
def upstream_text(upstream: Path) -> str:
    """All text of the upstream KLUE files, blanks collapsed, without the marks of inline entities."""
    pile = []
    for path in sorted((upstream / "klue").iterdir()):
        if path.suffix == ".json":
            pile += strings(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix == ".tsv":
            raw = path.read_text(encoding="utf-8")
            pile.append(re.sub(r"<([^<>]*):[A-Z]{2}>", r"\1", raw))
    return "\n".join(" ".join(text.split()) for text in pile)


def strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


# YNAT


@pytest.mark.parametrize("split", SPLITS)
def test_headlines_cover_the_seven_topics_evenly(split: str) -> None:
    counts = Counter(item["label"] for item in content("ynat", split))
    assert set(counts) == set(TOPICS) and len(set(counts.values())) == 1


def test_a_headline_s_label_is_what_most_annotators_put_first() -> None:
    fields = ["guid", "title", "predefined_news_category", "label", "annotations", "url", "date"]
    for item in both("ynat"):
        assert list(item) == fields
        scopes = item["annotations"]["annotations"]
        assert list(scopes) == list(SCOPES) and len(set(item["annotations"]["annotators"])) == 3
        for position in range(3):
            ranked = [scopes[scope][position] for scope in SCOPES]
            chosen = [topic for topic in ranked if topic != NO_TOPIC]
            assert chosen and set(chosen) <= set(TOPICS) and len(set(chosen)) == len(chosen)
            assert ranked == chosen + [NO_TOPIC] * (3 - len(chosen))
        assert Counter(scopes["first-scope"]).most_common(1)[0][0] == item["label"]
        assert item["predefined_news_category"] in TOPICS
        assert re.fullmatch(r"\d{4}\.\d\d\.\d\d\. 오[전후] \d{1,2}:\d\d", item["date"])
        assert item["url"].startswith("https://news.example.com/"), "an address that can lead nowhere"
    assert any(item["predefined_news_category"] != item["label"] for item in both("ynat"))


# STS


def test_similarity_labels_follow_from_the_annotations() -> None:
    for item in both("sts"):
        assert list(item) == ["guid", "source", "sentence1", "sentence2", "labels", "annotations"]
        marks, labels = item["annotations"]["annotations"], item["labels"]
        assert 5 <= len(marks) <= 7 and set(marks) <= set(range(6))
        assert len(set(item["annotations"]["annotators"])) == len(marks)
        assert item["annotations"]["agreement"] == ":".join(str(marks.count(score)) for score in range(6))
        assert isinstance(labels["real-label"], float)
        assert labels["real-label"] == pytest.approx(sum(marks) / len(marks))
        assert labels["label"] == pytest.approx(labels["real-label"], abs=0.05 + 1e-9)
        assert labels["label"] == round(labels["label"], 1)
        assert labels["binary-label"] == int(labels["real-label"] >= 3.0)
        assert item["sentence1"] != item["sentence2"]


@pytest.mark.parametrize("split", SPLITS)
def test_pairs_range_from_unrelated_to_equivalent_over_all_sources(split: str) -> None:
    items = content("sts", split)
    assert {round(item["labels"]["real-label"]) for item in items} == set(range(6))
    assert {item["source"] for item in items} == PAIR_SOURCES
    share = sum(item["labels"]["binary-label"] for item in items) / len(items)
    assert 0.35 <= share <= 0.65


# NLI


@pytest.mark.parametrize(("split", "origin"), [("train", "genre"), ("dev", "source")])
def test_every_premise_has_one_hypothesis_of_each_class(split: str, origin: str) -> None:
    classes: dict[str, list[str]] = {}
    votes = ["author", "label2", "label3", "label4", "label5"]
    for item in content("nli", split):
        assert list(item) == ["guid", origin, "premise", "hypothesis", "gold_label", *votes]
        assert item[origin] in PREMISE_SOURCES
        given = Counter(item[vote] for vote in votes)
        assert set(given) <= set(INFERENCE)
        assert given[item["gold_label"]] >= 3 and item["author"] == item["gold_label"]
        classes.setdefault(item["premise"], []).append(item["gold_label"])
    assert all(sorted(found) == sorted(INFERENCE) for found in classes.values())


def test_validators_sometimes_disagree_and_hypotheses_are_all_different() -> None:
    items = both("nli")
    assert any(item[f"label{number}"] != item["gold_label"] for item in items for number in range(2, 6))
    assert len({item["hypothesis"] for item in items}) == len(items)


# NER and DP: the shared layout of rows


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("task", "columns"),
    [("ner", "## 컬럼명 : CHAR\tNE_TAG"), ("dp", "## 칼럼명 : INDEX\tWORD_FORM\tLEMMA\tPOS\tHEAD\tDEPREL")],
)
def test_five_comment_lines_come_first_and_a_blank_line_ends_each_sentence(task: str, columns: str, split: str) -> None:
    text = file_of(task, split).read_text(encoding="utf-8")
    lines = text.split("\n")
    assert all(line.startswith("## ") for line in lines[:5]) and lines[4] == columns
    assert not lines[3].startswith("## klue") and lines[5].startswith(f"## klue-{task}-v1_{split}_00000")
    assert text.endswith("\n\n") and not text.endswith("\n\n\n")
    assert sum(line.startswith(f"## klue-{task}") for line in lines) == len(sentences(task, split))
    width = {"ner": 2, "dp": 6}[task]
    assert all(len(row) == width for sentence in sentences(task, split) for row in sentence.rows)


# NER


def entities_of(sentence: Sentence) -> list[tuple[str, str]]:
    """Text and type of each entity."""
    found: list[tuple[str, str]] = []
    for character, tag in sentence.rows:
        if tag.startswith("B-"):
            found.append((character, tag[2:]))
        elif tag.startswith("I-"):
            found[-1] = (found[-1][0] + character, found[-1][1])
    return found


@pytest.mark.parametrize("split", SPLITS)
def test_tags_are_well_formed_and_agree_with_the_inline_notation(split: str) -> None:
    for sentence in sentences("ner", split):
        tags = ["O", *(tag for _, tag in sentence.rows)]
        for before, tag in pairwise(tags):
            assert tag == "O" or (tag[0] in "BI" and tag[1] == "-" and tag[2:] in ENTITY_TYPES)
            assert not tag.startswith("I-") or before in (f"B-{tag[2:]}", f"I-{tag[2:]}"), sentence.guid
        assert all(len(character) == 1 for character, _ in sentence.rows)
        assert re.sub(r"<([^<>]+):[A-Z]{2}>", r"\1", sentence.header) == "".join(row[0] for row in sentence.rows)
        assert re.findall(r"<([^<>]+):([A-Z]{2})>", sentence.header) == entities_of(sentence)
        assert all(text == text.strip() for text, _ in entities_of(sentence))


@pytest.mark.parametrize("split", SPLITS)
def test_all_types_blanks_inside_and_touching_entities_occur(split: str) -> None:
    found = [entity for sentence in sentences("ner", split) for entity in entities_of(sentence)]
    assert {kind for _, kind in found} == set(ENTITY_TYPES)
    assert any(" " in text for text, _ in found)
    assert any("><" in sentence.header for sentence in sentences("ner", split))


# RE


def test_relations_stand_in_the_release_s_order() -> None:
    assert side("relation_list.json") == {"relations": RELATIONS} and len(RELATIONS) == 30


def test_entity_spans_hold_their_words_with_an_inclusive_end() -> None:
    for item in both("re"):
        assert list(item) == ["guid", "sentence", "subject_entity", "object_entity", "label", "source"]
        subject, object_ = item["subject_entity"], item["object_entity"]
        for entity in (subject, object_):
            assert list(entity) == ["word", "start_idx", "end_idx", "type"]
            assert item["sentence"][entity["start_idx"] : entity["end_idx"] + 1] == entity["word"]
        assert subject["end_idx"] < object_["start_idx"] or object_["end_idx"] < subject["start_idx"]
        assert subject["type"] in ("PER", "ORG") and object_["type"] in OBJECT_TYPES
        assert item["label"] in RELATIONS and item["source"] in ("wikipedia", "wikitree", "policy_briefing")
        if item["label"] != "no_relation":
            assert item["label"][:3] == subject["type"].lower()


def test_train_shows_every_relation_and_dev_several() -> None:
    train, dev = ({item["label"] for item in content("re", split)} for split in SPLITS)
    assert train == set(RELATIONS)
    assert len(dev) >= 8 and "no_relation" in dev


# DP


@pytest.mark.parametrize("split", SPLITS)
def test_trees_have_one_root_at_the_end_and_all_heads_to_the_right(split: str) -> None:
    for sentence in sentences("dp", split):
        heads = [int(row[4]) for row in sentence.rows]
        assert [row[0] for row in sentence.rows] == [str(number) for number in range(1, len(heads) + 1)]
        assert heads[-1] == 0 and heads.count(0) == 1
        # Every head stands to the right of its word, so that no cycle is possible.
        assert all(word < head <= len(heads) for word, head in enumerate(heads[:-1], 1)), sentence.guid
        arcs = list(enumerate(heads[:-1], 1))
        assert not [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]], f"{sentence.guid}: arcs cross"
        assert sentence.header == " ".join(row[1] for row in sentence.rows)


@pytest.mark.parametrize("split", SPLITS)
def test_words_have_known_labels_and_a_tag_for_each_morpheme(split: str) -> None:
    for sentence in sentences("dp", split):
        for _, word, lemma, pos, _, label in sentence.rows:
            tags = pos.split("+")
            assert label in DEPENDENCIES and set(tags) <= set(PARTS_OF_SPEECH)
            assert len(lemma.split(" ")) == len(tags), f"{sentence.guid}: {word}"
            assert (word[-1] in ".,") == (tags[-1] in ("SF", "SP")), f"{sentence.guid}: {word}"


def test_the_first_fifteen_dependency_labels_all_occur() -> None:
    found = {row[5] for split in SPLITS for sentence in sentences("dp", split) for row in sentence.rows}
    frequent = "NP NP_AJT VP NP_SBJ VP_MOD NP_OBJ AP NP_CNJ NP_MOD VNP DP VP_AJT VNP_MOD NP_CMP VP_SBJ"
    assert set(frequent.split()) <= found and len(found) > 15


# MRC


@pytest.mark.parametrize("split", SPLITS)
def test_documents_have_the_release_s_fields(split: str) -> None:
    assert list(content("mrc", split)) == ["version", "data"]
    for document in content("mrc", split)["data"]:
        assert list(document) == ["title", "paragraphs", "news_category", "source"]
        assert document["news_category"] is None or document["source"] == "news"
        for paragraph in document["paragraphs"]:
            assert list(paragraph) == ["context", "qas"] and len(paragraph["context"]) > 250


@pytest.mark.parametrize("split", SPLITS)
def test_answers_stand_where_they_are_said_to_stand(split: str) -> None:
    for context, question in questions(split):
        assert question["is_impossible"] == (question["question_type"] == 3)
        assert question["is_impossible"] == ("plausible_answers" in question) == (question["answers"] == [])
        spans = question["answers"] or question["plausible_answers"]
        assert spans
        for span in spans:
            start, text = span["answer_start"], span["text"]
            assert text and text == text.strip() and context[start : start + len(text)] == text
        assert question["question"].endswith("?") and spans[0]["text"] not in question["question"]


@pytest.mark.parametrize("split", SPLITS)
def test_all_question_types_occur_over_several_contexts(split: str) -> None:
    found = list(questions(split))
    assert {question["question_type"] for _, question in found} == {1, 2, 3}
    assert len({context for context, _ in found}) >= {"train": 8, "dev": 4}[split]
    assert any(len(question["answers"]) > 1 for _, question in found)


# WoS


def test_the_ontology_lists_the_45_slots_and_each_list_starts_with_none_and_dontcare() -> None:
    ontology = side("ontology.json")
    assert set(ontology) == ALL_SLOTS and len(ALL_SLOTS) == 45
    for slot, values in ontology.items():
        assert values[:2] == ["none", "dontcare"] and len(values) > 3
        assert len(set(values)) == len(values), slot
    assert sum(set(values) == {"none", "dontcare", "yes", "no"} for values in ontology.values()) == 20


def states(dialogue: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The state of each of the user's turns, as slot to value."""
    for turn in dialogue["dialogue"]:
        if turn["role"] == "user":
            parts = [item.split("-", 2) for item in turn["state"]]
            state = {f"{domain}-{slot}": value for domain, slot, value in parts}
            assert len(state) == len(parts), f"{dialogue['guid']}: a slot stands twice"
            yield state


def test_turns_alternate_and_only_the_user_s_have_a_state() -> None:
    for item in both("wos"):
        assert list(item) == ["guid", "domains", "dialogue"]
        turns = item["dialogue"]
        assert [turn["role"] for turn in turns] == ["user", "sys"] * (len(turns) // 2)
        for turn in turns:
            assert list(turn) == ["role", "text", *(["state"] if turn["role"] == "user" else [])]


def test_states_grow_within_the_ontology_and_the_dialogue_s_domains() -> None:
    ontology = side("ontology.json")
    for item in both("wos"):
        before: dict[str, str] = {}
        for state in states(item):
            assert set(before) <= set(state), f"{item['guid']}: a slot was dropped"
            assert all(value in ontology[slot] and value != "none" for slot, value in state.items()), item["guid"]
            before = state
        assert {slot.split("-")[0] for slot in before} == set(item["domains"])


def test_train_uses_every_slot_and_a_user_changes_a_value() -> None:
    train = [list(states(item)) for item in content("wos", "train")]
    last = [found[-1] for found in train]
    assert {slot for state in last for slot in state} == ALL_SLOTS
    assert {"dontcare", "yes", "no"} <= {value for state in last for value in state.values()}
    assert any(
        later[slot] != value for found in train for earlier, later in pairwise(found) for slot, value in earlier.items()
    )


def test_names_and_places_of_a_state_were_said_before() -> None:
    spoken = {"이름", "출발지", "도착지"}
    for item in both("wos"):
        heard = ""
        for turn in item["dialogue"]:
            heard += turn["text"] + "\n"
            for text in turn.get("state", ()):
                _, slot, value = text.split("-", 2)
                assert slot not in spoken or value in heard, f"{item['guid']}: {value} comes out of nowhere"
