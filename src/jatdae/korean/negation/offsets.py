"""From places in a normalised text back to places in the text as it was given."""

from __future__ import annotations

from jatdae.korean.negation.analysis import readable


def original_offsets(given: str) -> list[int]:
    """For each place between code points of `readable(given)`, both ends included, the place in `given`.

    A syllable that was given as several jamo begins where its first one does.
    """
    offsets, cluster, start = [0], "", 0
    for at, sign in enumerate(given):
        whole = readable(cluster + sign)
        if cluster and len(whole) >= len(readable(cluster)) + len(readable(sign)):
            offsets += [start] * (len(readable(cluster)) - 1) + [at]
            cluster, start = sign, at
        else:
            cluster += sign
    if cluster:
        offsets += [start] * (len(readable(cluster)) - 1) + [len(given)]
    return offsets
