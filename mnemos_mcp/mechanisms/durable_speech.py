"""How a text divides into clauses and what each one does: question, request, one-off or standing imperative, plan, statement. Read from words and form alone."""

# No `from __future__ import annotations` on this page: a named tuple compiles each annotation that is a string, and a start of a session pays for it.
import re
from typing import NamedTuple

from mnemos_mcp.mechanisms import durable_cues as cues

from .lazy import Lazy

_SENTENCE = Lazy(r"(?<=[.!?])\s+|[。\n]+|(?<=[!?])(?=[\u3400-\u9fff])|;\s+")
_COMMA = Lazy(r"\s*,\s*|\s+[-–—]+\s+")
_WORD = Lazy(r"[^\W_][\w'’.+#/-]*")
_CJK = Lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# What names one thing: digits, snake_case, camelCase, ACRONYMS, paths, `quoted` words.
_SPECIFIC = Lazy(r"`[^`]+`|\b\w*\d[\w.:/-]*|\b\w+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\b|\b[\w-]+/[\w./-]+|\b[\w-]+\.[a-z]{1,5}\b")
_COLON = Lazy(r"^[^:?\"“«]{3,60}:\s+\S")
_FINITE = Lazy(
    r"^\S+(?: (?!the |a |an |this |that |these |it |my |our |your |all )\S+){0,3}? (?:is|are|was|were|must|should|has|have|had|can|will|goes|lives?|uses?|runs?|takes?|fails?|needs?|comes?|happens?|stays?|requires?|belongs?|ends?|lands?|expires?)\b"
)
_DETERMINED = Lazy(r"^\S+ (?:the|a|an|this|that|these|those|it|my|our|your|them)\b")
_ACCENTED = Lazy(r"(?:qué|cómo|dónde|cuándo|cuál(?:es)?|quién(?:es)?|cuánt[oa]s?|adónde|où)\b")  # folding makes conjunctions of them
_PROHIBITS = Lazy(r"\b(?:nicht|nie|niemals|kein|keine|keinen)\b")  # a German imperative with its negation behind the verb
_MENDED = Lazy(r"\b(?:soluciono|arreglo|resolvio|corrigio|evita|resolu|corrige|regle|fixed|solved|resolved|helped|cured|half|hilft|behebt|behob)\b")
_FRONT = frozenset(
    {
        "eigentlich",
        "ubrigens",
        "tatsachlich",
        "genau genommen",
        "in wirklichkeit",
        "jetzt",
        "nun",
        "dann",
        "nebenbei",
        "wie besprochen",
        "wie vereinbart",
        "wie gesagt",
    }
)
_GERUND = Lazy(
    r"(?!(?:nothing|everything|anything|something|string|king|ring|spring|during|staging|pricing|billing)\b)[a-z]{2,}ing\b|[a-z]{2,}(?:ando|iendo)\b"
)
_PAST = Lazy(r"\w{3,}é(?:e?s?)\b|[\u3400-\u9fff]{1,2}过")  # "essayé", "probé", "试过": what was done, not what to do
# "When we add a migration we let ...", "Wer daran schraubt, lässt ...": a subordinate clause, not a question, for no auxiliary follows and a main clause does.
_SUBORDINATE = Lazy(
    r"(?:when(?:ever)?|while|where|whoever|whatever|once) (?!(?:is|are|was|were|do|does|did|will|would|should|can|could|has|have|had|to|about|if|else|did)\b)\S+ .{8,}"
    r"|(?:wer|was|wo) (?!(?:ist|sind|war|hat|macht|passiert|soll|muss|kann|bedeutet|fehlt)\b)[^,]+, \S|(?:quand|lorsque|cuando|donde) (?!est-ce|es |fue )[^,]+, \S"
)
# A report without a subject, as in a changelog: "Raised the limit", "Had to disable it", "Ran the load test".
_REPORTED = Lazy(
    r"(?:(?!(?:need|need|feed|speed|embed|seed|shed|proceed|exceed|indeed|unused|red|bed|based|fixed|detailed|related|updated|shared|nested|failed) (?!the |a |it by |by ))[a-z]{3,}ed|had|ran|went|spent|built|wrote|cut|took|got|found|lost|made|put|split|sent|kept|drew|gave|brought|left|threw|began|set up)"
    r" (?!(?:you|i|we|it|they|he|she|that|this)\b)\S"
)
# A rule for somebody: it begins with whom it binds or from when, or says that it binds.
_ADDRESSES = Lazy(
    r"(?:we|you|one|nobody|no one|everyone|man|wir|niemand|on|nous|tu|vous|personne|il faut|nadie|hay que|no se|nunca|siempre|always|never|immer|nie|niemals|toujours|jamais|from (?:now|here|today) on|from today|going forward|by default|in this repo|"
    r"ab (?:jetzt|sofort|heute)|kunftig|a partir d|desormais|dorenavant|de ahora)\b|.*\b(?:must|should|forbidden|not allowed|muss|mussen|darf|soll|sollen|verboten|doit|doivent|interdit|debe|deben|prohibido)\b|.*(?:必须|禁止|不要|一律|以后|从现在|始终|不能|不准)"
)
_SINGULAR = Lazy(  # first person singular about an act: "je colle", "te pego", "ich kopiere", "我贴"
    r"je (?!ne |n'|suis )(?:te |vous |le |la |les |m'|t')?\w+(?:e|s)\b|ich (?!bin|habe|kann|muss|will|mag)\w+e\b(?!.*\b(?:kein\w*|nicht|nie)\b)|(?:te|os|lo|la|los|las) \w{3,}o\b|\w{3,}(?<!tod)(?<!sol)(?<!com)(?<!per)(?<!baj)(?<!cad)o (?:el|la|los|las|un|una|este|ese|esta) |我.{1,14}(?:看看|试试|看|一下)$|我(?:来|给|贴|发|补|写|改|加|跑|查|传|截|删|试|看|再|先|去)"
)
# A first word that is no function word before a determiner is a verb in the imperative, whatever the verb.
_VERB_FIRST = Lazy(
    r"(?!(?:in|on|at|for|from|with|by|to|of|all|both|half|only|since|after|before|because|when|if|while|as|per|under|over|unless|until|once|during|through|about|into|like|than|that|what|not|also|is|are|was|were|has|have|had|do|does|did|can|will|would|should|must|and|or|but|so|behind|inside|without|most|even|except|every|instead|despite|against|between|across|within|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|yesterday|usually|sometimes|currently|internally|there|here)\b)[a-z]{2,} (?:(?:up|out|off|down|back|over) )?(?:the|this|that|these|those|my|our|your|it|them) "
    r"|(?!(?:je|tu|notre|tou(?:s|te|tes)|les|des|dans|sous|apres|entre|vers|chaque|comme|puisque|personne|des|sans|chez|malgre|contre|depuis|lorsque|jusque|mais|car|nous|vous|elles?|ils?|ce|cette|ces|mes|ses|nos|vos|une|que|de|pas|plus|moins|parmi|alors|voire|pendant|outre|suite|elle|lance)\b)[a-z]{3,}(?:e|s|z) (?:l'|(?:le|la|les|ce|cet|cette|ces|mon|ma|mes|ton|ta) )"
    r"|(?!(?:toda|todas|sobre|para|desde|entre|hasta|durante|ante|una|esta|esa|cada|contra|mediante|donde|porque|que|de|se|me|te|le|la|nada|ahora|siempre|mientras)\b)[a-z]{3,}(?:a|e) (?:el|la|los|las|ese|esa|este|esta|esos|esas) "
    r"|(?!(?:alle|fur|auf|in|wenn|wie|dass|ob|seit|nach|vor|mit|uber|unter|durch|bei|zu|ist|sind|hat|haben|war|lieber|ohne|als|weil|und|oder|aber|nur|auch|immer|nie|um|an|am|bis|gegen|wegen|trotz|wahrend|statt|hinter|neben|da|so|sobald|solange|bevor|nachdem|falls|damit|wir|sie|er|es|ich|du|man|heisst|aus|von)\b)[a-z]{2,} (?:den|das|diese[nsrm]?|dieses) "
)
_PERMITS = Lazy(r"告诉我|你来|你定|可以.{1,4}$|\b(?:kannst|konntest|darfst) du\b|^you (?:can|could|may|decide|choose)\b")  # speaks to the one who acts
_THAT_ONE = Lazy(
    r"(?:that|this|these|those|it|diese[rsnm]?|jene[rsnm]?|ce|cet|cette|ces|es[aeo]s?|est[aeo]s?|aquel(?:la)?) (?!is why)\w|[这那](?:个|些|次|样|条|段)"
)
_LAUGH = Lazy(r"(?i)\b(?:(?:ha){2,}|lol|lmao|(?:ja){2,}|mdr|hihi)\b|哈哈|😂|🤣|😅")
_PLEASE = frozenset({"please", "pls", "bitte", "stp", "svp", "s'il te plait", "s'il vous plait", "por favor"})
_TAIL = Lazy(r"[\s,.!;:~-]+(?:thanks|thank you|thx|please|pls|danke|bitte|merci|stp|svp|s'il (?:te|vous) plait|gracias|por favor|谢谢)?[\s.!~,]*$")


