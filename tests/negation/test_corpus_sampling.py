"""The sample: the same for one seed whatever else is in the stream's way, fair, and bounded in memory."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from jatdae.negation.corpus.sampling import BlockSampler, SentenceSampler, cluster_name, priority


def offered(sampler, count, *, length=5):
    for number in range(count):
        sampler.offer(cluster_name("a.txt", number), f"a.txt:{number + 1}:1", f"{number} ".ljust(length, "가"))
    return sampler.sample()


@given(size=st.integers(1, 40), count=st.integers(1, 200), seed=st.integers(0, 2**63 - 1))
def test_the_sample_is_what_has_the_smallest_priorities_in_the_order_of_the_corpus(size, count, seed):
    sample = offered(SentenceSampler(size, seed, 400), count)

    ranked = sorted(range(count), key=lambda number: priority(seed, f"a.txt:{number + 1}:1"))[:size]
    assert [sentence.id for sentence in sample.sentences] == [f"a.txt:{number + 1}:1" for number in sorted(ranked)]


def test_every_sentence_is_as_likely_as_any_other():
    drawn = Counter(
        sentence.id for seed in range(400) for sentence in offered(SentenceSampler(5, seed, 400), 20).sentences
    )

    assert len(drawn) == 20
    assert all(60 <= count <= 145 for count in drawn.values())  # 100 expected, standard deviation 8.7


def test_overlong_sentences_are_drawn_counted_and_dropped():
    sample = offered(SentenceSampler(10, 1, 400), 30, length=401)

    assert (sample.sentences, sample.drawn, sample.overlong) == ([], 10, 10)


def test_clusters_are_drawn_whole():
    sample = offered(BlockSampler(2, 7, 400), 4_500)

    sizes = Counter(sentence.cluster for sentence in sample.sentences)
    assert len(sizes) == 2
    assert all(size == 1_000 or name == "a.txt#5" for name, size in sizes.items())
    blocks = sorted((f"a.txt#{number}" for number in range(1, 6)), key=lambda name: priority(7, name))
    assert set(sizes) == set(blocks[:2])


def test_another_seed_draws_another_sample():
    first, second = (offered(SentenceSampler(10, seed, 400), 500).sentences for seed in (1, 2))

    assert first != second
