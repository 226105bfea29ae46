"""`inspect` on every real table, and on a dozen made messy: cautious roles, and a command that runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl
import pytest

from anonagram import Key, Method, Microdata
from anonagram.profile import Profile
from anonagram.profile.roles import UNTOLD
from anonagram.schema import Schema

ROWS = 1500
Change = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Case:
    """A table, what is done to it, and what must not be published as it is."""

    path: str
    private: tuple[str, ...]
    """Columns that name people or that nobody should learn: never quasi or plain."""
    known: tuple[str, ...] = ()
    """Columns that people are known by."""
    change: Change = lambda frame: frame
    said: tuple[str, ...] = ()
    """Texts that the schema must have."""


ADULT = ("capital-gain", "capital-loss", "income", "occupation", "fnlwgt")
PEOPLE = ("age", "sex", "race", "native-country")
HOSPITAL = ("encounter_id", "patient_nbr", "diag_1", "readmitted", "num_medications")
ACS = ("PINCP", "PINCP_DECILE", "POVPIP", "DVET", "DREM", "DPHY", "DEYE", "DEAR", "PWGTP", "WGTP")


def renamed(**names: str) -> Change:
    return lambda frame: frame.rename(
        {name.replace("_dash_", "-"): new for name, new in names.items()}
    )


def added(name: str, make: Callable[[int], object]) -> Change:
    return lambda frame: frame.with_columns(
        pl.Series(name, [str(make(i)) for i in range(frame.height)])
    )


def recoded(name: str) -> Change:
    return lambda frame: frame.with_columns(
        pl.col(name).rank("dense").cast(pl.Int64).cast(pl.String)
    )


def marked(name: str, mark: str) -> Change:
    every_ninth = pl.int_range(pl.len()) % 9 == 0
    return lambda frame: frame.with_columns(
        pl.when(every_ninth).then(pl.lit(mark)).otherwise(name).alias(name)
    )


def day(i: int) -> date:
    return date(2001, 1, 1) + timedelta(days=i * 37 % 900)


ADULT_CSV, HOSPITAL_CSV = "adult/adult.csv", "hospital/first_encounters.csv"
CASES = {
    "acl authors": Case("acl/authors.csv", ("author_id",)),
    "acl edges": Case("acl/edges.csv", ("author_id",), said=("rows_per_person = 1",)),
    "acl papers": Case("acl/papers.csv", ()),
    "acs": Case("acs2019/acs2019.csv", ACS, ("AGEP", "SEX", "PUMA", "RAC1P")),
    "adult": Case(ADULT_CSV, ADULT, PEOPLE),
    "adult complete": Case("adult/adult_complete.csv", ADULT, PEOPLE),
    "census": Case("casc/census_1080x13.csv", ()),
    "eia": Case("casc/eia.csv", ("UTILITYID", "UTILNAME", "RESREVENUE", "TOTREVENUE"), ("STATE",)),
    "tarragona": Case("casc/tarragona.csv", ()),
    "dblp authors": Case("dblp/authors.csv", ("author_id",)),
    "dblp edges": Case("dblp/edges.csv", ("author_id",), said=("rows_per_person = 1",)),
    "dblp papers": Case("dblp/papers.csv", ()),
    "hospital": Case(HOSPITAL_CSV, HOSPITAL, ("age", "race", "gender")),
    # made messy
    "question marks": Case(ADULT_CSV, ADULT, PEOPLE, marked("workclass", "?"), ('missing = ["?"]',)),
    "codes of missing answers": Case(
        "acs2019/acs2019.csv", ACS, ("AGEP",), marked("AGEP", "-9"), ('missing = ["-9"]',)
    ),
    "American dates": Case(
        HOSPITAL_CSV, HOSPITAL, ("admitted",), added("admitted", lambda i: f"{day(i):%m/%d/%Y}"),
        ('format = "month/day/year"',),
    ),
    "German dates": Case(
        HOSPITAL_CSV, HOSPITAL, ("birth_date",), added("birth_date", lambda i: f"{day(i):%d.%m.%Y}"),
        ('format = "day/month/year"',),
    ),
    "amounts": Case(
        ADULT_CSV, (*ADULT, "yearly_salary"), PEOPLE,
        added("yearly_salary", lambda i: f"${20_000 + i * 7919 % 90_000:,}.00"), ('format = "1,234.5"',),
    ),
    "European amounts": Case(
        ADULT_CSV, (*ADULT, "debts"), PEOPLE,
        added("debts", lambda i: f"{i * 7919 % 9_000 + 1_000:,},50 €".replace(",", ".", 1)),
        ('format = "1.234,5"',),
    ),
    "phones": Case(
        HOSPITAL_CSV, (*HOSPITAL, "contact"), ("age",), added("contact", lambda i: f"617-555-{i:04}")
    ),
    "notes that mention people": Case(
        HOSPITAL_CSV, (*HOSPITAL, "remark"), ("age",),
        added("remark", lambda i: ["stable", "his wife Anna called", "seen by Dr. Miller"][i % 3]),
    ),
    "prose": Case(
        HOSPITAL_CSV, (*HOSPITAL, "story"), ("age",),
        added("story", lambda i: f"patient walked in on day {i} and complained of pain in joint {i % 31}"),
    ),
    "account numbers under another name": Case(
        ADULT_CSV, (*ADULT, "ref"), PEOPLE, added("ref", lambda i: f"{81_300_000 + i * 13}")
    ),
    "other words for the same": Case(
        HOSPITAL_CSV, ("Encounter Number", "patientNumber", "Diagnosis Code", "Readmission"), ("Age Group",),
        renamed(encounter_id="Encounter Number", patient_nbr="patientNumber", diag_1="Diagnosis Code",
                readmitted="Readmission", age="Age Group"),
    ),
    "capitals": Case(
        ADULT_CSV, ("FNLWGT", "CAPITAL_GAIN", "INCOME", "OCCUPATION"), ("AGE", "SEX"),
        lambda frame: frame.rename(lambda name: name.upper().replace("-", "_")),
    ),
    "in German": Case(
        HOSPITAL_CSV,
        ("Fallnummer", "Patientennummer", "Hauptdiagnose", "Medikamente", "Wiederaufnahme"),
        ("Geschlecht", "Altersgruppe"),
        renamed(encounter_id="Fallnummer", patient_nbr="Patientennummer", diag_1="Hauptdiagnose",
                num_medications="Medikamente", readmitted="Wiederaufnahme", gender="Geschlecht",
                age="Altersgruppe"),
    ),
    "in French": Case(
        ADULT_CSV, ("métier", "revenu", "gain_capital"), ("sexe", "pays"),
        renamed(occupation="métier", income="revenu", sex="sexe", native_dash_country="pays",
                capital_dash_gain="gain_capital"),
    ),
    "in Spanish": Case(
        ADULT_CSV, ("ocupación", "ingresos"), ("edad", "sexo", "país"),
        renamed(age="edad", sex="sexo", occupation="ocupación", income="ingresos",
                native_dash_country="país"),
    ),
    "where people live": Case(
        HOSPITAL_CSV, (*HOSPITAL, "lat", "lon"), ("age",),
        lambda frame: added("lat", lambda i: f"{42 + i * 0.00013:.5f}")(
            added("lon", lambda i: f"{-71 - i * 0.00017:.5f}")(frame)
        ),
    ),
    "where people came from in a network": Case(
        HOSPITAL_CSV, (*HOSPITAL, "login_from"), ("age",),
        added("login_from", lambda i: f"10.0.{i % 256}.{i // 256}"),
    ),
    "times of day": Case(
        HOSPITAL_CSV, HOSPITAL, ("admission_time",),
        added("admission_time", lambda i: f"{day(i)} {i % 24:02}:{i % 60:02}:00"),
    ),
    "bands of pay": Case(
        ADULT_CSV, (*ADULT, "salary_band"), PEOPLE,
        added("salary_band", lambda i: ["<20k", "20k-30k", "30k-50k", ">50k"][i * 7 % 4]),
    ),
    "an address in one row of many": Case(
        HOSPITAL_CSV, (*HOSPITAL, "memo"), ("age",),
        added("memo", lambda i: f"see p{i}@clinic.org" if i % 200 == 0 else "ok"),
    ),
    "names that say nothing": Case(
        HOSPITAL_CSV, ("v0", "v1"),
        change=lambda frame: frame.rename({name: f"v{i}" for i, name in enumerate(frame.columns)}),
    ),
    "diagnoses under another name": Case(
        HOSPITAL_CSV, (*HOSPITAL, "q7"), ("age",),
        added("q7", lambda i: ["E11.9", "I10", "J45", "F32.1", "C50"][i % 5]),
    ),
    "ailments under another name": Case(
        HOSPITAL_CSV, (*HOSPITAL, "finding"), ("age",),
        added("finding", lambda i: ["Asthma", "Migraine", "Gastritis", "none", "Depression"][i % 5]),
    ),
    "visits": Case(
        HOSPITAL_CSV, (*HOSPITAL[1:], "patient"), ("age",),
        lambda frame: frame.with_columns(patient="P" + (pl.int_range(pl.len()) % 300).cast(pl.String))
        .drop("encounter_id"),
        ("rows_per_person = 1",),
    ),
    "a manager's name again and again": Case(
        ADULT_CSV, (*ADULT, "boss"), PEOPLE,
        added("boss", lambda i: f"{['Anna', 'Kofi', 'Maria', 'Ivo'][i % 4]} {['Meyer', 'Rossi'][i % 3 % 2]}"),
    ),
    "numbers for words": Case(ADULT_CSV, ADULT, PEOPLE, recoded("marital-status")),
    "the secret beside its code": Case(
        HOSPITAL_CSV, (*HOSPITAL, "ward"), ("age",),
        lambda frame: frame.with_columns(ward=pl.lit("W") + pl.col("diag_1").fill_null("none")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_roles_are_cautious_and_the_command_runs(real_data, tmp_path, name):
    case = CASES[name]
    table = case.change(pl.read_csv(real_data(case.path), infer_schema=False, n_rows=ROWS))
    table.write_csv(tmp_path / "table.csv")
    profile = Profile.of(tmp_path / "table.csv")
    role = {column.name: column.role for column in profile.columns}
    assert [name for name in case.private if role[name] in ("quasi", "plain")] == []
    assert [name for name in case.known if role[name] != "quasi"] == []
    toml = profile.to_toml()
    for text in case.said:
        assert text in toml
    assert profile.suggestion.method is not None
    if any(column.reason.startswith(UNTOLD) for column in profile.columns):
        assert not profile.suggestion.method.startswith(
            "anatomy"
        )  # it would print them as they are
    (tmp_path / "table.toml").write_text(toml, encoding="utf-8")
    data = Microdata.read(tmp_path / "table.csv", Schema.read(tmp_path / "table.toml"))
    Method.parse(profile.suggestion.method).publish(data, Key(bytes(32)))