# Asks to keep "it", whatever that is: with a pronoun for its object such a sentence has nothing in it that could be kept.
_ASKS_TO_KEEP = Lazy(
    cues.fold(
        r"(?:(?:please|pls|also|and|now|just|ok|okay|can you|could you|would you|i want you to|make sure to|be sure to|you should|you must)[, ]+)*"
        r"(?:remember|keep|save|store|memori[sz]e|record|retain|note|write|bear|put|add|commit|(?:make a|take) note of|(?:do not|don't|never) forget) "
        r"(?:(?:all )?(?:of )?(?:it|this|that|these|those|them)|everything)"
        r"(?: (?:down|for (?:later|the future|next time|(?:the )?next (?:session|time)|future sessions)|(?:in|to|into) (?:the |your |my |our )?(?:long[- ]term )?(?:memory|memories|mind|notes?)))*"
        r"|(?:bitte )?(?:merke?|behalte?|speicher[en]?|notiere?|schreibe?|vergiss) (?:(?:dir|bitte|auch) )*(?:das|dies|dieses|es|alles)"
        r"(?: (?:auch|bitte|gut|nicht|fest|auf|ab|im (?:gedächtnis|kopf)|in (?:deinem|dein|das|dem) gedächtnis|für (?:später|die zukunft|das nächste mal)))*"
        r"|(?:retiens|retenez|mémorise[zr]?|garde[zr]?|enregistre[zr]?|note[zr]?|sauvegarde[zr]?|conserve[zr]?|souviens-toi|souvenez-vous|rappelle-toi|n'oublie[zr]?(?: pas)?)"
        r"[- ](?:bien )?(?:de )?(?:ça|cela|ceci|le|la|les|tout)(?: (?:pas|bien|en mémoire|dans (?:ta|la|votre) mémoire|pour (?:plus tard|la suite|la prochaine fois)))*"
        r"|(?:recuerda|guarda|memoriza|anota|apunta|graba)(?:lo|la|los|las| (?:esto|eso|todo))(?: (?:en (?:la|tu) memoria|para (?:después|luego|más tarde|la próxima(?: vez)?)))*"
        r"|no (?:lo|la|los|las|te|se te) olvides?(?: de (?:esto|eso))?"
        r"|(?:(?:lembr[ae]|lembre-se|lembra-te) (?:disso|disto)|(?:guard[ae]|memoriz[ae]|salv[ae]|anot[ae]|grav[ae]) (?:isso|isto|tudo)|não (?:se )?esqueç[ae]s? (?:disso|disto))"
        r"(?: (?:(?:na|em) (?:sua |tua )?memória|para (?:depois|mais tarde|a próxima(?: vez)?)))*"
        r"|(?:(?:ricorda|salva|memorizza|annota|conserva|tieni)(?:lo|la|telo| (?:questo|tutto))|non dimenticar(?:lo|telo|e questo))(?: (?:(?:in|nella) (?:tua )?(?:memoria|mente)|a mente|per dopo))*"
        r"|(?:请|你|帮我|把|也|都|一定|要)*(?:这个|这一点|这点|这些|这|它)?(?:也|都|要|给我)*(?:记住|记着|记下来?|记录(?:下来)?|保存(?:下来)?|存下来?|别忘了?|不要忘记|存到|保存到|记到|存进)"
        r"(?:一下|好)?(?:这个|这一点|这点|这些|它|这)?(?:(?:到|在|进)?(?:你的)?记忆(?:里|中|库)?)?(?:吧|哦|了)?"
        r"|(?:(?:これ|それ|このこと)[をは]?)?(?:しっかり|ちゃんと)?(?:覚えて|記憶して|保存して|メモして|忘れないで)(?:おいて)?(?:ください|下さい|くれ|ね)*"
    )
)


