"""Forms by which people tell a fix, ask for something, prefer, decide, or say that something holds; English, German, French, Spanish, Chinese. Data only."""

from __future__ import annotations

import re

from .lazy import Lazy

FIX = Lazy(r"\b(?:fix(?:ed|es)?|solved|resolved|worked|works (?:now|again|after)|passes (?:now|again)|passed|the (?:cause|reason|problem) was|root cause|turned out|it was because|"
                  r"behoben|gelöst|die ursache war|läuft wieder|corrigé|résolu|la cause était|arreglado|solucionado|la causa era)\b|修复|解决了|原因是", re.IGNORECASE)
REQUEST = Lazy(r"^(?:please|pls|can you|could you|let'?s|let me|go ahead|ok(?:ay)?|yes|yep|no|sure|thanks?|thank you|great|nice|perfect|continue|next|now|run|add|fix|make|write|show|"
                      r"check|look|try|create|update|explain|help|do|deploy|commit|push|bitte|danke|weiter|ja|nein|mach\w*|merci|oui|non|continue[rz]?|gracias|sí|vale|请|好|谢谢|继续)\b", re.IGNORECASE)
PREFERS = Lazy(r"\b(?:i|we) (?:really |always )?(?:prefer|like|want|hate|love)\b|\b(?:ich|wir) (?:bevorzuge|mag|mögen|will|wollen)|je préfère|nous préférons|prefiero|preferimos|我(?:们)?(?:喜欢|更喜欢|偏好)", re.IGNORECASE)
DECIDED = Lazy(r"\b(?:decided|decision|we chose|agreed|settled on|we went with|going with|entschieden|beschlossen|décidé|decidimos|decidido)\b|决定", re.IGNORECASE)
HOLDS = Lazy(r"\b(?:is|are|was|were|has|have|must|should|always|never|only|uses?|runs?|needs?|requires?|lives?|means|contains?|returns?|comes?|goes|depends|prefer|keeps?|stores?|listens?|"
                    r"ist|sind|hat|muss|müssen|immer|nie|läuft|braucht|est|sont|doit|toujours|jamais|utilise|es|son|debe|siempre|nunca|usa)\b|是|必须|使用|总是|需要", re.IGNORECASE)
