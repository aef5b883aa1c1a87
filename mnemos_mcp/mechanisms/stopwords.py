"""English words that say little about what a text is about.

STOP: the Snowball English stop list (snowballstem.org, BSD-3) with its contractions cut as a tokenizer cuts them, and the modal verbs that the
NLTK copy adds; never looked for. LIGHT: the further words of the SMART list (Salton and Buckley; appendix 11 of Lewis et al., "RCV1", JMLR 5, 2004),
looked for at half weight: "use", "new" or "two" tell little, but in a store of ten memories their rarity cannot show that.
"""
from __future__ import annotations

_STOP_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs
themselves what which who whom this that these those am is are was were be been being have has had having do does did doing would should could ought a
an the and but if or because as until while of at by for with about against between into through during before after above below to from up down in
out on off over under again further then once here there when where why how all any both each few more most other some such no nor not only own same
so than too very can will just may might must shall now s t m d ll re ve don didn doesn isn aren wasn weren haven hasn hadn won wouldn shouldn couldn
let
"""
_LIGHT_WORDS = """
able according accordingly across actually afterwards ain allow allows almost alone along already also although always among amongst another anybody
anyhow anyone anything anyway anyways anywhere apart appear appreciate appropriate around aside ask asking associated available away awfully became
become becomes becoming beforehand behind believe beside besides best better beyond brief came cannot cant cause causes certain certainly changes
clearly co com come comes concerning consequently consider considering contain containing contains corresponding course currently definitely described
despite different done downwards edu eg eight either else elsewhere enough entirely especially et etc even ever every everybody everyone everything
everywhere ex exactly example except far fifth first five followed following follows former formerly forth four furthermore get gets getting given
gives go goes going gone got gotten greetings happens hardly hello help hence hereafter hereby herein hereupon hi hither hopefully howbeit however ie
ignored immediate inasmuch inc indeed indicate indicated indicates inner insofar instead inward keep keeps kept know known knows last lately later
latter latterly least less lest like liked likely little look looking looks ltd mainly many maybe mean meanwhile merely moreover mostly much name
namely nd near nearly necessary need needs neither never nevertheless new next nine nobody non none noone normally nothing novel nowhere obviously
often oh ok okay old one ones onto others otherwise outside overall particular particularly per perhaps placed please plus possible presumably
probably provides que quite qv rather rd really reasonably regarding regardless regards relatively respectively right said saw say saying says second
secondly see seeing seem seemed seeming seems seen self selves sensible sent serious seriously seven several since six somebody somehow someone
something sometime sometimes somewhat somewhere soon sorry specified specify specifying still sub sup sure take taken tell tends th thank thanks thanx
thats thence thereafter thereby therefore therein theres thereupon think third thorough thoroughly though three throughout thru thus together took
toward towards tried tries truly try trying twice two un unfortunately unless unlikely unto upon us use used useful uses using usually uucp value
various via viz vs want wants way welcome well went whatever whence whenever whereafter whereas whereby wherein whereupon wherever whether whither
whoever whole whose willing wish within without wonder yes yet zero
"""
STOP: frozenset[str] = frozenset(_STOP_WORDS.split())
LIGHT: frozenset[str] = frozenset(_LIGHT_WORDS.split())