class Clause(NamedTuple):
    """One stretch of speech without its leading acknowledgements: `raw` as written, `said` folded, and what was taken off."""

    raw: str
    said: str
    question: bool = False
    correction: bool = False
    polite: bool = False
    hasty: bool = False
    company: bool = False  # an acknowledgement, request or plan stands in the same sentence: talk about the work, not a statement for later
    inverted: bool = False  # an adverb was taken off without a comma: German puts the verb before the subject then, and asks nothing

    language: str = ""  # whose cues are looked for beside the English ones; "" = all

    def has(self, name: str, after: int = 0) -> bool:
        return cues.pattern(name, self.language).search(self.said, after) is not None

    def opens(self, name: str) -> bool:
        return cues.pattern(name, self.language).match(self.said) is not None

    def ends(self, name: str) -> bool:
        return any(met.end() == len(self.said) for met in cues.pattern(name, self.language).finditer(self.said))

    def opening(self, name: str) -> int:
        """Length of the cue at the start, 0 = none."""
        met = cues.pattern(name, self.language).match(self.said)
        return met.end() if met else 0

    @property
    def size(self) -> float:
        """Length in words; two Chinese characters count as one."""
        return len(_WORD.findall(_CJK.sub(" ", self.said))) + len(_CJK.findall(self.said)) / 2

    @property
    def content(self) -> float:
        """Words left when the empty ones are taken out."""
        words = [word for word in _WORD.findall(_CJK.sub(" ", self.said)) if word.strip(".'") not in cues.EMPTY]
        return len(words) + len(_CJK.findall(self.said)) / 2

    @property
    def specific(self) -> bool:
        return _SPECIFIC.search(self.raw) is not None

    @property
    def deixis(self) -> int:
        """How often it points at this moment or place; a leading "now" counts twice."""
        return self._count("deixis")

    @property
    def moments(self) -> int:
        """How often it dates itself to this moment."""
        return self._count("moment")

    @property
    def laughing(self) -> bool:
        return _LAUGH.search(self.raw) is not None

    @property
    def demonstrative(self) -> bool:
        """It speaks of "that commit", not of a thing by its name."""
        return _THAT_ONE.match(cues.holding().sub(" ", self.said)) is not None

    def _count(self, name: str) -> int:
        return sum(1 for _ in cues.pattern(name, self.language).finditer(cues.holding().sub(" ", self.said))) + 2 * self.hasty


