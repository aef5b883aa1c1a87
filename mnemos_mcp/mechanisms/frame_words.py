"""Words by which `frames` takes a clause apart, in English, German, French and Spanish. Data only, of general grammar, from no test set."""

from __future__ import annotations

import re

from .lazy import Lazy
from .wording import stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word.casefold()) for word in words.split())


ARTICLES = frozenset("""the a an our my your its der die das den dem des ein eine einen einem einer unser unsere unseren le la les l un une notre nos mon ma mes
el los las unos unas nuestro nuestra nuestros nuestras mi mis""".split())
# Time and correction: what says that from here on it is so.
_MARKS = (r"from (?:now|today) on(?:wards)?|as of (?:now|today|this week)|effective (?:today|immediately)|starting (?:now|today)|these days|by now|now|nowadays|henceforth|actually|in fact"
          r"|ab (?:jetzt|sofort|heute)|von jetzt an|jetzt|nun|inzwischen|mittlerweile|ab sofort|désormais|dorénavant|maintenant|à partir de maintenant|à présent"
          r"|ahora|a partir de ahora|desde ahora|de ahora en adelante|actualmente")
MARK = Lazy(rf"(?<![\w-])(?:{_MARKS})(?![\w-])(?: instead)?", re.IGNORECASE)
OPENING = Lazy(rf"(?:oh |well |ok |sorry )?(?:no|nope|nein|doch|non|correction|update|fyi|note|korrektur|rectification|correctif|corrección|actualización|stattdessen|instead|{_MARKS})", re.IGNORECASE)
ADDS = Lazy(r"\b(?:also|too|as well|additionally|in addition|besides|both|some|sometimes|auch|zusätzlich|ebenfalls|außerdem|teilweise|manchmal|aussi|également|en plus|parfois"
            r"|también|además|a veces)\b", re.IGNORECASE)
# "B, not A", "B instead of A", "prefer B over A": the value that is left is named.
CONTRAST = Lazy(r"(?:,\s*(?:and |und |et |y )?(?:not|no longer|nicht(?: mehr)?|pas|non|no)|\s(?:instead of|rather than|anstelle von|anstatt|statt|au lieu de|plutôt que|en lugar de|en vez de)"
                r")\s+(?P<gone>(?:[\w./@#+-]+\s?){1,4})(?=$|[.,;!])", re.IGNORECASE)
