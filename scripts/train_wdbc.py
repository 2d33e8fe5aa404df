#!/usr/bin/env python3
"""Make the table and the model of the demo's logistic regression.

    python3 -m venv .venv-wdbc
    .venv-wdbc/bin/pip install -r scripts/requirements-wdbc.txt
    .venv-wdbc/bin/python scripts/train_wdbc.py table   # writes data/wdbc/wdbc.csv
    .venv-wdbc/bin/python scripts/train_wdbc.py train   # writes data/wdbc/model.json
    .venv-wdbc/bin/python scripts/train_wdbc.py check   # fails if either file differs from a fresh run

The table is scikit-learn's copy of the Wisconsin Diagnostic Breast Cancer data; its numbers are copied as text, so none
is rounded. scikit-learn codes 0 = malignant and 1 = benign; the column `malignant` here is the opposite.

The model is deterministic: the split is a rule on the row number, sums are exactly rounded (`math.fsum`), the solver
runs to convergence on a strictly convex problem, and its result is rounded to six decimals before anything is derived
from it. So the file does not depend on the machine's BLAS.
"""

import argparse
import csv
import importlib.resources
import io
import json
import math
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

DATA = Path(__file__).resolve().parent.parent / "data" / "wdbc"
TABLE = DATA / "wdbc.csv"
MODEL = DATA / "model.json"

ROWS, FEATURES, MALIGNANT = 569, 30, 212
LABEL = "malignant"
TEST_EVERY = 5  # row i (counted from 0) is a test row when i % 5 == 4
INVERSE_REGULARIZATION = 0.1  # scikit-learn's C: small, so that scores stay in a moderate range
DECIMALS = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["table", "train", "check"])
    mode = parser.parse_args().mode
    if mode == "table":
        TABLE.write_text(table_text(), newline="\n")
    elif mode == "train":
        text = model_text()
        MODEL.write_text(text, newline="\n")
        print_summary(json.loads(text))
    else:
        return check()
    return 0


def check() -> int:
    """Compare both files with a fresh run; 0 if they are byte-identical."""
    stale = [
        path.name
        for path, fresh in [(TABLE, table_text), (MODEL, model_text)]
        if not path.exists() or path.read_text() != fresh()
    ]
    print(f"differs from a fresh run: {', '.join(stale)}" if stale else "wdbc.csv and model.json are up to date")
    return 1 if stale else 0


def table_text() -> str:
    """The CSV text: 30 features with scikit-learn's names, then `malignant`."""
    from sklearn.datasets import load_breast_cancer

    names = [name.replace(" ", "_") for name in load_breast_cancer().feature_names]
    source = importlib.resources.files("sklearn.datasets.data") / "breast_cancer.csv"
    with source.open(newline="") as file:
        head, *rows = csv.reader(file)
    if head != [str(ROWS), str(FEATURES), "malignant", "benign"]:
        raise SystemExit(f"unexpected first line in scikit-learn's file: {head}")

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*names, LABEL])
    for *features, target in rows:
        writer.writerow([*features, {"0": "1", "1": "0"}[target]])
    return out.getvalue()


def model_text() -> str:
    names, x, y = read_table()
    is_test = np.arange(ROWS) % TEST_EVERY == TEST_EVERY - 1
    train, test = ~is_test, is_test

    means = [math.fsum(column) / len(column) for column in x[train].T]
    deviations = [
        math.sqrt(math.fsum((v - mean) ** 2 for v in column) / len(column)) for column, mean in zip(x[train].T, means)
    ]
    standardized = (x - means) / deviations

    solver = LogisticRegression(C=INVERSE_REGULARIZATION, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    solver.fit(standardized[train], y[train])
    weights = [round(float(w), DECIMALS) for w in solver.coef_[0]]
    bias = round(float(solver.intercept_[0]), DECIMALS)

    raw_weights = [w / s for w, s in zip(weights, deviations)]
    raw_bias = math.fsum([bias, *(-w * m for w, m in zip(raw_weights, means))])

    scores = [math.fsum([raw_bias, *(w * v for w, v in zip(raw_weights, row))]) for row in x]
    predicted = np.array([score > 0 for score in scores], dtype=int)
    model = {
        "schema": "phoca.wdbc-model/1",
        "task": "score = bias + sum(weights[j] * x[j]); a row is predicted malignant when score > 0; "
        "its probability is 1 / (1 + exp(-score))",
        "made_by": f"scripts/train_wdbc.py train, scikit-learn {sklearn.__version__}",
        "training": {
            "method": "L2-regularised logistic regression on standardised features, intercept not penalised",
            "inverse_regularization_c": INVERSE_REGULARIZATION,
            "weights_rounded_to_decimals": DECIMALS,
            "standardization": "(x - mean) / standard_deviation; both from the training rows only, divisor n",
        },
        "split": {
            "rule": f"row i, counted from 0 after the header, is a test row when i % {TEST_EVERY} == {TEST_EVERY - 1}",
            "train_rows": int(train.sum()),
            "train_malignant": int(y[train].sum()),
            "test_rows": int(test.sum()),
            "test_malignant": int(y[test].sum()),
        },
        "features": names,
        "means": means,
        "standard_deviations": deviations,
        "standardized": {"weights": weights, "bias": bias},
        "raw": {"weights": raw_weights, "bias": raw_bias},
        "evaluation": {
            "train_accuracy": accuracy(y[train], predicted[train]),
            "test_accuracy": accuracy(y[test], predicted[test]),
            "accuracy": accuracy(y, predicted),
            "confusion_all_rows": confusion(y, predicted),
            "score_min": significant(min(scores)),
            "score_max": significant(max(scores)),
            "score_max_abs": significant(max(abs(s) for s in scores)),
            "score_min_abs": significant(min(abs(s) for s in scores)),
            "standardized_max_abs": significant(float(np.abs(standardized).max())),
        },
    }
    return json.dumps(model, indent=2) + "\n"


def read_table() -> tuple[list[str], np.ndarray, np.ndarray]:
    """The committed table as (feature names, 569×30 features, labels), checked for shape and class counts."""
    with TABLE.open(newline="") as file:
        header, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    x, y = values[:, :-1], values[:, -1].astype(int)
    if x.shape != (ROWS, FEATURES) or header[-1] != LABEL or y.sum() != MALIGNANT:
        raise SystemExit(f"{TABLE.name}: expected {ROWS}×{FEATURES} with {MALIGNANT} malignant, got {x.shape}, {y.sum()}")
    return header[:-1], x, y


def accuracy(actual: np.ndarray, predicted: np.ndarray) -> float:
    return significant(float((actual == predicted).mean()))


def confusion(actual: np.ndarray, predicted: np.ndarray) -> dict[str, int]:
    def count(a: int, p: int) -> int:
        return int(((actual == a) & (predicted == p)).sum())

    return {
        "true_malignant": count(1, 1),
        "false_malignant": count(0, 1),
        "true_benign": count(0, 0),
        "false_benign": count(1, 0),
    }


def significant(value: float) -> float:
    """Nine significant digits: enough to read, and free of last-bit differences."""
    return float(f"{value:.9g}")


def print_summary(model: dict) -> None:
    for key, value in {**model["split"], **model["evaluation"]}.items():
        print(f"{key:22} {value}")


if __name__ == "__main__":
    sys.exit(main())
