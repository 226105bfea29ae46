from __future__ import annotations

import pickle
from dataclasses import fields, replace

import pytest

from anonagram import Anatomy, Method, Microdata, PrivacyModel
from anonagram.attacks import audit
from anonagram.columns.hierarchy import HierarchyRule
from anonagram.errors import CallError
from anonagram.partition import Partitioner


@pytest.mark.parametrize("family", [Method, PrivacyModel, HierarchyRule])
def test_every_example_reads_back(family):
    for name, member in family.known().items():
        call = family.parse(member.example)
        assert call.call == name
        assert family.parse(repr(call)) == call


def test_positional_values_and_bare_words():
    assert (
        repr(PrivacyModel.parse("recursive_l_diversity(2, l=3)"))
        == "recursive_l_diversity(c=2, l=3)"
    )
    assert repr(HierarchyRule.parse("mask(side=left)")) == 'mask(side="left", symbol="*")'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anatomi(l=4)", "did you mean 'anatomy'"),
        ("anatomy", "needs a value for 'l'"),
        ("anatomy(k=4)", "has no parameter 'k'"),
        ("anatomy(4, l=4)", "given twice"),
        ("anatomy(4, 5, 6, 7)", "takes"),
        ("anatomy(l=)", "is not a call"),
        ("anatomy(l=1)", "at least 2"),
        ("anatomy(l=4.5)", "whole number"),
        ("anatomy(l='4')", "whole number"),
        ("anatomy(l=__import__('os').system('true'))", "is not a plain value"),
        ("anatomy(**{})", "is not understood"),
        ("a.b(l=4)", "is not a call"),
        ("", "is not a call"),
        ("anatomy(l=4); import os", "is not a call"),
        ("(" * 500, "is not a call"),
        ("anatomy(l=2, l=3)", "given twice"),
        ("-" * 100_000 + "1", "is not a call"),
        ("anatomy(l=4, partition='bucket')", "did you mean 'buckets'"),
        ("anatomy(l=4, partition=5)", "must be the text of a call"),
    ],
)
def test_bad_text_gets_a_helpful_error(text, message):
    with pytest.raises(CallError, match=message.replace("(", r"\(")):
        Method.parse(text)


@pytest.mark.parametrize("family", [Method, PrivacyModel, HierarchyRule, Partitioner])
def test_no_parameter_takes_any_text(family):
    """A word that means nothing is refused when the call is made, whichever parameter it is for."""
    for member in family.known().values():
        given = family.parse(member.example)
        for field in fields(given):
            with pytest.raises(CallError, match=r"must be|There is no|not a call"):
                replace(given, **{field.name: "~~"})


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ('anatomy(l=4, partition="neighbours")', "anatomy(l=4)"),
        ("data_swapping(within=[])", "data_swapping()"),
        ("mondrian(k_anonymity(k=5), cuts='strict')", "mondrian(k_anonymity(k=5))"),
    ],
)
def test_a_brief_call_leaves_out_what_is_usual_and_means_the_same(text, brief):
    call = Method.parse(text)
    assert call.brief == brief
    assert Method.parse(brief) == call


def test_python_is_told_of_parameters_as_a_text_is():
    """Anatomy(k=4) was a bare TypeError."""
    with pytest.raises(CallError, match="anatomy has no parameter 'k'"):
        Anatomy(k=4)
    with pytest.raises(CallError, match="anatomy needs a value for 'l'"):
        Anatomy()
    assert pickle.loads(pickle.dumps(Anatomy(l=3))) == Anatomy(l=3)


def test_what_is_no_question_and_no_pair_is_refused_in_words():
    data = Microdata.read(
        {"age": [1, 2, 3, 4], "ill": list("abcd")}, {"age": "quasi", "ill": "sensitive"}
    )
    with pytest.raises(CallError, match="5 is no question"):
        Anatomy(l=2).anonymize(data).query(5)
    with pytest.raises(CallError, match="A DataFrame is no pair of tables"):
        audit(data.frame(), data.frame())
