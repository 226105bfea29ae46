"""Words of our results, explained once for whoever reads a page without knowing them."""

from __future__ import annotations

AUDIT = {
    "Original and masked": "The table as it was, and what was made of it to be published.",
    "Rank": "The place of a value when all values of its column stand in order.",
    "Distance": "How many ranks a value moved, or how many lie between a record and its match.",
    "Rank correlation": "1 where masking kept the order of values, 0 where nothing of it is left.",
    "Unmoved": "The share of people whose value stands as it was, in ranks.",
    "Residual noise": "What masking did beyond moving values: how far they are from the original's "
    "value of the same rank, as a standard deviation.",
    "Linked": "A record of the original whose nearest masked record is told to be its own. Correct if "
    "it is.",
    "Random records": "Records that do not exist, made up from the original's values. What is found "
    "about them is what chance finds.",
    "Advantage": "How much more often the intruder is right about people than about random records: "
    "0 is chance, 1 is certainty.",
    "Hellinger": "How different the distances of real and of random records are: 0 the same, 1 "
    "without overlap.",
    "(d,v,f)-permuted privacy": "Everybody's value moved by at least d ranks, among values that "
    "differ by at least v.",
    "Blind guesses": "How often somebody is right who takes any masked record for anybody's.",
    "Of the surest 1 %": "How many are right of the people whom the intruder would name first.",
    "Withstands": "No intruder finds more people than are tolerated, and none can tell whom he found.",
    "Cannot tell": "It was not shown that people are safe: because it is not known which rows belong "
    "together, or because too few were looked at.",
}
