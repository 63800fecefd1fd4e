"""Where KLUE's files are fetched: train and dev of all eight tasks in version 1.1, and the two lists of labels.

They are plain files (JSON, TSV) of the authors' repository, at the commit of release 1.1. What is known of the pins:
of six files a whole copy was at hand (dev of sts, nli, ner and dp, the relations, the ontology). Size and SHA-256 of
the others are those that a public data set library records for this commit (jeongukjae/tfds-korean at e954ec45); it
agrees on five of the six and does not have the ontology, of which the stored text at this commit has the same length.
Public programs that pin a later commit, 3efd9870, state the same SHA-256 for both files of mrc and for train of ynat,
nli and ner. No file was fetched from here yet. Labels of test are not public.
"""

from __future__ import annotations

import functools

from jatdae.benchmarks.download import Release, RemoteFile

REPOSITORY = "KLUE-benchmark/KLUE"
REVISION = "1cc52e64c0e0b6915577244f7439c55a42199a64"

_FILES = (
    (
        "ynat-v1.1/ynat-v1.1_train.json",
        46089534,
        "e1ceadbcfc654bfbd241ac8170fe825ceeb6e7c0686f05181befeaef778d0031",
    ),
    (
        "ynat-v1.1/ynat-v1.1_dev.json",
        9219447,
        "608c7cab523aea7c3bab25c5dd4adba2458d4cae77322c523617ed3c4712433b",
    ),
    (
        "klue-sts-v1.1/klue-sts-v1.1_train.json",
        10257839,
        "9fd1d5d3af73bd06648283be00c87d1b6f6eee90e4854f285df68d0bd5ae91d8",
    ),
    (
        "klue-sts-v1.1/klue-sts-v1.1_dev.json",
        454638,
        "b6a0ae0c370e21687f7eef0fdea872a328bb2ecbdb020c546cb870d28606bf80",
    ),
    (
        "klue-nli-v1.1/klue-nli-v1.1_train.json",
        12576683,
        "8d32e7e4ff97804a23f277fee8740f1341ac82e1c0c7b34f1be21952e4813996",
    ),
    (
        "klue-nli-v1.1/klue-nli-v1.1_dev.json",
        1498298,
        "0699db82be17766b26e199864e6260443e17ec6e91d1870e876419e388f245b1",
    ),
    (
        "klue-ner-v1.1/klue-ner-v1.1_train.tsv",
        10570302,
        "34b9d3d9f9ce9e064abc6ba4c27af43b4b70f2d6cde62c076a28e8aaa17cc544",
    ),
    (
        "klue-ner-v1.1/klue-ner-v1.1_dev.tsv",
        2635045,
        "0f4d5e818f7b82d299c3a87856fc40a706f5943207580ddb252397e387050a54",
    ),
    (
        "klue-re-v1.1/klue-re-v1.1_train.json",
        22316866,
        "10101fa3059b340f9971286dd5639daccb5889324182aed31679f038bca05bc4",
    ),
    (
        "klue-re-v1.1/klue-re-v1.1_dev.json",
        5212646,
        "d150873430e592a5c569d35b20d88fbbbfba751dae0ffa4d8cbfb6b7321dea14",
    ),
    (
        "klue-re-v1.1/relation_list.json",
        870,
        "74b9b50540891b21711418a996d3fe3adb92d5d904c6e7c7f4fa7d16be83ed13",
    ),
    (
        "klue-dp-v1.1/klue-dp-v1.1_train.tsv",
        6229730,
        "0e549204078481f9abe35b5978a07376202ee69b037380b2a22f3eab93d1ca9d",
    ),
    (
        "klue-dp-v1.1/klue-dp-v1.1_dev.tsv",
        1225266,
        "eb0d8532c0234934e058db0d31f2b01f093128715d6ae51f534a448434a48f01",
    ),
    (
        "klue-mrc-v1.1/klue-mrc-v1.1_train.json",
        47952737,
        "c52c7b82a6015c09ea8be1fea49c912e73012d8b44d3653256d91c65d519c3df",
    ),
    (
        "klue-mrc-v1.1/klue-mrc-v1.1_dev.json",
        18712914,
        "b31bb073e47cdeb19f2f1bae03d916ecabf945140334c75842d6994f700d4f47",
    ),
    (
        "wos-v1.1/wos-v1.1_train.json",
        48356465,
        "0f92b70451c595fe3cca9f78468c6a175bd3967c6c632446dddcfca5cea3187c",
    ),
    (
        "wos-v1.1/wos-v1.1_dev.json",
        6278465,
        "36fff54197eb873fcaf825e0170c67590bb8eec966f43e9e7c31bb4da9142431",
    ),
    (
        "wos-v1.1/ontology.json",
        43539,
        "d3145ac33dbac0592823af92909c5cbd7c505361cb8145859f3656712c13b6f7",
    ),
)


@functools.cache
def release() -> Release:
    """The 18 files, each in the upstream's own folder of its task; 250 MB in all."""
    base = f"https://raw.githubusercontent.com/{REPOSITORY}/{REVISION}/klue_benchmark"
    files = tuple(RemoteFile(f"{base}/{path}", path, sha256, size) for path, size, sha256 in _FILES)
    return Release("klue", "KLUE", "CC BY-SA 4.0", REVISION, files)


def published_hash(name: str) -> str | None:
    """The SHA-256 of a published file by its name without folders; None for a name that the release does not have."""
    return next((file.sha256 for file in release().files if file.path.rpartition("/")[2] == name), None)
