"""The 45 subjects of KMMLU: names, categories and the number of questions in each release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jatdae.benchmarks.base import spelling
from jatdae.errors import RequestError, did_you_mean

KMMLU, HARD = "kmmlu", "kmmlu-hard"
TITLES = {KMMLU: "KMMLU", HARD: "KMMLU-HARD"}
CATEGORIES = {"stem": "STEM", "applied-science": "Applied Science", "humss": "HUMSS", "other": "Other"}
EXAMPLES = 5
"""Rows of the dev split, the same in every subject."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject: the name of its KMMLU configuration, its category, its Korean name in worked examples, its sizes.

    The numbers of rows are those of the splits `test` (KMMLU and KMMLU-HARD) as the publisher's tables give them.
    """

    config: str
    category: str
    korean: str
    test: int
    hard: int

    @property
    def slug(self) -> str:
        """The name in lower case with hyphens."""
        return spelling(self.config)

    @property
    def snake(self) -> str:
        """The name as KMMLU-HARD and the worked examples write it."""
        return self.slug.replace("-", "_")

    def name_in(self, release: str) -> str:
        """The configuration's name in a release."""
        return self.snake if release == HARD else self.config

    def size(self, release: str) -> int:
        """Number of test questions in a release."""
        return self.hard if release == HARD else self.test


_TABLE = """
stem: Biology|생물학|1000|100; Chemical-Engineering|화학 공학|1000|100; Chemistry|화학|600|100;
 Civil-Engineering|토목 공학|1000|100; Computer-Science|컴퓨터 공학|1000|100; Ecology|생태학|1000|100;
 Electrical-Engineering|전기 공학|1000|100; Information-Technology|정보 기술|1000|100;
 Materials-Engineering|재료 공학|1000|100; Math|수학|300|100; Mechanical-Engineering|기계 공학|1000|100
applied-science: Aviation-Engineering-and-Maintenance|항공 공학|1000|100; Electronics-Engineering|전자 공학|1000|100;
 Energy-Management|에너지 관리|1000|100; Environmental-Science|환경 과학|1000|100;
 Gas-Technology-and-Engineering|가스 기술 공학|1000|100; Geomatics|기하학|1000|100;
 Industrial-Engineer|산업 공학|1000|100;
 Machine-Design-and-Manufacturing|기계 디자인 제조|1000|100; Maritime-Engineering|해양 공학|600|100;
 Nondestructive-Testing|비파괴 검사|1000|100; Railway-and-Automotive-Engineering|철도 공학|1000|100;
 Telecommunications-and-Wireless-Technology|무선 정보통신|1000|100
humss: Accounting|회계학|100|46; Criminal-Law|형법|200|100; Economics|경제학|130|42; Education|교육학|100|23;
 Korean-History|한국사|100|44; Law|법학|1000|100; Management|경영학|1000|100;
 Political-Science-and-Sociology|정치 사회|300|90; Psychology|심리학|1000|100; Social-Welfare|사회 복지|1000|100;
 Taxation|세법|200|96
other: Agricultural-Sciences|농업 과학|1000|100; Construction|건설|1000|100; Fashion|의류학|1000|100;
 Food-Processing|식품 처리|1000|100; Health|건강학|100|23; Interior-Architecture-and-Design|건축 디자인|1000|100;
 Marketing|마케팅|1000|100; Patent|특허법|100|51; Public-Safety|공공 안전|1000|100; Real-Estate|부동산|200|89;
 Refrigerating-Machinery|냉동 기계|1000|100
"""


def _subjects() -> Iterable[Subject]:
    for block in _TABLE.replace(";\n ", ";").strip().splitlines():
        category, _, entries = block.partition(": ")
        for entry in entries.split(";"):
            config, korean, test, hard = entry.strip().split("|")
            yield Subject(config, category, korean, int(test), int(hard))


SUBJECTS: tuple[Subject, ...] = tuple(sorted(_subjects(), key=lambda subject: subject.config))
_BY_SPELLING = {subject.slug: subject for subject in SUBJECTS}


def find_subject(name: str) -> Subject | None:
    """The subject of a name written with hyphens, blanks or underscores, in any case."""
    return _BY_SPELLING.get(spelling(name))


@dataclass(frozen=True, slots=True)
class Scope:
    """What a task's name stands for: a release and some of its subjects."""

    release: str
    subjects: tuple[Subject, ...]
    label: str

    @property
    def single(self) -> bool:
        """Whether the scope is one subject."""
        return len(self.subjects) == 1

    @property
    def size(self) -> int:
        """Number of test questions in the whole scope."""
        return sum(subject.size(self.release) for subject in self.subjects)


def scope_of(name: str) -> Scope:
    """Read `kmmlu`, `kmmlu/stem`, `kmmlu/korean-history`, `kmmlu-hard/...`. Raises RequestError with a hint."""
    release, _, part = spelling(name).partition("/")
    if release not in TITLES:
        raise RequestError(f"unknown benchmark {name!r}; {did_you_mean(release, TITLES)}")
    title = TITLES[release]
    if not part:
        return Scope(release, SUBJECTS, title)
    if part in CATEGORIES:
        chosen = tuple(subject for subject in SUBJECTS if subject.category == part)
        return Scope(release, chosen, f"{title} {CATEGORIES[part]}")
    subject = find_subject(part)
    if subject is None:
        raise RequestError(f"{title} has no subject {part!r}; {did_you_mean(part, [*CATEGORIES, *_BY_SPELLING])}")
    return Scope(release, (subject,), f"{title} {subject.config}")


def task_names() -> Iterable[tuple[str, str]]:
    """Every name that can be run, with one line about it."""
    for release, title in TITLES.items():
        yield release, f"{title}, 45 subjects, {sum(s.size(release) for s in SUBJECTS):,} questions of Korean exams"
        for slug, category in CATEGORIES.items():
            chosen = [subject for subject in SUBJECTS if subject.category == slug]
            yield f"{release}/{slug}", f"{title} {category}, {len(chosen)} subjects"
        for subject in SUBJECTS:
            yield f"{release}/{subject.slug}", f"{title} {subject.config}, {subject.size(release):,} questions"
