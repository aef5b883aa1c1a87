"""The phrases by which people say that something changed, in English, German, French, Spanish and Chinese. Data only; `changes` reads them.

General usage, from no test set. Groups: `what` changed, what is `gone`, what is `new`, the predicate `pred` that no longer holds, the `rest` that
narrows it. Only forms that report a change that was made: "raising", "to raise", "could raise" are not here.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from .lazy import Lazy

Kind = Literal["replaced", "set", "gone", "instead", "ended", "state"]

_V = (r"(?:(?<!to )(?<!please )(?:raised|increased|lowered|reduced|cut|bumped|changed|moved|switched|upgraded|downgraded|migrated|updated|shortened|lengthened|extended|decreased"
      r"|adjusted|converted|transitioned|shifted|swapped|ported|rescheduled|postponed|reassigned|handed over|went)|(?:(?:are|am|is|'re|'m|’re|’m)\s+(?:now\s+)?)(?:migrating|moving|switching|transitioning)"
      r"|(?:was|were|is now|are now|has been|have been|got)\s+(?:set|doubled|halved|dropped|brought|trimmed))")
_X = r"[^,;:，；：。]"
_END = r"(?=$|[,;:!。，；：]|\.(?!\d)|\s+(?:and|but|because|so|since|while|after|before|in|for|on|as|everywhere|last|this|und|et|y|weil|car|porque)\b)"
_GONE = r"(?:gone|removed|dropped|deprecated|retired|replaced|abandoned|discontinued|decommissioned|superseded|phased out|shut down|turned off|switched off|taken down|torn down|scrapped|no longer (?:used|in use|needed|supported|maintained|installed))"
_LEFT = r"(?:dropped|retired|abandoned|ditched|removed|deprecated|discontinued|phased out|scrapped|given up)"
_ADV = r"(?:\s+(?:now|finally|fully|completely|entirely|officially))?"
_DE = r"(?:umgestellt|gewechselt|migriert|umgestiegen|umgezogen|erhöht|gesenkt|reduziert|verkürzt|verlängert|angehoben|geändert|aktualisiert|hochgesetzt|herabgesetzt)"
_FR = r"(?:passé(?:e|s|es)?|migré(?:e|s|es)?|basculé(?:e|s|es)?|changé(?:e|s|es)?|réduit(?:e|s|es)?|augmenté(?:e|s|es)?|abaissé(?:e|s|es)?|porté(?:e|s|es)?|relevé(?:e|s|es)?|passe|passons)"
_ES = (r"(?:pasamos|cambiamos|migramos|migrado|pasado|cambiado|pasó|cambió|subió|subimos|aumentó|aumentamos|redujo|reducimos|bajó|bajamos|actualizó|actualizamos"
       r"|aumentado|reducido|subido|bajado)")

_SOURCES: tuple[tuple[str, str], ...] = (  # 'before': what is gone is the clause up to the match
    # what left for what
    ("replaced", rf"\b{_V}\b(?P<what>{_X}{{0,80}}?)\s+(?:away\s+)?from\s+(?P<gone>{_X}{{1,50}}?)\s+(?:over\s+|back\s+|up\s+|down\s+)?(?:to|into|onto)\s+(?P<new>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b(?P<what>(?:ownership|responsibility|leadership|maintenance|lead|role|on-call)\b{_X}{{0,60}}?)\s+(?:(?:was|were|has been|is)\s+)?(?:passed|handed|transferred|given)"
                 rf"\s+(?:on\s+)?from\s+(?P<gone>{_X}{{1,50}}?)\s+to\s+(?P<new>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b(?:replaced|swapped out|swapped|exchanged)\s+(?P<gone>{_X}{{1,50}}?)\s+(?:with|by|for|in favou?r of)\s+(?P<new>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b{_LEFT}\s+(?P<gone>{_X}{{1,50}}?)\s+in favou?r of\s+(?P<new>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced before", rf"\b(?:is|are|was|were|has been|have been|got){_ADV}\s+(?:replaced\s+(?:by|with)|{_LEFT}\s+in favou?r of)\s+(?P<new>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\bvon\s+(?P<gone>{_X}{{1,40}}?)\s+(?:auf|zu|nach)\s+(?P<new>{_X}{{1,40}}?)\s+{_DE}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b(?:wechselten|wechseln|migrierten|migrieren|wechselte|stellten|stellen)\b(?P<what>{_X}{{0,60}}?)\s+von\s+(?P<gone>{_X}{{1,40}}?)\s+(?:auf|zu|nach)\s+(?P<new>{_X}{{1,40}}?)(?=$|[\s,;:.])(?P<rest>{_X}{{0,120}})"),
    ("replaced before", rf"\b(?:wurde\w*\s+|haben wir\s+)?durch\s+(?P<new>{_X}{{1,40}}?)\s+(?:ersetzt|abgelöst)(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b{_FR}\s+(?P<what>{_X}{{0,50}}?)\s*\bde\s+(?P<gone>{_X}{{1,40}}?)\s+(?:à|vers)\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\bremplacé(?:e|s|es)?\s+(?P<gone>{_X}{{1,40}}?)\s+par\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced before", rf"\b(?:a|ont) été remplacé(?:e|s|es)?\s+par\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b{_ES}\s+(?P<what>{_X}{{0,50}}?)\s*\bde\s+(?P<gone>{_X}{{1,40}}?)\s+a\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"\b(?:reemplazamos|reemplazado|sustituimos|sustituido|reemplazó)\s+(?P<gone>{_X}{{1,40}}?)\s+(?:por|con)\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("replaced", rf"从\s*(?P<gone>{_X}{{1,24}}?)\s*(?:迁移|切换|换|改|升级|转|移)(?:到|为|成|用|至)了?\s*(?P<new>{_X}{{1,24}})"),
    ("replaced", rf"用\s*(?P<new>{_X}{{1,24}}?)\s*(?:代替|取代|替换|替代)了\s*(?P<gone>{_X}{{1,24}})"),
    # what got which value
    ("set", rf"\b{_V}\b(?P<what>{_X}{{0,80}}?)\s+(?:over\s+|back\s+|up\s+|down\s+|on\s+)?(?:to|onto|into)\s+(?P<new>{_X}{{1,60}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("set", rf"\bauf\s+(?P<new>{_X}{{1,40}}?)\s+{_DE}(?P<rest>{_X}{{0,120}})"),
    ("set", rf"\b{_FR}\s+(?P<what>{_X}{{0,50}}?)\s*(?:à|vers)\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("set", rf"\b{_ES}\s+(?P<what>{_X}{{0,50}}?)\s*\ba\s+(?P<new>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("set", rf"(?:改为|改成|改用|换成|换用|提高到|降低到|调整为|升级到|切换到|迁移到|增加到|减少到|缩短到|缩短为)了?\s*(?P<new>{_X}{{1,24}})"),
    # what is no longer there
    ("gone before", rf"\b(?:is|are|was|were|has been|have been|got){_ADV}\s+{_GONE}\b(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"\b(?:removed|dropped|retired|abandoned|ditched|discontinued|got rid of|phased out|stopped using|quit using|moved off|moved away from|no longer us(?:e|es|ing))\s+(?P<gone>{_X}{{1,50}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"\b(?:do not|don't|don’t|does not|doesn't|aren't|are not|isn't|is not)\s+us(?:e|ing)\s+(?P<gone>{_X}{{1,40}}?)\s+any ?(?:more|longer)(?P<rest>{_X}{{0,120}})"),
    ("gone before", rf"\b(?:wurde\w*|wird|werden|ist|sind)\s+(?:entfernt|abgeschafft|abgelöst|eingestellt|veraltet|nicht mehr (?:verwendet|benutzt|genutzt|eingesetzt|gebraucht))(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"\b(?:verwenden|benutzen|nutzen|brauchen)\s+(?:wir\s+)?(?P<gone>{_X}{{1,40}}?)\s+nicht mehr(?P<rest>{_X}{{0,120}})"),
    ("gone before", rf"\b(?:a|ont) été (?:remplacé|supprimé|abandonné|retiré)(?:e|s|es)?\b(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"\b(?:n['’]utilis\w+|n['’]emplo\w+|ne se sert|ne nous servons)\s+plus\s+(?:de\s+)?(?P<gone>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("gone before", rf"\b(?:fue|fueron|ha sido|han sido|está|están)\s+(?:eliminad|reemplazad|retirad|sustituid|obsolet)[oa]s?\b(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"\bya no\s+(?:usamos|usa|se usa|utilizamos|utiliza|se utiliza)\s+(?P<gone>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("gone", rf"(?:不再使用|不再用|不用了|已?弃用了?|移除了|停用了?|去掉了|废弃了)\s*(?P<gone>{_X}{{1,24}})"),
    ("gone before", r"(?:已被移除|已被替换|已被弃用|已移除|已弃用|已停用|被移除了|被替换了|不再使用)"),
    # what is not to be taken any more, said with the new way
    ("instead", rf"\b(?:instead of|rather than|in place of|anstelle von|anstatt|statt|au lieu de|plutôt que|en lugar de|en vez de)\s+(?P<gone>{_X}{{1,40}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("instead", rf",\s*(?:and\s+)?not\s+(?P<gone>{_X}{{1,30}}?){_END}(?P<rest>{_X}{{0,120}})"),
    ("instead", rf"(?:而不是|而非|代替)\s*(?P<gone>{_X}{{1,24}})"),
    # a statement that stopped being true
    ("ended", rf"\b(?:no longer|nicht mehr|ya no)\s+(?P<pred>{_X}{{1,120}})"),
    ("ended", rf"\b(?:is|are|do|does|did)(?:\s+not|n't|n’t)\s+(?P<pred>{_X}{{1,80}}?)\s+any ?(?:more|longer)\b"),
    ("ended", r"不再(?P<pred>[^,;:，；：。]{1,40})"),
)
# (kind, pattern, whether what is gone stands before the match)
PHRASES: tuple[tuple[Kind, Lazy, bool], ...] = tuple(
    (cast(Kind, kind.removesuffix(" before")), Lazy(source, re.IGNORECASE), kind.endswith(" before")) for kind, source in _SOURCES)

# "the API now listens on 8081": the whole clause is the new state.
STATE = Lazy(r"\b(?:now|nowadays|from now on|as of|effective|henceforth|correction|update|actually|(?:migration|move|switch|upgrade|transition) is (?:finished|done|complete|completed)"
                   r"|jetzt|nun|ab sofort|ab jetzt|inzwischen|désormais|maintenant|dorénavant|ahora|a partir de ahora|korrektur|correctif|corrección)\b|现在|从现在起|如今|更正", re.IGNORECASE)
# A statement about what may be, was planned, or is only so somewhere for a while: never a change that was made. The first stands anywhere in the sentence.
CONDITION = Lazy(r"\b(?:if|unless|whether|suppose|assuming|before|until|imagine|wenn|falls|ob|bevor|sobald|avant|lorsque|cuando|antes)\b|\bsi\b(?! bien)|如果|假如|之前|的话", re.IGNORECASE)
INTENT = Lazy(r"\b(?:would|could|might|(?<!\d )may(?! \d)|maybe|perhaps|should|shall|will|won't|plan\w*|consider\w*|propos\w+|suggest\w*|want\w*|wish\w*|hope\w*|going to|intend\w*|thinking|discuss\w*|"
                    r"evaluat\w+|try|tries|tried|trying|experiment\w*|prototyp\w+|trial|temporar\w+|briefly|throwaway|need to|needs to|have to|has to|ought|almost|nearly|"
                    r"not|never|didn't|haven't|hasn't|weren't|wasn't|won’t|didn’t|decided against|rolled back|reverted|"
                    r"vielleicht|könnte\w*|sollte\w*|würde\w*|möchte\w*|planen|plant|nicht(?! mehr)|peut-être|pourr\w+|devr\w+|envisag\w+|ne pas|"
                    r"quizás?|podr\w+|deber\w+|planeamos|vamos a|queremos)\b|可能|考虑|计划|打算|应该|也许|没有|试", re.IGNORECASE)
FROM_NOW_ON = Lazy(r"\b(?:from now on|as of|effective|ab sofort|ab jetzt|désormais|dorénavant|a partir de ahora)\b|从现在起", re.IGNORECASE)
# In the older text: the value stands there as what was left or refused, not as what holds.
REFUSED = frozenset("from not no never instead of than over off without unlike versus vs against away avoid statt von nicht kein keine ohne sans pas de jamais sin nunca no".split())
# Words through which the older text says what is used: one of them stands shortly before the value.
USE = frozenset("""use uses used using run runs running with on in through via by built based written managed install installs installed deploy deploys deployed hosted
powered talk talks stored rely relies require requires is are prefer prefers picked chose chosen works live lives = : verwenden verwendet nutzen nutzt benutzen läuft mit auf
utilise utilisons utilisent avec usa usamos utiliza utilizamos con es est ist""".split())
# What says so behind the value: "Jest is our test runner".
USE_BEHIND = frozenset((verb, whose) for verb in "is are ist sind est sont es son".split() for whose in "our the unser unsere der die das notre le la nuestro nuestra el".split())
# Of these the ones that alone do not make it the thing used: "publish with npm publish".
LOOSE = frozenset("with on in through via by mit auf avec con".split())
# What narrows a change: "removed Redis from the docs". A reason or a time after it does not.
NARROWING = Lazy(r"\b(?:in|for|on|of|from|für|im|in der|pour|dans|para|en)\s+(.{1,60}?)(?=$|\s+(?:after|because|before|since|so|to|last|this|at|by|with)\b)", re.IGNORECASE)
USE_CJK = Lazy("用|是|在|基于")
# Words too common to tell one subject from another.
GENERIC = frozenset("""repo repository project codebase team everything everywhere use using used uses run runs running now new old version versions default current currently
here built build setup work works thing way make made move moved switch switched change changed already finally officially fully completely entirely successfully recently
last week month today yesterday morning ago said note fyi update correction actually finished done complete completed migration instead longer more anymore
projekt wir nutzen verwenden benutzen projet utilise utilisons proyecto usamos usa utiliza dépôt repositorio
我们 项目 仓库 使用 这个 现在 已经 目前 改用 迁移 切换 们已 已从 已不 不再 再使 们使 们在 在这 个仓 库使 库中 中使 个项 目使""".split())
# Words for one attribute.
ATTRIBUTES = tuple(words.split() for words in ("lifetime last lasts lifespan ttl expire expires expiry expiration valid validity", "limit maximum max cap ceiling quota",
                                               "timeout timeouts", "memory ram", "interval frequency", "price cost", "deadline due", "own owns owner owned ownership"))