def clauses(prose: str, language: str = "") -> list[Clause]:
    """Sentences, cut once more where a question, request, plan or thanks follows a comma. Pure acknowledgements disappear, and what only asks to keep "it"."""
    found = []
    for sentence in _SENTENCE.split(prose):
        if asks_to_keep(sentence):
            continue
        asks = sentence.rstrip(" \"')*_`").endswith("?")
        pieces: list[str] = []
        for piece in _COMMA.split(sentence):
            said = cues.fold(piece)
            apart = pieces and any(cues.pattern(name, language).match(said) for name in ("question", "plan", "request", "start_ack"))
            if pieces and not apart:
                pieces[-1] += ", " + piece
            else:
                pieces.append(piece)
        read = [_strip(piece, asks and index == len(pieces) - 1, language) for index, piece in enumerate(pieces)]
        spoken = [clause for clause in read if clause is not None]
        acts = [act_of(clause) for clause in spoken]
        for index, clause in enumerate(spoken):
            others = {*acts[:index], *acts[index + 1 :]}
            found.append(clause._replace(company=clause.company or len(spoken) < len(read) or bool(others & {"request", "plan", "once"})))
    return found


def asks_to_keep(sentence: str) -> bool:
    """Is this only a request to remember "it"? What is meant stands in another sentence, or nowhere."""
    return len(sentence) < 120 and _ASKS_TO_KEEP.fullmatch(_TAIL.sub("", cues.fold(sentence).strip(" \t\"'*_`>()") + " ").rstrip("?？。！、 ")) is not None


