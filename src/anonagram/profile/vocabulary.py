"""The words that names of columns are made of, in the languages of many tables.

German, Dutch, French, Italian, Spanish and Portuguese stand beside English without accents, as `words_of`
gives them.
"""

from __future__ import annotations

import re


class Listed:
    """Words; * stands for any letters.

    >>> "diagnosis" in Listed("diag* flu"), "influenza" in Listed("diag* flu")
    (True, False)
    >>> "erkrankung" in Listed("*krank*"), "voornaam" in Listed("*naam")
    (True, True)
    """

    def __init__(self, text: str, *others: Listed) -> None:
        self.words: tuple[str, ...] = (*text.split(), *(w for other in others for w in other.words))
        self._whole = frozenset(self.words)
        starred = [word for word in self.words if "*" in word]
        self._begins = tuple(word[:-1] for word in starred if word.find("*") == len(word) - 1)
        self._ends = tuple(word[1:] for word in starred if word.rfind("*") == 0)
        self._inside = tuple(w[1:-1] for w in starred if w[0] == w[-1] == "*")

    def __contains__(self, word: object) -> bool:
        # no pattern of all words: compiling it would take longer than all looking up
        return isinstance(word, str) and (
            word in self._whole
            or word.startswith(self._begins)
            or word.endswith(self._ends)
            or any(each in word for each in self._inside)
        )


SURVEY_CODES = {
    "agep": "age", "rac1p": "race", "msp": "marital", "hisp": "hispanic", "schl": "education",
    "pincp": "income", "povpip": "poverty", "pwgtp": "surveyweight", "wgtp": "surveyweight",
    "fnlwgt": "surveyweight", "afnlwgt": "surveyweight", "puma": "region", "indp": "industry",
    "occp": "occupation", "dvet": "disability", "drem": "disability", "dphy": "disability",
    "deye": "disability", "dear": "disability", "ddrs": "disability", "dout": "disability",
    "dob": "birth", "ssn": "ssn", "agi": "income", "fica": "tax", "nbr": "number", "nr": "number",
    "num": "number", "no": "number", "wgt": "weight", "gpa": "grade", "puid": "id",
    "noc": "children", "npf": "family", "ptotval": "income", "pothval": "income", "intval": "income",
    "pearnval": "earnings", "wsalval": "wage", "ernval": "earnings", "emcontrb": "benefit",
    "taxinc": "income",
}  # fmt: skip
"""Abbreviations that public surveys and registers use."""