PREFERRED = Lazy(r"(?<=\w)\sover\s+(?P<gone>(?:[\w./@#+-]+\s?){1,3})(?=$|[.,;!])", re.IGNORECASE)  # only behind a verb of preference
PREFERS = Lazy(r"\b(?:prefer|like|favou?r|picked?|chose|choose)\b", re.IGNORECASE)
COPULA = _stems("is are was were be ist sind est sont es son está están")
ARE = _stems("are were sind sont son están")
ENGLISH = _stems("is are was were be")
GERMAN = Lazy(r"\b(?:ist|sind|wurden?)\b", re.IGNORECASE)
PREPOSITIONS = frozenset("""in on at to from with by for of into onto under behind via through per as about between during after before since until over off
auf bei mit von vom zu zum zur nach für im am an aus unter über dans en au aux à a sur sous avec par pour de du des chez vers con por para sobre desde entre del al and or und oder et ou y o""".split())
# Verbs that lead to a value, with their participles.
_WRITE = "written built coded implemented developed made programmed geschrieben gebaut entwickelt umgesetzt écrit écrite écrits écrites développé développée codé escrito escrita escritos escritas hecho hecha desarrollado use uses using"
_CALL = "called named heißt heissen heißen genannt appelle s'appelle appelé appelée nommé nommée llama llaman llamado llamada"
_PLACE = """live lives lie lies sit sits go goes run runs kept stored saved hosted deployed served sent shipped written pushed published managed tracked built located held kept done handled
use uses using liegt liegen läuft laufen gehen geht gespeichert verwaltet gehostet gehosted landen landet va vont vit vivent stocké stockée stockés stockées stockees hébergé hébergée hébergés hébergées tourne tournent
gardé gardés gardées trouve trouvent van viven vive guardan guarda guardado guardados alojado alojada alojados corre corren almacenan almacenado almacenados"""
_OTHER = "need require prefer prefers require requires default set rotated released reviewed owned approved run uses verwenden nutzen benutzen utilise utilisons usamos usa prefiero bevorzuge préfère"
WRITTEN = _stems(_WRITE) | PREPOSITIONS
CALLED = _stems(_CALL)
PLACES = (_stems(_PLACE) | PREPOSITIONS) - _stems("written")
LINKS = _stems(f"{_WRITE} {_CALL} {_PLACE} {_OTHER}")
KEPT = _stems("live lives lie lies sit sits kept stored saved hosted located stocké stockée stockés stockées hébergé hébergée guardado guardados guardan liegt liegen gespeichert")
AT = frozenset("in on at to auf im am sur dans à en".split())
BLAND = _stems("use uses using run runs verwenden nutzen benutzen utilise utilisons usamos usa is are")
COMPOUNDS = {"github actions": "ci service", "gitlab ci": "ci service", "azure pipelines": "ci service", "bitbucket pipelines": "ci service", "google cloud": "cloud"}
# Verbs that hold of many things at once: another one does not end the first.
SEVERAL_AT_ONCE = _stems("""support supports supported work works test tests tested available translated compatible affect affects accept accepts cover covers include includes contain contains
handle handles allow allows know knows speak speaks integrate integrates connect connects read reads depend depends talk talks offer offers provide provides has have help helps like likes
unterstützt funktioniert getestet verfügbar prend fonctionne testé disponible soporta funciona probado""")
# What work of the hour is about: "the bug is in parser.py" holds until it is fixed.
PASSING = _stems("""bug error problem issue failure fault crash test build pr branch commit file diff patch fix output result log answer response reply status difference cause culprit reason typo line warning
function method import link url change one option thing step question piece trace cursor page tab window screen command message task version fehler datei zeile ausgabe ergebnis ursache grund frage erreur fichier bogue problème ligne résultat sortie question cause archivo fallo fichero
línea resultado causa salida pregunta problema""")
FLEETING = _stems("first second third last next current previous other same missing failing broken wrong right only best")
SEVERAL = frozenset("we i wir ich nous je on nosotros yo".split())
# How a thing is at the moment, not which it is.
STATES = frozenset("""up down on off ok okay fine good bad great better worse best worst ready done green red yellow full empty open closed slow fast quick faster slower bigger smaller larger
cleaner newer older easier harder cheaper simpler shorter longer higher lower new old live dead offline online stable unstable public private internal external free busy available unavailable missing
wrong right correct clean dirty clear safe unsafe happy sad late early big small large huge tiny long short hot cold warm alive gone back idle optional mandatory obsolete stale complete
incomplete final ongoing visible hidden healthy flaky strict loose possible impossible required maintenance progress review use trouble sync place beta alpha production staging order danger
history vacation holiday leave flight part enough much more less weird strange nice true false same different idempotent async synchronous asynchronous redundant
wartung betrieb arbeit ordnung planung prüfung urlaub gefahr""".split())
STATE_ENDING = Lazy(r"^[a-z-]+(?:ed|ing|able|ible|ful|less|ous|ive|ish|proof)$")
TIMES = _stems("hourly daily weekly biweekly monthly quarterly yearly annually nightly weekend weekends weekday weekdays morning mornings evening evenings night nights noon midnight day days week weeks month months")
# What may stand behind the value and tells nothing about where it holds.
TAIL = Lazy(r"\s+(?:in (?:this|the|our) (?:repo|repository|project|codebase)|here|everywhere|(?:because|since|weil|denn|parce que|porque)\b.*"
            r"|(?:last|this) (?:week|month|year)|yesterday|today|again)$", re.IGNORECASE)
