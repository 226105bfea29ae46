"""What personal data looks like: forms of addresses and numbers, and names that are common.

Regular expressions as Polars reads them. A form is for a single value among others, so it has to be one
that nothing else has; what only a whole column shows is for `personal.py`.
"""

from __future__ import annotations

TITLES = "Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Herrn|Frau|Mme|Mlle|Sr|Sra|Señora?|Signora?|Dhr|Mevr"
RELATIVES = (
    "wife|husband|spouse|partner|fiancée?|son|daughter|child|mother|mom|mum|father|dad|brother|sister|"
    "uncle|aunt|cousin|niece|nephew|grandmother|grandfather|friend|neighbou?r|colleague|roommate|"
    "named|name is|Ehefrau|Ehemann|namens|mari|femme|épouse|fils|fille|mère|père|frère|s(?:oe|œ)ur|amie?|"
    "voisine?|marido|mujer|esposa|esposo|hij[oa]|madre|padre|herman[oa]|amig[oa]|vecin[oa]|marito|moglie|"
    "figli[oa]|fratello|sorella|amic[oa]|filh[oa]|mãe|pai|irmã|irmão|echtgeno(?:ot|te)|zoon|dochter|"
    "moeder|vader|broer|zus|vriend|vriendin"
)
GIVEN_NAMES = (
    "Aaron|Adam|Ahmed|Alejandro|Alexander|Alice|Alicia|Amanda|Amelia|Amy|Ana|Andrea|Andrew|Angela|Anita|"
    "Anna|Anne|Anthony|Antonio|Arjun|Barbara|Benjamin|Betty|Brenda|Brian|Carlos|Carmen|Carol|Caroline|"
    "Catherine|Charles|Christine|Christopher|Claudia|Cynthia|Daniel|David|Deborah|Denise|Dennis|Diana|"
    "Diego|Donna|Dorothy|Edward|Elena|Elizabeth|Emily|Emma|Eric|Eva|Fatima|Fernando|Francisco|Frank|"
    "Gabriel|Gary|George|Gerald|Giovanni|Gregory|Hannah|Hans|Harold|Heather|Helen|Henry|Ibrahim|Ines|"
    "Isabel|Jacob|James|Jan|Janet|Jason|Javier|Jean|Jeffrey|Jennifer|Jeremy|Jessica|Joan|Johannes|John|"
    "Jonathan|José|Jose|Joseph|Joshua|Juan|Judith|Julia|Julie|Jürgen|Karen|Katherine|Kathleen|Kenneth|"
    "Kevin|Kimberly|Klaus|Larry|Laura|Lisa|Louis|Lucas|Luis|Maria|María|Marie|Martin|Martha|Mary|Matthew|"
    "Megan|Mehmet|Melissa|Michael|Michelle|Miguel|Mohamed|Mohammed|Muhammad|Nancy|Natalie|Nicholas|"
    "Nicole|Olga|Oliver|Olivia|Pablo|Pamela|Patricia|Patrick|Paul|Pedro|Peter|Philip|Pierre|Priya|Rachel|"
    "Rafael|Rebecca|Richard|Robert|Roger|Ronald|Ruth|Ryan|Samuel|Sandra|Sarah|Scott|Sean|Sergio|Sharon|"
    "Sofia|Sophia|Sophie|Stefan|Stephanie|Stephen|Steven|Susan|Svetlana|Teresa|Theresa|Thomas|Timothy|"
    "Tyler|Ursula|Vladimir|Walter|Wei|William|Wolfgang|Yusuf|Zoe"
)
"""Common ones that are no other word and no place: the rest is left to titles and relatives."""
SURNAMES = (
    "Smith|Johnson|Williams|Brown|Jones|Garcia|García|Miller|Davis|Rodriguez|Martinez|Hernandez|Lopez|"
    "Gonzalez|Wilson|Anderson|Taylor|Moore|Jackson|Thompson|Lee|Perez|Harris|Clark|Lewis|Robinson|Walker|"
    "Allen|Wright|Torres|Nguyen|Hill|Flores|Adams|Nelson|Campbell|Mitchell|Roberts|Müller|Mueller|Schmidt|"
    "Schneider|Fischer|Weber|Meyer|Wagner|Becker|Schulz|Hoffmann|Koch|Bauer|Richter|Wolf|Schröder|Neumann|"
    "Dubois|Durand|Moreau|Lefebvre|Leroy|Rossi|Russo|Ferrari|Esposito|Bianchi|Silva|Santos|Oliveira|Souza|"
    "Fernández|Sánchez|Ramírez|Ivanov|Petrov|Novak|Kowalski|Nowak|Kaya|Yilmaz|Demir|Khan|Patel|Singh|Kumar|"
    "Sharma|Wang|Li|Zhang|Liu|Chen|Yang|Kim|Park|Choi|Sato|Suzuki|Tanaka|Tran|Pham|Ali|Hussein|Mohamed|"
    "Okafor|Mensah|Jansen|Visser|Svensson|Hansen|Nielsen|Johansson|Andersen|Virtanen|Nagy|Popescu"
)
ALSO_WORDS = (
    "Jan",
    "Frank",
    "Jean",
    "Carol",
    "Scott",
    "Roger",
    "Wei",
    "Louis",
    "Martin",
    "Gary",
    "Eric",
)
"""Given names that are something else where they begin with a small letter."""
SMALL_NAMES = "|".join(name for name in GIVEN_NAMES.split("|") if name not in ALSO_WORDS)

