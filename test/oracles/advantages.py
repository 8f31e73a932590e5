"""Advantages of groups, computed apart from rollstream: with numpy where it is installed, else with exact fractions.

Reads JSON lines {rewards, others, baseline, divide_by_std, ddof, eps} and prints {advantages, others} a line.
"""

import json
import math
import sys
from fractions import Fraction

try:
    import numpy
except ImportError:
    numpy = None


def mean_of(values):
    if numpy is not None:
        return float(numpy.mean(numpy.asarray(values, dtype=numpy.float64)))
    return float(sum(map(Fraction, values)) / len(values))


def std_of(values, ddof):
    if numpy is not None:
        return float(numpy.std(numpy.asarray(values, dtype=numpy.float64), ddof=ddof))
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return math.sqrt(sum((value - mean) ** 2 for value in exact) / (len(exact) - ddof))


def without(values, index):
    return values[:index] + values[index + 1 :]


def advantages(group):
    rewards, others = group["rewards"], group["others"]
    baseline = group["baseline"]
    mean = mean_of(rewards)
    spread = max(rewards) - min(rewards)
    flat = len(rewards) < 2 or spread <= 1e-9 * max(1.0, max(map(abs, rewards)))
    if baseline == "none":
        return [None] * len(rewards), [None] * len(others)
    if baseline == "grpo" and group["divide_by_std"]:
        if flat or len(rewards) <= group["ddof"]:
            return [0.0] * len(rewards), [0.0] * len(others)
        scale = std_of(rewards, group["ddof"]) + group["eps"]
        return [(r - mean) / scale for r in rewards], [(r - mean) / scale for r in others]
    apart = [r - mean for r in others]
    if flat:
        return [0.0] * len(rewards), apart
    if baseline == "leave_one_out":
        return [r - mean_of(without(rewards, i)) for i, r in enumerate(rewards)], apart
    return [r - mean for r in rewards], apart


for line in sys.stdin:
    inside, outside = advantages(json.loads(line))
    print(json.dumps({"advantages": inside, "others": outside}))