USED_FOR = Lazy(r"(?:we|i|wir|nous|nosotros)? ?(?:use|run|nutzen|verwenden|benutzen|utilisons|usamos) (?P<v>[\w./@#+ -]{1,40}?) (?:for|as|für|als|pour|comme|para|como) (?P<s>[\w./@#+ -]{1,60})", re.IGNORECASE)
ROLE = _stems("owner lead leader manager maintainer head contact responsible captain reviewer chief admin administrator keeper")
REWRITTEN = Lazy(r"rewrit|reimpl|reescri|réécri|geschrieben|neugeschrieben|umgeschrieben|port|rebuil")
SWITCHED = Lazy(r"switch|chang|convert|umgestellt|gewechselt|geändert|basculé|cambi")
RENAMED = Lazy(r"renam|umbenannt|renomm|rebaptis|renombr")
_S, _A, _B = r"(?P<s>[\w./@#+' -]{1,60}?)", r"(?P<a>[\w./@#+' -]{1,40}?)", r"(?P<b>[\w./@#+' -]{1,40}?)"
_EN = r"(?:moved|migrated|switched|changed|converted|transferred|relocated|transitioned|rewritten|ported|reimplemented|rebuilt|renamed|went)"
_DE = r"(?P<v>umgestellt|migriert|umgezogen|verlegt|verschoben|portiert|umbenannt|(?:neu )?geschrieben|umgeschrieben|gewechselt|geändert)"
_FR = r"(?P<v>(?:migré|déplacé|passé|réécrit|renommé|rebaptisé|changé|basculé|porté|transféré)(?:e|s|es)?)"
_ES = r"(?P<v>migró|movió|cambió|pasó|reescribió|renombró|migraron|movieron|cambiaron|pasaron|migrad[oa]s?|movid[oa]s?|cambiad[oa]s?|reescrit[oa]s?|renombrad[oa]s?)"
MOVES = tuple(Lazy(source, re.IGNORECASE) for source in (
    rf"{_S} (?:(?:was|were|has been|have been|has|have|got|is|are) )?(?:finally |fully |completely |just )?(?P<v>{_EN})(?: over| back)?(?: from {_A})? (?:to|onto|into|in|with|as) {_B}",
    rf"(?:we|i)(?: have|'ve)? (?:finally |fully |just )?(?P<v>{_EN}|rewrote) {_S}(?: over)?(?: from {_A})? (?:to|onto|into|in|with) {_B}",
    rf"{_S} (?:wurde|wurden|ist|sind)(?: von {_A})? (?:auf|nach|zu|in|mit) {_B} {_DE}",
    rf"{_S} (?:a|ont|est|sont) (?:été )?{_FR}(?: de {_A})? (?:vers|à|en|sur|sous|dans) {_B}",
    rf"{_S} (?:se |ha sido |han sido |fue |fueron |ha |han )?{_ES}(?: de {_A})? (?:a|en|como|hacia) {_B}",
))
_R = r"(?:the |our |a |an |le |la |el |der |die |das |unser |unsere )?(?P<r>[\w./@#+' -]{2,60}?)"
ROLES = tuple(Lazy(source, re.IGNORECASE) for source in (
    rf"{_B} (?:has |have )?(?:took|taken|takes|take) over as {_R}(?: from {_A})?",
    rf"{_B} (?:has |have )?(?:took|taken|takes|take) over {_R} from {_A}",
    rf"{_B} (?:has |have )?(?:replaced|replaces|succeeded|succeeds|relieved) {_A} as {_R}",
    rf"{_B} (?:has |have )?(?:took|taken|takes|take) over from {_A} as {_R}",
    rf"(?:the|our) new {_R} is {_B}",
    rf"{_B} (?:is|are) (?:the|our) new {_R}",
    rf"{_B} (?:is|are) now (?:the|our) {_R}",
    rf"{_B} (?:ist|sind) (?:jetzt )?(?:der|die|das|unser|unsere) neue[rns]? {_R}",
    rf"{_B} (?:hat|haben) {_R} von {_A} übernommen",
    rf"{_B} (?:hat|haben) {_A} als {_R} abgelöst",
    rf"{_B} est (?:maintenant )?(?:le nouveau|la nouvelle|notre nouveau|notre nouvelle) {_R}",
    rf"{_B} a remplacé {_A} comme {_R}",
    rf"{_B} es (?:ahora )?(?:el nuevo|la nueva|nuestro nuevo|nuestra nueva) {_R}",
    rf"{_B} reemplazó a {_A} como {_R}",
))
STOPPED = Lazy(r"\b(?:stopped|quit|ceased|gave up|no longer|haben aufgehört|arrêté de|cessé de|ne \w+ plus|dejamos de|hemos dejado de|ya no) (?P<pred>[^,;]{3,80})$", re.IGNORECASE)
GONE = Lazy(r"(?P<gone>[\w./@#+' -]{2,60}?) (?:is|are|was|were|has been|have been|got|wurde|wurden|ist|sind|a été|ont été|est|sont|fue|fueron|ha sido|han sido|está|están)"
            r"(?: finally| fully| officially)? (?:gone|shut down|turned off|switched off|taken down|torn down|scrapped|retired|decommissioned|discontinued|phased out|abandoned|sunset|deprecated"
            r"|abgeschaltet|abgeschafft|eingestellt|weg|ausgemustert|arrêtée?s?|éteinte?s?|supprimée?s?|abandonnée?s?|retirée?s?|apagad[oa]s?|retirad[oa]s?|eliminad[oa]s?)", re.IGNORECASE)