def _strip(raw: str, question: bool, language: str) -> Clause | None:
    """Take acknowledgements, asides and a correction off the front; None when nothing is left."""
    said = cues.fold(raw).strip(" \t\"'*_`>#-–—.!,:~()[]{}|=")
    tail = _TAIL.search(said + " ")
    said = _TAIL.sub("", said + " ").strip().rstrip("?").strip()
    polite = tail is not None and tail.group().strip(" ,.!;:~-") in _PLEASE
    correction = hasty = inverted = company = False
    met: re.Match[str] | None
    for _ in range(8):
        soft = cues.pattern("start_soft", language).match(said)
        if soft and re.match(r"\s*(?:[,.!;:~-]|$)", said[soft.end() :]):
            met, company = soft, True
        elif met := cues.pattern("correction", language).match(said):
            correction = True
        elif met := cues.pattern("start_ack", language).match(said):
            company = True
        else:
            met = cues.pattern("start_aside", language).match(said)
        if not met or not met.end():
            break
        taken = met.group()
        polite = polite or taken in {"please", "bitte", "por favor", "svp", "stp", "请"}
        hasty = hasty or taken in {"now", "jetzt", "nun", "dann", "then", "maintenant", "ensuite", "puis", "ahora", "luego", "现在"}
        inverted = said[met.end() :].startswith(" ") and taken in _FRONT
        said = said[met.end() :].lstrip(" ,.!;:~-–—")
    return Clause(raw, said, question, correction, polite, hasty, company, inverted, language) if said else None


def act_of(clause: Clause) -> str:
    """Speech act of a clause. A question that asks for lasting behaviour is a request; what rules and names beats what merely begins with a verb."""
    asked = (
        clause.question
        or (clause.opens("question") and not clause.inverted)
        or _ACCENTED.match(clause.raw.lower().lstrip(" ¿¡")) is not None
        or clause.has("question_zh")
    )
    if clause.opens("request") or _PERMITS.search(clause.said):
        return "request"
    if not clause.question and (_REPORTED.match(clause.said) or _SUBORDINATE.match(clause.said)) and not _ACCENTED.match(clause.raw.lower().lstrip(" ¿¡")):
        return "statement"
    if asked:
        return "question"
    rule, once = clause.opening("verb_rule"), clause.opening("verb_once")
    if rule and rule >= once:
        return "rule"
    if clause.opens("plan") or (
        _GERUND.match(clause.said)
        and not (_FINITE.match(clause.said) or _COLON.match(clause.said) or clause.has("fix") or clause.has("lasting") or clause.has("decision"))
    ):
        return "plan"
    if _SINGULAR.match(clause.said) and not any(clause.has(name) for name in ("lasting", "preference", "identity", "decision", "fix", "outcome")):
        return "plan"
    if clause.opens("identity") or _PAST.match(clause.raw.lower().strip()):
        return "statement"
    if once and (_PROHIBITS.search(clause.said) or (clause.inverted and not clause.hasty)):
        return "rule" if _PROHIBITS.search(clause.said) else "statement"
    if once and _MENDED.search(clause.said) and not _DETERMINED.match(clause.said):
        return "statement"
    if not once and _VERB_FIRST.match(clause.said) and not clause.inverted and not _COLON.match(clause.said):
        once = 1
    if once and (_DETERMINED.match(clause.said) or not (_COLON.match(clause.said) or _FINITE.match(clause.said))):
        return "once"
    return "statement"


def kind_of(clause: Clause, act: str) -> str:
    """Most telling cue first. "Always" in a plain description of a thing is a fact, not an instruction."""
    if act == "statement" and clause.has("incident"):
        return "outcome"
    if act in ("rule", "request", "once") or (clause.has("lasting") and _ADDRESSES.match(clause.said)):
        return "preference" if clause.opens("preference") else "instruction"
    for kind in ("preference", "identity", "decision", "fix", "outcome"):
        if clause.opens(kind) if kind == "identity" else clause.has(kind):
            return kind
    if re.match(r"(?:ran|tried|tested|looked|played|spun up|skimmed|read|experimented|used|installed)\b", clause.said):
        return "note"
    return "fact" if clause.specific or clause.size >= 4 else "note"
