"""Talk about the talk: greetings, apologies, frames around a statement. None of it is a concept.

"What I notice is that …", "another thing is …" announce a statement; "let me think", "it's hard to
say", "sorry" stand for none. The wordings are common ones of spoken English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interviews.llm.providers.offline.lexicon import pattern, plain
from interviews.nlp import Clause

_MARKS = " ,.;:!?-–—…"
_LEAD = r"(?:(?:oh|well|so|and|but|hm+|um+|yes|no|okay|ok|honestly|look|though|mostly),? )*"
_VERY = r"(?:really |quite |very |so |a bit |just |simply |actually |even )*"
_NOT = r"(?:don't|do not|can't|cannot|couldn't|could not|didn't|wouldn't|haven't)"
_THAT = r"(?:it|that|this|them)"
_OPEN = r"(?:why|how|what|if|anything|another|any|a|one|more|much|exactly|for sure|now|off ?hand)"

_ASIDES = (
    # greetings and manners
    (
        r"morning|afternoon|evening"  # by itself: "morning coffee" is no greeting
        r"|(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: (?:there|all|to you"
        r"|everyone))?(?:,? .{0,40})?"
    ),
    r"(?:many )?(?:thanks|thank you)(?: .{0,40})?",
    r"(?:glad|happy|pleased|nice) to (?:help|answer|take part|be here|talk)(?: .{0,30})?",
    rf"(?:i'm |i am )?{_VERY}sorry(?: (?:about|for|if) .{{0,40}})?|excuse me|pardon|forgive me",
    r"(?:i )?hope (?:i|this|that|it) (?:can )?(?:be |is |helps?|makes? sense).{0,30}",
    r"(?:sure|fine|of course|go ahead|why not|no problem|gladly|happy to help)(?:,? why not)?",
    r"(?:fire|ask) away|(?:i'm |i am )?(?:all ears|ready|sitting comfortably)",
    # thinking aloud, and memory
    r"(?:let me|let's) (?:think|see|put it .{0,30}|start .{0,20})",
    r"where (?:do|should|shall) i (?:start|begin)|what (?:can|shall|should|else can) i say",
    r"(?:as|like) i (?:just |already )?(?:said|mentioned|told you)(?: .{0,20})?",
    rf"(?:i )?(?:remember|recall) {_THAT}(?: {_VERY}(?:well|clearly|vividly|exactly))?",
    r"now that i think (?:of|about) it|(?:i've |i have )?never (?:asked|thought|wondered)\b.{0,30}",
    rf"asked myself(?: {_THAT})?|(?:my )?(?:head|mind)(?:'s| is) (?:empty|blank)(?: now)?",
    (
        r"what i have in mind|to put it \w+|(?:let's|to) be (?:honest|fair|frank|clear)"
        r"|(?:just )?imagine(?: that)?|believe me|don't ask|trust me|you name it"
        r"|i'm afraid(?: so| not)?|i must admit"
    ),
    (
        r"(?:i )?(?:could|can) (?:talk|go on|speak) (?:about|for) .{0,20}"
        r"(?:all day|hours|ages|for ever|forever|days)|(?:if )?(?:that|it|this) (?:doesn't "
        r"|does not |may |might )?sounds? (?:too |so |a bit |very |rather )*\w+"
    ),
    r"(?:can|do|could) you hear (?:that|it|this)|(?:one|just a) (?:moment|second)|hang on",
    (
        rf"(?:i'm |i am )?not {_VERY}(?:entirely |totally |completely )?sure"
        r"(?: (?:what|why|if|whether|how|where) .*)?"
    ),
    (
        r"(?:i'm |i am |i've |i have )?(?:run|running) out of (?:things|words|ideas|answers)"
        r"(?: .{0,20})?"
    ),
    # agreeing with what was given back
    (
        rf"(?:{_THAT}|you)(?:'s|'ve| have)? {_VERY}(?:just |about |exactly )?"
        r"(?:sums?|summed|covers?|captures?|describes?|hits?|got|gets?|understood|put)"
        rf"(?: (?:it|that|me|the nail on the head))?(?: up)?(?: {_VERY}"
        r"(?:well|nicely|right|exactly|perfectly|neatly|much))?"
    ),
    (
        rf"(?:that's|this is|that is) {_VERY}(?:how|the way) i (?:see|feel|think|mean|meant)"
        r"(?: .{0,12})?"
    ),
    (
        rf"(?:that's|that is|you're|sounds) (?:about |pretty much |{_VERY})?"
        r"(?:right|correct|true|fair)"
    ),
    rf"(?:that's|it's) an? {_VERY}(?:fair|good|nice) (?:summary|picture|description)",
    rf"(?:i )?couldn't have (?:put|said|described) {_THAT} (?:any )?(?:better|more .{{0,20}})",
    rf"{_THAT}(?:'s| is) as (?:far|much|deep|well|good)(?: \w+)? as .{{0,25}}",
    # having nothing (more) to say
    rf"(?:it's|that's|it is) {_VERY}the same (?:reason|thing|answer|story)(?: .{{0,20}})?",
    (
        rf"(?:i )?{_NOT} {_VERY}(?:recall|remember|say|explain|describe|think of"
        rf"|put|name|tell you|know|pin|single out|point to)"
        rf"(?: (?:{_THAT}|{_OPEN}|so)\b.{{0,60}})?"
    ),
    (
        rf"(?:it|that|this)(?:'s| is) {_VERY}(?:hard|difficult|tricky|tough"
        rf"|not easy|impossible) to "
        r"(?:say|explain|describe|tell|name|pin|put|know|remember)\b.{0,50}"
    ),
    (
        r"(?:it's|that's|it is|that is) (?:an? )?"
        r"(?:good|hard|tough|tricky|difficult|interesting|fair|big) (?:question|one|point)"
    ),
    (
        r"(?:there's|there is|there isn't|there is not) (?:really )?(?:nothing"
        r"|not much|no more|anything)"
        r"(?: (?:else|more|special|particular))?"
        r"(?: ?(?:i can |to )?(?:say|add|tell|explain|report)\b.{0,30}| behind .{0,10}| to it)?"
    ),
    r"(?:there's|there is|there isn't) (?:not )?much of a difference|nothing behind (?:it|that)",
    (
        r"(?:nothing|no(?: \w+)? \w+|not (?:really |very |so )?(?:much|a lot|anything)) "
        r"(?:more|else|special|specific|comes? to mind|springs? to mind|occurs to me)(?: .{0,40})?"
    ),
    (
        r"no (?:(?:deeper|particular|special|real|other|further|big) )+"
        r"(?:reason|meaning|thought|idea|story|occasion|moment|time|example)s?(?: .{0,40})?"
    ),
    (
        r"(?:it|that|this) (?:just |simply |really |kind of )*(?:is|does|speaks for itself"
        r"|is what it is|is (?:just )?(?:like that|the way it is|how it is|important|so))"
        r"(?: (?:to|for|with) me)?|speaks for itself"
    ),
    (
        r"(?:that's|that is|this is|that was) (?:about |basically |pretty much |really |just )?"
        r"(?:it|all|everything|what i (?:can|could|would) say|as far as .{0,30})(?: .{0,20})?"
    ),
    r"(?:(?:it's|it is|that's) )?(?:about |much |more or less )*the same(?: .{0,25})?",
    (
        rf"(?:i(?:'ve| have)? )?(?:{_NOT}|never) {_VERY}(?:considered|compared|tried|thought about"
        r"|looked at|looked into|wondered about) (?:it|that|this|them|any|alternatives|others"
        r"|anything else|other \w+)"
    ),
    r"(?:i(?:'ve| have)? )?(?:got )?(?:nothing|no way) to (?:compare|add|say|report)\b.{0,20}",
    r"nothing (?:new|to add)",
    (
        r"(?:it's|that's|it is|it was|there's) not (?:really |just |so much )?"
        r"(?:one|any one|a single|a particular|a certain) (?:single |particular |certain )?"
        r"(?:moment|day|time|thing|occasion|situation|point|place|reason|example)"
        r"(?:,? (?:it's|it is|it was) (?:just |always |more or less )+"
        r"(?:so|like that|there|the same|been so))?"
    ),
    r"(?:it's |that's |there's )nothing more (?:specific|exact|precise)(?: than (?:that|this))?",
    r"(?:it's |that's |there's )nothing more to (?:it|that)",
    # hedges, tags and bare evaluations
    (
        r"(?:it|that|this)(?:'d| would)(?: really| certainly)? (?:be (?:an? )?(?:\w+ )?(?:loss"
        r"|pity|shame|bad|sad|awful|terrible|annoying|difficult|hard|a problem|different)"
        r"|(?:bother|hit|annoy|upset|hurt|matter to|worry|sadden|get to) me"
        r"(?: .{0,12})?|depend)"
    ),
    r"i (?:should|ought to) (?:really |actually )?be \w+ing\b.{0,40}\b(?:now|really|instead)",
    r"if (?:that|this|it) makes (?:any )?sense|(?:it )?(?:kind of |sort of )?makes sense",
    r"if you (?:know|see) what i mean|if you like|just so you know|so to speak|believe it or not",
    r"(?:i )?(?:could|may|might) be wrong|be wrong|(?:it )?depends|who knows|it's just me",
    rf"(?:i )?(?:really |just |absolutely )*(?:love|like|hate|enjoy) {_THAT}|(?:it )?matters?",
    (
        rf"(?:i(?:'m| am| get| feel)? )?{_VERY}"
        rf"(?:emotional|sentimental|grateful|thankful|happy|glad) (?:about|for|of) {_THAT}"
    ),
    # frames whose statement stands elsewhere
    rf"(?:apart|aside) from {_THAT}|besides(?: that)?|on top of {_THAT}|in addition|deep down",
    r"(?:and )?underneath(?: (?:that|it|it all))?|compared (?:with|to) (?:the )?others?",
    r"what comes to mind(?: first)?|what i (?:mean|haven't (?:said|mentioned)(?: yet)?)",
    r"something else(?: i notice)?|(?:one|another) thing|how (?:it|that) feels",
    r"you know|you see|i mean|though|anyway",
    (
        rf"(?:it|that|this|i)(?:'s| is| may be| might be| sounds?|'m| am) {_VERY}(?:silly|stupid"
        r"|daft|weird|strange|funny|odd|corny|cheesy|petty|ridiculous|vain|exaggerating)"
        r"(?: .{0,12})?"
    ),
    # what is said to the interviewer, and agreement with nothing in it
    r"(?:please )?(?:ask|give|try) me (?:something|another|an easier|a different).{0,25}",
    r"(?:the )?next (?:question|one|topic)(?: please)?|next,? please",
    r"i(?:'ll| will|'m going to|'m| am)? (?:be )?(?:honest|frank|straight|open) with you",
    rf"i (?:won't|will not|can't|cannot|don't want to|am not going to) (?:{_VERY})?lie(?: to you)?",
    (
        r"(?:no|nope|nah|yep|yup|yeah)?,? ?(?:it's |that's )?all (?:good|fine|ok|okay)"
        r"|no|nope|nah|yep|yup|yeah|no complaints?"
    ),
    (
        r"(?:is|isn't|are|aren't|was|wasn't|do|don't|does|doesn't|did|didn't|can|can't|won't|has"
        r"|hasn't|have|haven't|would|wouldn't) (?:it|they|we|you|he|she|i|that|there)"
    ),
    r"what else(?: (?:is|was|are|can|could|do|did|shall|should) .{0,25})?|lol|ha(?:ha)*",
    r"oh (?:my )?god(?: yes)?|i kid you not|no kidding",
    r"it's (?:just |only )?(?:what|something) (?:you|one|they) (?:read|hear|see|say)(?: .{0,15})?",
    (
        r"(?:for|in|after|within) (?:\w+ ){1,3}"
        r"(?:minutes?|hours?|days?|weeks?|months?|years?|seconds?)"
    ),
    # pointing back at what was said, and a feeling about it that names nothing new
    (
        rf"(?:{_THAT} )?{_VERY}(?:ties? in|goes? together|connects?|belongs?|fits?|links? up"
        r"|has to do) with (?:something|what|the (?:thing|point)) (?:else )?(?:that )?i .{0,30}"
    ),
    rf"(?:{_THAT} )?(?:all )?(?:ties? in|(?:goes|belongs|hangs|fits) together|links? up)",
    (
        rf"(?:i |we )?(?:think )?(?:i|we)?(?:'ve|have)? ?(?:mentioned|covered|said|had) {_THAT}"
        r"(?: (?:already|before|earlier))?"
    ),
    (
        rf"(?:and )?(?:{_THAT} )?(?:still )?{_VERY}(?:gets? to me|moves me|touches me"
        rf"|goes (?:right |straight )?to my heart|makes? me {_VERY}(?:happy|glad|sad|angry|proud))"
        rf"(?: (?:when|whenever|every time) i (?:think|talk|speak) (?:of|about) {_THAT})?"
    ),
    (
        rf"(?:(?:i|you|nobody) )?(?:{_NOT} )?(?:imagine |believe )?(?:what|how much) "
        r"(?:that|it|this)(?:'s| is| was|'d be)? (?:worth|mean|means|meant) to (?:me|us)"
    ),
)
_ASIDE = re.compile(_LEAD + "(?:" + "|".join(_ASIDES) + ")")

_FRAMES = (
    (
        r"(?:what (?:i (?:(?:also |really )?(?:notice|like|mean|find|remember"
        r"|see|think|would say|can say)"
        r"|want to say|haven't (?:said|mentioned)(?: yet)?|should add)"
        r"|(?:also |does )?(?:comes?|springs?) to mind(?: first)?"
        r"|(?:it|this|that) (?:all |really )*(?:comes down to|boils down to|is about)"
        r"|matters(?: (?:most|to me))*|strikes me)"
        r"|something (?:else|more) (?:i (?:notice|like|find|remember)"
        r"|that (?:comes to mind|strikes me))"
        r"|(?:one|another|the other|a further"
        r"|the (?:main|first|best|worst|important|funny|good|bad|only|big)) "
        r"(?:thing|point|reason|aspect|bit|advantage|drawback|difference)(?: (?:(?:that )?i \w+"
        r"(?: (?:of|about|most))?|for me|to me|about it|that comes to mind))?"
        r"|the (?:thing|point|truth|fact|idea|reason|difference))(?: is| was|'s|:)(?: that)?,? "
    ),
    (
        r"(?:(?:apart|aside) from (?:that|this)|besides(?: that)?|on top of (?:that|it)"
        r"|underneath(?: (?:that|it|it all))?|deep down|in addition"
        r"|compared (?:with|to) (?:the )?others?),? "
    ),
    (
        r"i(?:'d| would) say (?:it's |it is )?(?:that )?|let me (?:see|think),? (?=\w)"
        r"|(?:now |but |though,? )*thinking (?:about|of) it,? |i (?:only|just) know that "
        r"|i (?:always |just )?thought, (?=\w)"
    ),
    (
        r"(?:it's|it is) (?:just |simply )?that "
        r"(?=(?:i|we|it|you|they|my|our|the|there|he|she|nobody|everybody)\b)"
    ),
    (
        r"(?:now|then),? (?:that )?i (?:come to )?think (?:of|about) it,? "
        r"|(?:concretely|specifically|in concrete terms|to begin with|to be honest),? "
        r"|(?:i (?:suppose|guess|think|believe|imagine),? )"
        r"|i (?:still |well |clearly )?(?:remember|recall) (?=(?:an?|the|one|this|that|when|how)\b)"
        r"|(?:(?:it|that|this) )?(?:really |all )*(?:has|had) (?:a lot |something )?to do with the "
        r"fact that |there's also this[:,] |for me (?:it's|it is) (?:really |all |mostly )?about "
    ),
)
_FRAME = re.compile(_LEAD + "(?:" + "|".join(_FRAMES) + r")(?=\S)")


_DIGRESSION = re.compile(
    _LEAD + r"(?:(?:that|which|this) reminds me|by the way|incidentally|before i forget"
    r"|speaking of which|on a (?:completely )?different note|just so you know)\b.*"
    r"|.*\b(?:by the way|just so you know|but that's another story"
    r"|(?:can|do) you hear\b.*|(?:noise|sound|music|voices?)(?: that)? you (?:can )?hear)",
    re.DOTALL,
)


def digressions(parts: Sequence[Clause]) -> frozenset[int]:
    """Return the numbers of the sentences that are marked as leading away from the subject."""
    return frozenset(
        clause.sentence
        for clause in parts
        if _DIGRESSION.fullmatch(" ".join(plain(clause.text).split()).strip(_MARKS))
        and " of " not in plain(clause.text)[:25]  # "that reminds me of" goes on about it
    )


def is_aside(text: str) -> bool:
    """Whether a clause says nothing about the subject."""
    said = " ".join(plain(text).split()).strip(_MARKS)
    shorter = pattern("tail_phrase").sub("", said).strip(_MARKS)
    return bool(_ASIDE.fullmatch(said) or _ASIDE.fullmatch(shorter))


def after_frame(text: str, start: int, end: int) -> int:
    """Return where the statement begins in `text[start:end]`, past the frames before it."""
    flat = plain(text)
    while match := _FRAME.match(flat, start, end):
        start = match.end()
    return start
