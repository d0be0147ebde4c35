"""Words by which English clauses are told apart: closed classes in full, verbs of captions, endings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


ARTICLES = words("a an the")
DEFINITE = words(
    "the this that these those my your his her its our their whose both said same"
)  # a phrase that begins so points at something known
POSSESSIVES = words("his her its their my your our")
QUANTIFIERS = words(
    "a an no some any several many few fewer more most much less enough each every either neither another "
    "other all half various numerous multiple countless plenty certain such what which whatever"
)
DETERMINERS = ARTICLES | DEFINITE | QUANTIFIERS
NUMBERS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty dozen dozens hundred hundreds first second "
    "third fourth fifth sixth last couple"
)
SUBJECTS = words("i you he she it we they who there")
PRONOUNS = SUBJECTS | words(
    "me him us them himself herself itself themselves someone somebody anyone anybody everyone everybody "
    "something anything everything nothing nobody none mine hers theirs ones others everyone"
)
MODALS = words("can could may might must shall should will would cannot ca wo")
BE = words("be am is are was were been being 's 're")
HAVE = words("have has had having")
DO = words("do does did")
NEGATORS = words("not n't never")
PREPOSITIONS = words(
    "about above across after against along alongside amid amidst among amongst around as at atop before "
    "behind below beneath beside besides between beyond by despite down during except for from in inside "
    "instead into like minus near nearby of off on onto opposite out outside over past per plus since "
    "than versus through throughout till to toward towards under underneath unlike until up upon via with "
    "within without"
)
COORDINATORS = words("and or but nor")
SUBORDINATORS = words(
    "while when whenever if whether because although though unless whereas once lest so how why where"
)
CLAUSE_OR_PHRASE = words("as before after since until till than like")
RELATIVES = words("which who whom that whose where when")
ADVERBS = words(
    "also too very quite rather just even still yet already almost perhaps maybe often sometimes always "
    "ever not only well here there then now again soon later together apart away elsewhere somewhere "
    "anywhere likely else instead indeed thus hence therefore however moreover furthermore otherwise "
    "overall meanwhile nonetheless nevertheless perchance long far hard fast straight close nearby ahead "
    "aside indoors outdoors upright afar mid as-yet thereby more most less least first once twice "
    "altogether further up-close nearer earlier today forth off-screen"
)
NOT_ADVERBS = words(
    "family fly belly jelly early lovely friendly lively elderly curly woolly silly ugly lonely only "
    "supply reply assembly butterfly jelly bully ally rally daily weekly monthly holy hilly orderly "
    "likely unlikely homely comely motherly fatherly scholarly costly deadly heavenly monopoly"
)
ADJECTIVES = words(
    "closer farther further overall able unable ready likely unlikely sure unsure aware unaware clear "
    "unclear visible invisible available present absent similar different new old young big small large "
    "tall short long little tiny huge high low black white red blue green yellow brown gray grey pink "
    "purple golden silver tan beige dark light bright colorful colourful warm cold hot cool wet dry clean "
    "dirty fresh ripe raw open closed close near far full empty busy quiet calm lively friendly lovely "
    "elderly early late wooden metallic plastic stone brick good nice great perfect ideal suitable "
    "popular common rare typical usual unusual possible impossible potential real fake true false main "
    "whole entire single double round square flat deep wide narrow thick thin heavy soft smooth rough "
    "sharp safe easy difficult comfortable cozy sunny cloudy rainy snowy grassy sandy rocky happy sad "
    "eager keen bound due free fit meant prone apt set worth upper lower inner outer left right front "
    "back rear central next former latter final recent modern vintage antique rusty fluffy furry cute "
    "beautiful elegant delicious tasty juicy casual formal rural urban public private local own other "
    "same certain various numerous multiple several extra additional further nearest closest larger "
    "smaller taller older younger bigger better best worse worst alone asleep awake alive upright aloft "
    "afloat adjacent hypothetical imaginary nonexistent unseen stuffed framed plush inflatable ceramic "
    "bronze"
)
NOT_PARTICIPLES = words(
    "building ceiling clothing setting wedding evening morning railing awning parking dining living "
    "crossing measuring frosting icing string thing something anything nothing everything spring ring wing "
    "king swing sling lighting seating bedding painting drawing carving engraving etching lettering writing "
    "landing siding flooring tiling fencing scaffolding paving plumbing topping stuffing filling dressing "
    "pudding dumpling duckling gosling sapling sibling being offspring meaning feeling beginning "
    "surrounding surroundings belonging belongings greeting gathering outing heading housing opening "
    "clearing covering"
)
# Verbs that captions use of things: after "the front" hardly ever nouns.
CLEAR_VERBS = words(
    "show feature display hold stand read rest lead sit appear seem look represent depict portray suggest "
    "contain include have wear indicate bear"
)
# Verbs by their form, but after an article or at the end of a phrase nouns.
NOUNS_TOO = words(
    "park sign ride view play watch look walk train board stand rest serve catch sit meal water place "
    "point show light table face hand head top cross drive race trick jump hold work stop call cook cut "
    "cover crowd dress drink eat end fall feature field fish fly form frame help hope lead leave lie line "
    "mark need number object paint pass pet photograph picture plan plant pose present print purpose "
    "reach reflect repair return roll run sail sale score seat set shape share shelter shop sleep smile "
    "sound space splash spot stack store stretch style support surf swim swing talk tie touch tour track "
    "trade travel trim turn use visit wait want wave wear win wish yard surround back box chat desire "
    "design display doubt dream guess hint land match mean move name order pair pile position practice "
    "question range rise row sense state step study test text throw time transport try type wash "
    "wind wonder break brush change check comb contact control cost cue dance deal delight effort "
    "exercise fight fill glance graze guard guide harvest host hug hunt kick kiss laugh level load lock "
    "mix pack pause perch pitch protest pull push read record salute search lift resort dock label paddle "
    "lounge shower tower stem slice leap bark bounce grip lace litter loop ring spray strap tip trail "
    "trek whip wipe base escape feed fence float focus function gaze gesture honor market report request "
    "rescue review rule sample scoop scratch sip sketch smell tackle taste tear twist volley weave yawn "
    "carpet cart desert issue map monitor mount note pilot plow preserve produce reserve route signal "
    "house stick mention measure grill roast answer address spring care cause start treat chase attempt "
    "bend stir sweep sort slow drift tilt bite blow burn finish comfort press escort supply block bat "
    "bowl list hire rent permit bake dip lure charge shade ship sink skate slide slope snack spill stage "
    "stay stream strike suit surprise "
    "afford aid attack beam beat bloom blur boost bow brace braid broadcast bump bustle button buzz camp "
    "chop claim clap clip coat collapse color consume cough count crack crash crawl crop curl curve damage "
    "dash decline demand dot drain drizzle dry dust echo estimate exit fade farm fear film fix flag flank "
    "flap flash flick flow foam forecast frown fuel gear glimpse hail halt harbor heat howl increase jam "
    "kayak knock lather lick march mask mirror moor near nurse outline pant parade patrol picnic pin pinch "
    "please plug poke polish power preview probe program project promise prompt punch purchase quarrel rain "
    "rally reel release root rope rush saddle scrape screw seal select shave shield shift shovel sigh skim "
    "skip slam slap sled smoke snore snow spark spear speed spell spice spike splatter sponsor spur squash "
    "stain stamp steam sting stitch stoop strain structure surface swarm sway sweat swell switch tangle tap "
    "tattoo trap treasure trickle trust vacation veil warp whisk wrinkle zip"
)

_REGULAR = """
prohibit forbid ban restrict accept accommodate accompany achieve acknowledge act add address adjust admire
adorn advertise affect aim allow amuse announce answer anticipate appear appreciate approach arrange arrive
ask assist attach attempt attend attract avoid await balance bark base bask bat bathe beg believe belong
blend block board boast bounce brush build call capture care carry carve cause celebrate change chase chat
check choose clean climb clutch coexist collect comb come command commute compete complement complete
compose concentrate connect consider consist contain continue contribute contrast control converse convey
cook cool cover create cross crouch cruise cuddle cut dance dangle decorate deliver demonstrate depart
depend depict describe deserve desire detail dine disembark display dock dominate drag drape dress dribble
drift drip drop eat elevate embark emerge emphasize enable encourage engage enhance enjoy ensure enter
entertain evoke examine excite execute exhibit exist expect explore extend face facilitate feature fetch
fill finish fit float focus fold follow form frame frolic function gallop gather gaze gesture glance glide
graze greet grip groom guard guide handle hang happen hold help highlight hint honor hop hope hover hug hunt
illustrate imagine imitate imply include incorporate indicate inspect intend interact invite involve jog
join juggle jump keep kick kiss kneel lack land laugh lay lead lean leap learn leave lend lie lift light
line list load locate lock look loom maintain make manage maneuver mark match measure meet mention merge
mimic miss mix monitor mount move navigate need nestle notice observe obscure occupy occur offer open
operate order organize overlap overlook own pack paddle paint park participate pass pause pave peek peer
perch perform pet photograph pick place plan plant play point portray pose position possess pour practice
prefer prepare present preserve press prevent print proceed produce promote protect provide pull push race
raise reach react recall receive recline reflect relax rely remain remember remind remove repair represent
request require resemble rest return reveal roam roll row sail sample savor scatter scoop score scratch
search seat secure seem serve settle shade share shelter shop show showcase shower signal signify sip sit
situate skate skateboard ski slice slide slow smell smile sniff snack snowboard socialize soak sort sound
span spectate speculate splash spot sprawl spread sprinkle stack stage stare start stay steer step stop
store stretch stroll study suggest support surf surround suspect sustain tackle talk taste tend tie time top
touch tour tower trail train transport travel treat trot try tuck turn unfold unload use utilize vary view
visit wag wait walk wander want warm warn wash watch wave weave welcome wield wish witness wonder work wrap
yawn accent access adapt advance assess browse bury calm carpet cater cheer clear comfort compare confirm
construct cue cultivate defend define deny desert design detect determine devour draw drive drink endorse
erect escape establish exceed exercise feed feel fence fish fly gain give glow grab grasp grow guess harvest
head host house hurry identify illuminate indulge inform inhabit inspire instruct invade isolate issue label
loop lounge lower mean mind mourn name nap note nuzzle overhang partake pat perceive pertain pinpoint pluck
pop prop prove pursue read recognize reduce refer regard rejoice render replace rescue ride ring rise rub
run see sell send set shape shed shelve shine shoot shoulder sleep speak spend stand steal stem strike
strive struggle supervise supply suppose swim swing take tell think throw thrive tilt tow toss understand
urge venture vie wear win wind write catch become begin bend bite blow break bring burn buy cast cling deal
dig do fall fight find forget get go hear hide hit hurt know let lose pay put quit seek shake shut sing sink
slip spin split spring stick sweep tear wake accord inhale roar sunbathe meditate juxtapose lace litter
mingle narrate nod obey oversee peddle peel plow prance preside queue recover refuel rehearse resume scan
scramble scrub sew sift signpost snap snuggle spill spray squat squeeze squint stir straddle strap stride
live reside frequent alert notify caution advise guarantee mistake rent hire borrow charge dwell grill bake
boil fry rinse knead roast dip flip straighten inflate deflate unlock shuttle ferry haul deter entice lure
delight soothe linger bear mow hitch brake cycle pedal hurl sketch doodle scribble wrestle amble congregate
relish savour commemorate exude strum submerge tether thread tip trek trim twist unpack unwind usher verify
volley waddle wade soar glisten whip wipe worship
abandon absorb accelerate accumulate align amplify analyze applaud apply appoint approve argue arise assemble
assume assure awaken beckon bother brighten caress chew chirp clasp collide complain comprise conceal conclude
confuse contemplate crave crochet crumble darken decide dedicate deploy derive descend destroy develop differ
direct disappear discard discern discourage discover discuss disguise dismount disrupt distinguish distract
disturb dive divide doze drown edit emblazon embrace embroider emit employ emulate encircle enclose encounter
endure engrave engulf enlist envelop equip etch evaluate exchange exclude expand explain express fasten filter
flatten flee flutter freeze furnish garnish gleam glitter gnaw grin hesitate huddle hum ignore impress improve
infer influence install intersect introduce invent knit launch listen loosen manufacture melt motivate munch
nibble nurture obstruct omit originate overflow permit pierce pity plunge ponder pounce praise pray precede
preen presume pretend prevail propel propose prowl purr quack radiate reassure rebuild reckon recommend refill
reinforce reject relate remark reopen repeat resist resonate respond restore retire retrieve revolve rotate
scare scold scowl scream sculpt seize separate sharpen shiver shout smash smear snarl sneak sneeze sparkle
spoil sprint sprout squeak squirt stumble submit succeed suck suffer surpass surrender swerve swirl symbolize
tailor teach tease tempt thank threaten tickle tighten transform translate transmit tremble twirl uncover
undergo undress unite unroll unveil utter vanish veer vibrate whisper whistle wiggle wink wobble worry yearn
yell yield zoom afford aid attack beam beat bloom blur boost bow brace braid broadcast bump bustle button buzz
camp chop claim clap clip coat collapse color consume contact cough count crack crash crawl crop crowd curl
curve damage dash decline demand dot drain drizzle dry dust echo escort estimate exit fade farm fear film fix
flag flank flap flash flick flow foam forecast frown fuel gear glimpse hail halt harbor heat howl increase jam
kayak knock lather lick march mask mirror moor near nurse outline pant parade patrol picnic pilot pin pinch
please plug poke polish power preview probe program project promise prompt punch purchase quarrel rain rally
record reel release root rope rush saddle salute scrape screw seal select shave shield shift shovel sigh skim
skip slam slap sled smoke snore snow spark spear speed spell spice spike splatter sponsor spur squash stain
stamp steam sting stitch stoop strain structure style surface swarm sway sweat swell switch tangle tap tattoo
trap treasure trickle trust vacation veil warp whisk wrinkle zip
say arrest despise favor reserve stencil suit
"""
_IRREGULAR = {
    "bend": "bent", "bite": "bit bitten", "blow": "blew blown", "break": "broke broken",
    "bring": "brought", "build": "built", "buy": "bought", "cast": "cast", "catch": "caught",
    "choose": "chose chosen", "cling": "clung", "come": "came come", "cut": "cut", "deal": "dealt",
    "dig": "dug", "do": "did done", "draw": "drew drawn", "drink": "drank drunk", "drive": "drove driven",
    "eat": "ate eaten", "fall": "fell fallen", "feed": "fed", "feel": "felt", "fight": "fought",
    "find": "found", "fly": "flew flown", "forget": "forgot forgotten", "get": "got gotten",
    "give": "gave given", "go": "went gone", "grow": "grew grown", "hang": "hung", "hear": "heard",
    "hide": "hid hidden", "hit": "hit", "hold": "held", "hurt": "hurt", "keep": "kept",
    "know": "knew known", "lay": "laid", "lead": "led", "leave": "left", "lend": "lent", "let": "let",
    "lie": "lay lain", "light": "lit", "lose": "lost", "make": "made", "mean": "meant", "meet": "met",
    "pay": "paid", "put": "put", "read": "read", "mistake": "mistook mistaken", "ride": "rode ridden",
    "ring": "rang rung", "rise": "rose risen", "run": "ran run", "see": "saw seen", "seek": "sought",
    "sell": "sold", "send": "sent", "set": "set", "sew": "sewed sewn", "shake": "shook shaken",
    "shine": "shone", "shoot": "shot", "shut": "shut", "sing": "sang sung", "sink": "sank sunk",
    "sit": "sat", "sleep": "slept", "speak": "spoke spoken", "spend": "spent", "spin": "spun",
    "split": "split", "spread": "spread", "stand": "stood", "steal": "stole stolen", "stick": "stuck",
    "strike": "struck", "sweep": "swept", "swim": "swam swum", "swing": "swung", "take": "took taken",
    "tear": "tore torn", "tell": "told", "think": "thought", "throw": "threw thrown",
    "understand": "understood", "wake": "woke woken", "wear": "wore worn", "weave": "wove woven",
    "win": "won", "wind": "wound", "write": "wrote written", "become": "became become",
    "begin": "began begun", "oversee": "oversaw overseen", "show": "shown", "lean": "leant",
    "learn": "learnt", "bear": "bore borne", "burn": "burnt", "partake": "partook partaken",
    "overhang": "overhung", "arise": "arose arisen", "freeze": "froze frozen", "teach": "taught",
    "beat": "beaten", "undergo": "underwent undergone", "flee": "fled", "knit": "knitted", "say": "said",
}  # fmt: skip
_DOUBLED = words(
    "bat beg chat cut clap drag drip drop fit grab grip hit hop hug jog mop nap nod pat pet plan plot pop "
    "prop put quit rub run scan scrub set shop shut sip sit skip slip snap spin split spot squat stem "
    "step stir stop strap strum swim tap tip trim trot tug wag win wrap get begin cut dig let refer occur "
    "submit dam pin hum chop clap clip dot drag flap jam skim skip slam slap sled spur tap trap zip grin "
    "equip permit omit propel plug"
)
BOTH_PASTS = words("set cut put hit cast let shut split spread read hurt")


def forms_of(verb: str) -> Iterator[tuple[str, str]]:
    """Forms of a verb with their tags: V finite, G in -ing, E past or participle.

    Parameters
    ----------
    verb : str
        In its base form.

    Yields
    ------
    str, str
        The form and its tag.
    """
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) else verb
    doubled = verb + verb[-1] if verb in _DOUBLED else stem
    yield verb, "V"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        yield verb + "es", "V"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        yield verb[:-1] + "ies", "V"
    else:
        yield verb + "s", "V"
    gerund = verb[:-2] + "y" if verb in ("lie", "tie", "die", "vie") else doubled
    yield gerund + "ing", "G"
    for past in _IRREGULAR.get(verb, "").split():
        yield past, "E"
    yield (verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else doubled + "ed"), "E"


def _lexicon() -> Mapping[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for verb in dict.fromkeys(_REGULAR.split()):
        for form, tag in forms_of(verb):
            if tag != "E" or form not in found:  # "set" stays a present form, "saw" never hides "see"
                found.setdefault(form, (tag, verb))
    return found


VERBS: Mapping[str, tuple[str, str]] = _lexicon()  # form -> tag and base form
_NOUNS_AS_VERBS = words(
    "ski tie bike bear book bat board duck ship cook train guard coach host fork fish bowl surf skate "
    "snowboard skateboard man crow watch dish phone park bench plant guide bicycle pitch cup boat kayak "
    "canoe sail cycle shop dine glass jet plane catch"
)
# Names of COCO objects and people that are verbs as well.
VERBS_OF_NOUNS: Mapping[str, str] = {
    form: noun for noun in sorted(_NOUNS_AS_VERBS) for form, tag in forms_of(noun) if tag == "V"
}
ADJECTIVE_ENDINGS = ("ous", "ful", "less", "able", "ible", "ish", "ive", "ical", "like", "shaped", "free")