NAMES_A_PERSON = Listed(
    "name firstname lastname forename surname fullname username mail email phone telephone mobile cell fax "
    "passport iban address street ssn mrn uuid guid login signature photo tel gsm whatsapp skype twitter "
    "latitude longitude lat lon lng gps coordinates geolocation "
    # German, Dutch, Swedish, Danish
    "vorname *nachname adresse anschrift strasse telefon* handy* ausweis* *unterschrift naam *naam adres "
    "straat telefoon namn navn fornamn efternamn adress personnummer cpr "
    # French, Italian, Spanish, Portuguese, Polish
    "nom prenom courriel rue cognome nome indirizzo cellulare codicefiscale apellido* correo direccion calle "
    "telefono movil dni nif sobrenome apelido endereco morada telefone cpf imie nazwisko pesel nir bsn nhs"
)
PEOPLE = Listed(
    "patient* person* customer* client* user member author employee student pupil subject respondent "
    "participant citizen insured household family emp staff donor voter tenant borrower applicant passenger "
    "guest driver resident taxpayer subj cust "
    "kunde* kund* mitglied* versichert* schuler* mitarbeiter* angestellt* burger* probande* "
    "assure* eleve* salarie* utilisateur* usager* beneficiaire* paciente* usuario* empleado* alumno* "
    "paziente* utente* dipendente* studente* medewerker* klant* leerling*"
)
"""Who can have several rows."""
PERSONS = Listed(
    "encounter visit case record account card insurance policy licence license social security tax "
    "national medicare fall* akte* konto* *versicherung* steuer* dossier* caso cas expediente* cartella*",
    PEOPLE,
)
NUMBERS = Listed(
    "id identifier number key token index nummer numero nummern kennung kennzahl schlussel"
)
COMPOUND_NUMBER = re.compile(r"(\w{4,}?)(?:nummer|kennung|kennzeichen|nr)")
"""Patientennummer: languages that write such words as one."""
OCCUPATIONS = Listed(
    "occupation* job jobs profession* vocation* *beruf* beroep* metier* emploi mestiere ocupacion* "
    "ocupacao* occupazion* profesion* profissao profissoes oficio empleo"
)
"""What somebody does for a living: private, in whichever language it is said."""
CODES = Listed(
    "id code zip zipcode postcode postal icd number cat category categories type class group status plz cap "
    "country nation nationality race ethnic* industr* region state county city district "
    "department sector specialty reason cause marital relationship religio* language",
    OCCUPATIONS,
)
KNOWN = Listed(
    "age sex gender race ethnic ethnicity hispanic latino birth birthday birthdate born year zip zipcode "
    "post postcode postal marital married civil education edu school schooling degree country nation "
    "nationality citizenship native city town region state county district density urban rural work "
    "workclass industry sector employer department site office branch class ward specialty "
    "housing house home dwelling own rent language tongue admission admitted admit hire hired visit stay "
    "hours height relationship children family senior date day month "
    # German, Dutch
    "alter* geschlecht geburt* wohnort ort stadt land kreis bezirk plz postleitzahl familienstand "
    "staatsangehorigkeit nationalitat bildung* *abschluss herkunft aufnahme* aufnahmedatum *datum "
    "*abteilung verweildauer leeftijd geslacht geboorte* woonplaats gemeente provincie nationaliteit "
    # French, Italian, Spanish, Portuguese
    "sexe naissance ville pays departement commune nationalite diplome* origine secteur heures eta "
    "sesso genere nascita citta provincia paese comune nazionalita edad sexo genero nacimiento "
    "ciudad pais municipio nacionalidad estudios idade nascimento cidade escolaridade fecha"
)
PRIVATE = {
    "health": Listed(
        "*diag* dx disease* illness* disorder* symptom* condition conditions hiv aids cancer* tumo* diabet* "
        "depress* anxi* mental* psych* suicid* asthma* stroke heart blood cholest* glucose insulin bmi "
        "obes* disab* medication* medicine* prescri* treatment* therap* surg* lab labs vaccin* readmi* "
        "pregnan* abort* genotype* gene genes dna allerg* hospitali* death died dead deceased mortality "
        "blind deaf impair* handicap* sick* needs hba systolic diastolic biops* icd drg autis* adhd dyslex* "
        "dementia* epilep* hepatit* covid* infect* comorbid* adverse dod addict* rehab* "
        "*krank* befund* *medikament* *behandlung* laborwert* *behinder* schwanger* *impf* tod todes* "
        "verstorben* blutdruck wiederaufnahme gesundheit* "
        "maladie* sante traitement* medicament* grossesse* deces "
        "enfermedad* salud tratamiento* medicacion* discapacidad* embarazo* muerte "
        "malatti* salute trattament* farmac* gravidanza decesso "
        "doenca* saude tratamento* obito ziekte* aandoening* behandeling* medicijn* zwanger* overlijd*"
    ),
    "sex life or habits": Listed(
        "sexual* partner* orientation contracep* smok* tobacco cigar* alcohol* drink* drug* marij* "
        "cannabis cocaine gambl* rauch* alkohol* tabak* fumeur* tabac alcool* fuma* tabaco droga*"
    ),
    "beliefs or the law": Listed(
        "crime* criminal* offen* convict* arrest* prison* victim* *religio* faith church politic* vote* "
        "union party asylum immigra* caste konfession* partei* gewerkschaft* *straf* syndicat* parti partito "
        "partido* sindica*"
    ),
    "money": Listed(
        "salar* income* wage* earn* wealth debt* loan* *tax taxes loss losses gain "
        "gains profit* asset* revenue* *revenue pay paid "
        "balance* credit* benefit* poverty pension* dividend* cost costs charge* price* *sales "
        "fund funds treasury capital depreciation financial bonus* compensation mortgage* bankrupt* "
        "welfare unemploy* lunch worth "
        "*gehalt* *lohn* *einkommen* schuld* *kredit* vermogen* kosten *kosten *umsatz* rente rentner* "
        "arbeitslos* salaire* revenu revenus dette* impot* patrimoine* chomage sueldo* renta deuda* "
        "impuesto* ingresos stipendi* reddito* debit* salaris* inkomen* belasting* renda* rendimento* divida*"
    ),
    "achievement": Listed("result* outcome* score* grade* rating* appraisal* exam*"),
    "work": OCCUPATIONS,
}
"""What nobody should learn, by what it is about; * stands for any letters."""
AILMENTS = Listed(
    "*itis *emia *osis *pathy cancer* carcinom* tumo* diabet* hypertens* asthma* depress* anxiety "
    "schizo* bipolar hiv aids hepatit* influenza flu pneumon* fractur* infarct* stroke epilep* migrain* "
    "headache* nausea rash insomni* syncope fever vomit* covid* adhd autis* dyslex* dementia* alzheimer* "
    "parkinson* anemia obes* allerg* burn burns gout ulcer* infection* *krebs *bruch *entzundung"
)
"""What people suffer from: values that give away what a column is about, whatever it is called."""
QUANTITIES = Listed(
    "age count number hours days weeks months years year month day size time level rank decile "
    "percent rate amount total height weight length distance score grade stage n education children "
    "persons alter anzahl dauer verweildauer niveau heures nombre edad eta idade"
)
