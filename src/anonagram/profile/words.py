"""What the name of a column says: whole words, so that `readmitted` is not `admitted`."""

from __future__ import annotations

import re

SURVEY_CODES = {
    "agep": "age", "rac1p": "race", "msp": "marital", "hisp": "hispanic", "schl": "education",
    "pincp": "income", "povpip": "poverty", "pwgtp": "surveyweight", "wgtp": "surveyweight",
    "fnlwgt": "surveyweight", "afnlwgt": "surveyweight", "puma": "region", "indp": "industry",
    "occp": "occupation", "dvet": "disability", "drem": "disability", "dphy": "disability",
    "deye": "disability", "dear": "disability", "ddrs": "disability", "dout": "disability",
    "dob": "birth", "ssn": "ssn", "agi": "income", "fica": "tax", "nbr": "number", "nr": "number",
    "num": "number", "no": "number", "wgt": "weight", "gpa": "grade", "puid": "id",
    "ptotval": "income", "pothval": "income", "intval": "income", "pearnval": "earnings",
    "wsalval": "wage", "ernval": "earnings", "emcontrb": "benefit", "taxinc": "income",
}  # fmt: skip
"""Abbreviations that public surveys and registers use."""

NAMES_A_PERSON = (
    "name", "firstname", "lastname", "forename", "surname", "fullname", "username", "mail", "email",
    "phone", "telephone", "mobile", "cell", "fax", "passport", "iban", "address", "street", "ssn",
    "mrn", "uuid", "guid", "login", "signature", "photo",
)  # fmt: skip
PERSONS = (
    "patient", "person", "customer", "client", "user", "member", "author", "employee", "student",
    "pupil", "subject", "respondent", "participant", "citizen", "insured", "household", "family",
    "encounter", "visit", "case", "record", "account", "card", "insurance", "policy", "licence",
    "license", "social", "security", "tax", "national", "medicare", "nhs",
)  # fmt: skip
PEOPLE = PERSONS[:14]
"""Who can have several rows."""
NUMBERS = ("id", "identifier", "number", "key", "token", "index")
CODES = ("id", "code", "zip", "zipcode", "postcode", "postal", "icd", "number")
KNOWN = (
    "age", "sex", "gender", "race", "ethnic", "ethnicity", "hispanic", "birth", "birthday",
    "birthdate", "born", "year", "zip", "zipcode", "post", "postcode", "postal", "marital",
    "education", "edu", "country", "nation", "nationality", "native", "city", "town", "region",
    "state", "county", "district", "job", "work", "workclass", "profession", "housing", "house",
    "own", "rent", "language", "admission", "admitted", "height", "relationship", "children",
)  # fmt: skip
PRIVATE = {
    "health": (
        "diag* disease* illness* disorder* symptom* condition conditions hiv aids cancer* tumo* diabet* "
        "depress* anxi* mental* psych* suicid* asthma* stroke heart blood cholest* glucose insulin bmi "
        "obes* disab* medication* medicine* prescri* treatment* therap* surg* lab labs vaccin* readmi* "
        "pregnan* abort* genotype* gene genes dna allerg* hospitali* death died mortality"
    ),
    "sex life or habits": (
        "sexual* partner* orientation contracep* smok* tobacco cigar* alcohol* drink* drug* marij* "
        "cannabis cocaine gambl*"
    ),
    "beliefs or the law": (
        "crime* criminal* offen* convict* arrest* prison* victim* religio* faith politic* vote* union "
        "asylum immigra*"
    ),
    "money": (
        "salar* income* wage* earn* wealth debt* loan* *tax taxes loss losses gain "
        "gains profit* asset* revenue* *revenue pay paid "
        "balance* credit* benefit* poverty pension* dividend* cost costs charge* price* *sales "
        "fund funds treasury capital depreciation financial"
    ),
    "achievement": "result* score* grade* occupation*",
}
"""What nobody should learn, by what it is about; * stands for any letters."""
QUANTITIES = (
    "age", "count", "number", "hours", "days", "weeks", "months", "years", "year", "month", "day",
    "size", "time", "level", "rank", "decile", "percent", "rate", "amount", "total", "height",
    "weight", "length", "distance", "score", "grade", "stage", "n", "education", "children", "persons",
)  # fmt: skip


def words_of(name: str) -> list[str]:
    """The words of a column's name, abbreviations written out.

    >>> words_of("phone2"), words_of("patientNbr"), words_of("marital-status"), words_of("AGEP")
    (['phone'], ['patient', 'number'], ['marital', 'status'], ['age'])
    """
    if name.lower() in SURVEY_CODES:
        return [SURVEY_CODES[name.lower()]]
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    found = re.findall(r"[^\W\d_]+\d?[a-z]*(?![a-z])|[^\W\d_]+", apart.lower())
    plain = [re.sub(r"\d.*$", "", word) for word in found]
    return [
        SURVEY_CODES.get(whole, SURVEY_CODES.get(word, word))
        for whole, word in zip(found, plain, strict=True)
    ]


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
    return any(word in PERSONS for word in words) and words[-1] in NUMBERS


def private_about(words: list[str]) -> str | None:
    """What private matter a name is about, or None.

    >>> private_about(["number", "of", "partners"]), private_about(["readmitted"])
    ('sex life or habits', 'health')
    >>> private_about(["payer", "code"]), private_about(["label"])
    (None, None)
    """
    for matter, pattern in _PATTERNS.items():
        if any(pattern.fullmatch(word) for word in words):
            return matter
    return None


_PATTERNS = {
    matter: re.compile("|".join(word.replace("*", r"\w*") for word in listed.split()))
    for matter, listed in PRIVATE.items()
}
