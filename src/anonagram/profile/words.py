"""What the name of a column says: whole words, so that `readmitted` is not `admitted`."""

from __future__ import annotations

import re
import unicodedata

from anonagram.profile.vocabulary import (
    COMPOUND_NUMBER,
    NAMES_A_PERSON,
    NUMBERS,
    PERSONS,
    PRIVATE,
    SURVEY_CODES,
    Listed,
)


def words_of(name: str) -> list[str]:
    """The words of a column's name, abbreviations written out, without accents.

    >>> words_of("phone2"), words_of("patientNbr"), words_of("marital-status"), words_of("AGEP")
    (['phone'], ['patient', 'number'], ['marital', 'status'], ['age'])
    >>> words_of("Patientennummer"), words_of("Prénom")
    (['patienten', 'number'], ['prenom'])
    """
    if name.lower() in SURVEY_CODES:
        return [SURVEY_CODES[name.lower()]]
    apart = re.sub(r"([a-zß-ÿ])([A-ZÀ-Þ])", r"\1 \2", name).casefold()
    bare = "".join(c for c in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(c))
    found = re.findall(r"[^\W\d_]+\d?[a-z]*(?![a-z])|[^\W\d_]+", bare)
    plain = [re.sub(r"\d.*$", "", word) for word in found]
    written_out = (
        SURVEY_CODES.get(whole, SURVEY_CODES.get(word, word))
        for whole, word in zip(found, plain, strict=True)
    )
    return [part for word in written_out for part in _parts(word)]


def _parts(word: str) -> list[str]:
    compound = COMPOUND_NUMBER.fullmatch(word)
    return [word] if compound is None else [compound[1], "number"]


def speaks_of(words: list[str], listed: Listed) -> bool:
    """Whether one of the words is listed."""
    return any(word in listed for word in words)


def is_survey_weight(words: list[str]) -> bool:
    """Whether a name means how many people a row stands for, and not how heavy somebody is.

    >>> is_survey_weight(["final", "weight"]), is_survey_weight(["weight"])
    (True, False)
    """
    sampled = ("final", "person", "sample", "survey", "household", "sampling", "design")
    return "surveyweight" in words or (
        any(word.startswith("weight") for word in words) and any(word in sampled for word in words)
    )


def names_a_person(words: list[str]) -> bool:
    """Whether a name promises something that points at one person.

    >>> names_a_person(["insurance", "number"]), names_a_person(["number", "diagnoses"])
    (True, False)
    """
    if any(word in NAMES_A_PERSON or word.endswith(("name", "email")) for word in words):
        return True
    if words == ["nombre"]:  # a name in Spanish, a number of something in French
        return True
    return speaks_of(words, PERSONS) and words[-1] in NUMBERS


def private_about(words: list[str]) -> str | None:
    """What private matter a name is about, or None.

    >>> private_about(["number", "of", "partners"]), private_about(["readmitted"])
    ('sex life or habits', 'health')
    >>> private_about(["payer", "code"]), private_about(["label"]), private_about(["hauptdiagnose"])
    (None, None, 'health')
    """
    return next((matter for matter, listed in PRIVATE.items() if speaks_of(words, listed)), None)
