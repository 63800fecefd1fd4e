"""Fits the weights that tell clause types, and main clauses from others, on KoNUBench's training and validation data.

    python benchmarks/clause_learning.py --data path/to/data [--write]

Two multinomial logistic regressions with an L2 penalty. Prints the cross-validated scores; test data is never read.
With --write it replaces the weights in the package. The features name closed classes only (endings, particles,
dependent nouns, tags), so no word of the data is kept.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import jatdae.korean.clauses as package
from jatdae.benchmarks.konubench.data import Record, read_records, split_path
from jatdae.benchmarks.sources import Source
from jatdae.korean.clauses.change import changes
from jatdae.korean.clauses.features import features
from jatdae.korean.clauses.holding import MAIN, dependent_place, may_join
from jatdae.korean.clauses.outline import outline
from jatdae.negation.testbed.clauses import local_pairs
from jatdae.negation.testbed.main_clauses import denied_predications, standard_pairs

FEWEST = 3
"""A feature that occurs in fewer clauses is left out."""
INVERSE_PENALTY = 0.5
STEPS = 3000
FOLDS = 10
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The classes, their biases and, by feature, their weights, in hundredths."""

    classes: list[str]
    bias: list[int]
    weights: dict[str, list[int]]


Example = tuple[str, list[str], str]
"""An item's id, the features of a clause, and its class."""


def main() -> None:
    arguments = _arguments()
    source = Source(arguments.data)
    records = [record for split in ("train", "val") for record in read_records(split_path(source, split))]
    table = {}
    for question, examples in (("type", type_examples(records)), ("main", main_examples(records))):
        kept = frequent(list(examples))
        table[question] = fit(kept)
        print(f"{question}: {len(kept)} clauses, {len(table[question].weights)} features; {cross_validated(kept)}")
    if arguments.write:
        path = Path(package.__file__).with_name("weights.json")
        path.write_text(as_json(table), encoding="utf-8")
        print("written:", path)


def type_examples(records: Sequence[Record]) -> Iterator[Example]:
    """The clauses of local negations that do not end the sentence, with their labelled types."""
    for record, original, local in local_pairs(records):
        place = dependent_place(changes(original, local))
        if place is not None:
            yield record.idx, features(*place), record.text("local_negation_type")


def main_examples(records: Sequence[Record]) -> Iterator[Example]:
    """The clauses of originals that end as coordinate ones do: main where standard negation denies the predicate."""
    for record, original, negated in standard_pairs(records):
        sentence = outline(original.morphemes)
        denied = denied_predications(sentence, original, negated)
        for number in range(len(sentence.predications)):
            if may_join(sentence, number):
                yield record.idx, features(sentence, number), MAIN if number in denied else "dependent"


def frequent(examples: Sequence[Example]) -> list[Example]:
    """The examples without rare features."""
    counts = Counter(feature for _, named, _ in examples for feature in named)
    return [
        (item, [feature for feature in named if counts[feature] >= FEWEST], label) for item, named, label in examples
    ]


def cross_validated(examples: Sequence[Example]) -> str:
    """Accuracy and macro-F1 of predictions for items that were left out of the fitting."""
    rows = [dict.fromkeys(named, 1) for _, named, _ in examples]
    labels, groups = (np.array(column) for column in list(zip(*examples, strict=True))[2::-2])
    model = make_pipeline(DictVectorizer(), LogisticRegression(C=INVERSE_PENALTY, max_iter=STEPS))
    predicted = cross_val_predict(model, rows, labels, groups=groups, cv=GroupKFold(FOLDS))
    macro = f1_score(labels, predicted, average="macro")
    return f"accuracy {np.mean(predicted == labels):.4f}, macro-F1 {macro:.4f} in {FOLDS} folds"


def fit(examples: Sequence[Example]) -> Fitted:
    """What a model of all examples weighs; features whose weights all round to nought are left out."""
    rows = [dict.fromkeys(named, 1) for _, named, _ in examples]
    columns = DictVectorizer().fit(rows)
    names = columns.get_feature_names_out()
    regression = LogisticRegression(C=INVERSE_PENALTY, max_iter=STEPS)
    regression.fit(columns.transform(rows), [label for *_, label in examples])
    coefficients, bias = regression.coef_, regression.intercept_
    if len(regression.classes_) == 2:
        coefficients, bias = (np.concatenate([0 * part, part]) for part in (coefficients, bias))
    rounded = np.rint(100 * coefficients.T).astype(int)
    kept = {str(name): row.tolist() for name, row in zip(names.tolist(), rounded, strict=True) if row.any()}
    classes = [str(label) for label in regression.classes_]
    return Fitted(classes, np.rint(100 * bias).astype(int).tolist(), kept)


def as_json(table: Mapping[str, Fitted]) -> str:
    """The table with one feature a line, in order."""
    blocks = []
    for question, part in sorted(table.items()):
        rows = [f"{json.dumps(name, ensure_ascii=False)}: {row}" for name, row in sorted(part.weights.items())]
        head = json.dumps({"classes": part.classes, "bias": part.bias}, ensure_ascii=False)[:-1]
        blocks.append(f'"{question}": {head}, "weights": {{\n' + ",\n".join(rows) + "\n}}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds konubench/")
    parser.add_argument("--write", action="store_true", help="replace the weights in the package")
    return parser.parse_args()


if __name__ == "__main__":
    main()