FORMS = {
    "e-mail addresses": (
        r"[\w.+-]+@[\w-]+\.[A-Za-z][\w.-]*|(?i)[\w.+-]+ ?[\[(]at[\])] ?[\w-]+\.[a-z]"
        r"|(?i)\b[\w.+-]+ at [\w-]+ dot [a-z]{2,}\b"
    ),
    "web addresses": (
        r"(?i)\b(?:https?://|www\.)\S+|(?i)\b[a-z0-9-]+\.(?:com|org|net|edu|gov|io|eu|uk|de|fr|es|it|nl)/\S+"
    ),
    "user names": r"(?:^|\s)@[A-Za-z_]\w{2,}",
    "card numbers": r"\b(?:\d{4}[ -]){3}\d{4}\b",
    "phone numbers": (
        r"(?:\+|\b00)[1-9][\d ().-]{6,16}\d\b|(?:\(\d{3}\) ?|\b\d{3}[ .-])\d{3}[ .-]\d{4}\b"
        r"|\b0\d{2,4}[ /-]\d{5,9}\b|\b0[1-9](?:[ .-]\d{2}){4}\b"
        r"|(?:\b|\()0\d{2,4}\)?[ ./-]{1,2}\d{2,4}(?:[ .-]\d{2,4}){1,3}\b|\b0[1-9]\d{8,10}\b"
        r"|(?i)\b(?:tel|telephone|telefon|phone|cell|mobile|handy|call|fax)\b\W{0,3}\d[\d ().-]{5,15}\d\b"
    ),
    "social security numbers": r"\b\d{3}-\d{2}-\d{4}\b|\b\d{3} \d{2} \d{4}\b",
    "British insurance numbers": r"\b[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b",
    "device addresses": r"(?i)\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b(?:[0-9A-F]{2}-){5}[0-9A-F]{2}\b",
    "IP addresses": (
        r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b"
        r"|(?i)\b(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}\b"
        r"|(?i)\b(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}\b"
    ),
    "unique identifiers": (
        r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|(?i)\b[0-9a-f]{32,128}\b"
        r"|\b[13][1-9A-HJ-NP-Za-km-z]{25,34}\b"
    ),
    "numbers of people": (
        r"(?i)\b(?:mrn|ssn|dni|nhs|(?:patient|client|case|record|chart|policy|account|insurance|passport|"
        r"licen[cs]e)(?: (?:no|id|number|nr))?)\b\W{0,3}[a-z]{0,3}-?\d{5,}"
    ),
    "dates of birth": (
        r"(?i)\b(?:born|dob|geb|geboren|née?|nacid[oa]|nat[oa])\b\.?:?(?: on| am| le| el| il)? "
        r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
    ),
    "street addresses": (
        r"\b\d{1,5} (?:\p{Lu}[\p{L}'’.-]* ){1,3}(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Ln|Lane|"
        r"Drive|Court|Terrace|Square)\b"
        r"|\b\p{Lu}[\p{L}'’-]*(?:straße|strasse|str\.|weg|gasse|platz|allee|damm) \d{1,4}\b"
        r"|\b\d{1,4},? (?:bis |ter )?(?:rue|avenue|boulevard|chemin|impasse|quai) \p{L}"
        r"|\b(?:[Cc]alle|[Aa]venida|[Vv]ia|[Vv]iale|[Pp]iazza|[Pp]laza|[Rr]ua) \p{Lu}[\p{L} ]+,? \d{1,4}\b"
    ),
    "coordinates": r"-?\b\d{1,2}\.\d{4,}[,;] ?-?\d{1,3}\.\d{4,}\b",
    "names of people": (
        rf"\b(?:{TITLES})\.? (?:\p{{Lu}}\.? )?\p{{Lu}}[\p{{Ll}}'’-]+"
        rf"|\b(?:{RELATIVES}),? \(?\p{{Lu}}[\p{{Ll}}'’-]+"
        rf"|(?i)\b(?:to|with|by|from|told|asked|called|met) (?:{SMALL_NAMES})\b"
        r"|\b(?:pt|patient|client)\.? \p{Lu}\. ?\p{Lu}\."
        r"|(?i)\bname[\"']?\s*[:=]\s*[\"']?\p{L}{2,}"
    ),
}
"""What a single value shows; names inside a text by the word before them, since lists of names miss most of
the world's."""
GIVEN = (
    rf"\S \b(?:{GIVEN_NAMES})\b[,.;]? \p{{L}}|\S \b(?:{GIVEN_NAMES}) \p{{Lu}}[\p{{Ll}}'’-]+"
    rf"|^(?:{GIVEN_NAMES}) (?:\p{{Lu}}[\p{{L}}'’-]+ )?\p{{Ll}}+ "
)
"""Inside a text, a given name among other words."""
HOUSES = (
    r"\b(?:St\.?|Saint|San|Santa|Johns) \p{Lu}[\w'’-]*"
    r"|(?:\p{Lu}[\w.'’-]*,? (?:and |of |& |bin |et |de |von |van )?)+"
    r"(?:University|Universität|Université|Universidad|Hospital|Institute?|College|School|Foundation|County|Company|Co|Inc|Corp|Clinic|"
    r"Cent(?:er|re)|Laborator\w+|Labs?|Press|Trust)\b"
    r"|\b(?:Universi\w+|Institut\w*|Hospital|College|School|Cent(?:er|re)|Laborato\w+)(?: \p{Ll}+)*"
    r"(?: \p{Lu}[\w.'’-]*)+"
)
"""What is called after people and is nobody: given names in it do not count."""
NAME = r"^\p{Lu}[\p{L}'’-]+(?: \p{Lu}\.?)? \p{Lu}[\p{L}'’-]+$"
"""First and last name, and nothing else."""
NAME_ALONE = (
    r"^\p{L}[\p{L}'’-]+(?:,? (?:\p{L}\.?|\p{L}[\p{L}'’-]+)){0,3}(?:,? (?:Jr|Sr)\.?)?$"
    r"|^\p{L}\. \p{L}[\p{L}'’-]+$"
)
"""One name or several, in any order and any letters."""
COMMON = rf"(?i)\b(?:{GIVEN_NAMES}|{SURNAMES})\b"
"""A name that is common somewhere."""
NUMBERED = r"^[0-9A-Z][0-9A-Z ./+-]{7,30}$"
IN_GROUPS = r"^\(?\d{1,5}\)?(?:[ ./-]{1,2}\d{2,7}){1,5}$"
"""Digits in groups, as phone numbers and accounts are written."""
POST_CODE = r"^\d{5}-\d{4}$"
"""In groups too, and of many people."""
DRAWN = r"^[A-Za-z0-9_-]{16,}$"
AMERICAN = r"^1?[2-9]\d{2}[2-9]\d{6}$"
"""A phone number of North America without anything between its digits."""
ACCOUNT = r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b"
CHECKED = {
    "bank account numbers": "iban", "card numbers": "luhn", "British NHS numbers": "gb.nhs",
    "Spanish identity numbers": "es.dni", "Italian tax codes": "it.codicefiscale",
    "French social security numbers": "fr.nir", "German tax numbers": "de.idnr",
    "Dutch citizen numbers": "nl.bsn", "Polish identity numbers": "pl.pesel",
    "Swedish identity numbers": "se.personnummer", "Finnish identity codes": "fi.hetu",
    "Belgian national numbers": "be.nn", "Swiss social security numbers": "ch.ssn",
    "Brazilian taxpayer numbers": "br.cpf", "Norwegian identity numbers": "no.fodselsnummer",
    "Romanian identity numbers": "ro.cnp", "Turkish identity numbers": "tr.tckimlik",
    "Indian identity numbers": "in_.aadhaar", "Chinese identity numbers": "cn.ric",
    "Korean resident numbers": "kr.rrn", "South African identity numbers": "za.idnr",
    "Mexican identity codes": "mx.curp", "Australian tax numbers": "au.tfn",
    "Spanish identity numbers of foreigners": "es.nie", "Canadian insurance numbers": "ca.sin",
    "Austrian insurance numbers": "at.vnr", "Danish identity numbers": "dk.cpr",
    "Irish identity numbers": "ie.pps", "Portuguese tax numbers": "pt.nif",
    "Greek insurance numbers": "gr.amka", "Israeli identity numbers": "il.idnr",
    "Czech birth numbers": "cz.rc", "Bulgarian identity numbers": "bg.egn",
    "Croatian identity numbers": "hr.oib", "Estonian identity codes": "ee.ik",
    "Chilean identity numbers": "cl.rut", "Thai identity numbers": "th.pin",
    "Ecuadorian identity numbers": "ec.ci",
}  # fmt: skip
"""Numbers with check digits: the modules of stdnum that know them."""
