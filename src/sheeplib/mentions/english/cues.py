"""Words that tell that a caption does not claim what it names: hedges, depictions, purposes, negations."""

from __future__ import annotations

from sheeplib.mentions.english.wording import words

# --- hedged -----------------------------------------------------------------------------------------------
HEDGE_ADVERBS = words(
    "possibly perhaps maybe probably likely presumably apparently seemingly supposedly potentially "
    "conceivably reportedly allegedly plausibly purportedly ostensibly"
)
HEDGE_MODALS = words("may might could must would")
HEDGE_ADJECTIVES = words(
    "possible potential probable presumed apparent supposed likely alleged suspected hypothetical "
    "imaginary imagined implied assumed would-be putative"
)
UNSURE = words(
    "possible likely probable plausible conceivable unclear uncertain unsure ambiguous hard difficult "
    "unlikely tough impossible"
)
SEEMING = words("appear seem look sound tend")  # appears to be, looks like
BELIEVING = words(
    "believe think suppose assume presume guess suspect imagine speculate reckon say rumor expect"
)
TELLING = words("suggest imply hint indicate mean signify evoke") | BELIEVING
SURE_TELLING = words(
    "indicate mean show"
)  # a conclusion rather than a guess: only what is new in it is hedged
RESEMBLING = words("resemble mimic imitate emulate")
GUESSES = words(
    "possibility chance likelihood hint suggestion impression illusion probability speculation guess "
    "semblance resemblance likeness"
)
SIGHTED = words("see find spot observe notice view")
SEEING = words(
    "see make spot notice discern find have contain include show depict feature detect observe view"
)
THERE = words(
    "visible present there nearby around seen located parked standing sitting discernible noticeable"
)

# --- depictive --------------------------------------------------------------------------------------------
ARTWORKS = words(
    "painting drawing sculpture statue statuette figurine figure illustration cartoon mural poster print "
    "logo sketch portrait depiction carving engraving etching sticker decal emblem icon symbol pictogram "
    "silhouette graphic mosaic tapestry bust effigy replica rendering rendition caricature doodle tattoo "
    "stencil embroidery cutout cut-out hologram postcard billboard advertisement ad mascot puppet doll "
    "costume mask toy plush plushie ornament decoration model miniature stamp animation artwork art "
    "graffiti lego decoy mannequin relief frieze scarecrow snowman origami figures figurines sprite "
    "avatar motif pattern"
)
CRAFTED = words(
    "cake hat design shape cloud pattern kite magnet charm pendant keychain pillow lamp cookie "
    "balloon sandcastle"
)  # made or seen as something else
PICTURES = words(
    "picture image photo photograph photographs video snapshot pictures images photos screenshot"
)
MADE_OF = words("consist comprise compose divide split combine")
WHOLES = words(
    "image picture photo photograph scene shot snapshot collage view close-up closeup footage frame "
    "composition selfie it this portrait photography setting moment caption"
)  # what the caption is about
WITH_PICTURES = words(
    "map print mosaic illustration calendar page cover wallpaper postcard tapestry painting cartoon"
)
ADORNING = words("decorate adorn embellish ornament emblazon pattern")
LIT = words("digital electronic video led lcd large small big bright flat-screen screen")
LABELS = words("cover label packaging wrapper lid underside")  # "with a horse on its cover"
SHAPING = words("twist fold carve shape mold mould sculpt bend knot")
PUT_UP = words("pin attach tape hang stick mount fix post display glue nail")  # of pictures on a wall
PLACES_IN_IMAGE = words("left right side top bottom front back foreground background")
LIKENESSES = words("shape form likeness silhouette outline style guise shapes forms")
UNREAL = words(
    "toy stuffed plush fake artificial mock painted carved drawn sculpted cartoon animated virtual "
    "fictional sketched illustrated pictured printed stylized stylised plush cardboard lego origami "
    "decorative animatronic ornamental embroidered engraved cut-out inflatable miniature model depicted "
    "crocheted knitted mythical mechanical robotic gingerbread fondant marzipan faux pretend make-believe "
    "rocking carousel dollhouse"
)
ONLY_CREATURES = words(
    "decorative inflatable cardboard printed knitted ornamental mechanical rocking painted carved "
    "crocheted robotic"
)  # fmt: skip
TOYS = frozenset({"teddy bear"})  # classes of toys
TOY_WORDS = words("toy stuffed plush knitted crocheted")
MATERIALS = words(
    "ceramic porcelain bronze wooden metal stone marble plastic glass rubber clay wax paper plaster wire "
    "wood concrete brass copper iron chocolate sugar sand ice snow felt cloth fabric balloon neon resin"
)
CREATURES = words("person bird cat dog horse sheep cow elephant bear zebra giraffe man woman")
VEHICLES = words("car bus train truck boat airplane motorcycle bicycle")
_NO_VEHICLES_OF = words(
    "paper cardboard chocolate clay felt sugar wax fabric cloth balloon porcelain ceramic fondant marzipan "
    "lego gingerbread icing frosting"
)


def lifeless(concept: str) -> frozenset[str]:
    """What nothing of a class is made of, so that it is a likeness: a ceramic cat, a paper car."""
    if concept in CREATURES:
        return MATERIALS | _NO_VEHICLES_OF
    if concept == "boat":
        return _NO_VEHICLES_OF
    return _NO_VEHICLES_OF | {"plastic"} if concept in VEHICLES else frozenset()


DISPLAYS = words(
    "sign poster screen tv television monitor display mural painting drawing logo billboard banner card "
    "cover magazine label sticker shirt t-shirt mug advertisement ad flag emblem illustration tapestry "
    "picture photo photograph artwork stamp brochure calendar plaque canvas print graphic page decal "
    "symbol icon projection projector sweater sweatshirt hoodie signboard placard newspaper leaflet "
    "wallpaper graffiti statue sculpture map chart needlework embroidery quilt rug carpet cushion pillow "
    "blanket apron jacket backpack mosaic mask menu package packaging wrapper cartoon placemat carving "
    "tattoo sketch curtain scarf handkerchief towel book"
)
SURFACES = words(
    "sign poster billboard banner mural logo flag emblem sticker label placard signboard stamp t-shirt"
)
SHOWING = words(
    "show display feature depict portray illustrate present exhibit represent bear picture symbolize"
)
REMINDING = words("reminiscent suggestive evocative indicative")
HOLDING = words("include contain have comprise incorporate")
DEPICTING = words("depict portray illustrate represent symbolize")
DRAWING = words(
    "paint draw print depict portray illustrate carve engrave embroider etch sketch picture sculpt "
    "stencil tattoo emblazon project"
)
WHOLE_AT_FIRST = words(
    "illustration drawing painting artwork graphic cartoon sketch rendering"
)  # "the drawing shows"
SCREENS_ON = words("screen billboard poster mural tapestry canvas stamp logo banner placard")
PICTURES_IN = words(
    "painting drawing mural poster advertisement cartoon artwork illustration mosaic commercial"
)

# --- purpose ----------------------------------------------------------------------------------------------
ENABLING = words(
    "allow enable help let encourage invite permit require prompt urge tempt entice prevent keep protect "
    "ensure discourage prohibit deter assist"
)
SERVING = words(
    "provide offer give afford accommodate attract serve warn remind inform alert advise welcome shelter "
    "cater notify caution instruct transport shuttle direct"
)
DESIGNED = words(
    "design mean intend use build make create suit equip need require adapt tailor place arrange set fit "
    "situate position reserve dedicate install"
)  # fmt: skip
STRIVING = words(
    "prepare attempt try want aim plan intend hope wait get seek struggle go ready need wish prefer "
    "expect come ask learn promise threaten stop look like choose decide"
)
AWAITING = words("await anticipate want need seek require desire crave expect demand request")
LOOKING_FOR = words(
    "wait look search hope ask call prepare wish hunt shop design mean intend use aim yearn suit reserve "
    "brace"
)  # fmt: skip
CAPACITY = words("hold fit accommodate seat store house carry transport")  # what a thing can do
PURPOSE_ADJECTIVES = words(
    "ready eager prepared set able about poised ideal perfect suitable easy safe available willing free "
    "great good convenient nice excellent spacious enough appropriate necessary essential useful "
    "designated equipped fit comfortable accessible popular handy meant intended"
)
NOT_FOR = words(
    "except account know care stand pose reach head make mistake famous responsible known notable thank "
    "pay apologize substitute vote exchange"
)  # fmt: skip
BENEFITS = words("convenience benefit safety comfort enjoyment needs need use security protection arrival")
USING = words("use enjoy frequent visit ride love favor need")

ADMITTED = words("welcome allowed permitted prohibited forbidden banned")  # of whom a sign speaks
HELPING_AT_ALL = words("protect invite entice deter")  # also without saying what for
ABILITY = words("can could may might would")
NO_AIM = (
    SEEMING
    | BELIEVING
    | words("turn prove be have see begin start continue keep find manage show happen spot observe spend")
)

# --- negation ---------------------------------------------------------------------------------------------
WITHOUT = words("without minus sans lacking")
ABSENCES = words("absence lack shortage scarcity void removal")
ABSENT_OF = words("devoid free empty bare clear void bereft")
ONLY = words("only just merely but except save")  # what follows is left
MISSING = words("missing absent unseen nowhere invisible nonexistent undetected")
LACKING = words("lack lacking miss exclude omit")
NOT_REALLY_NOT = words(
    "only just merely necessarily far fully clearly entirely completely always simply quite directly"
)

# --- generic ----------------------------------------------------------------------------------------------
HABITS = words("often typically usually commonly generally frequently normally traditionally historically")
TYPICAL = words(
    "common typical popular associated characteristic known famous beloved loved familiar synonymous fond "
    "unusual rare uncommon essential important native indigenous"
)  # fmt: skip
FONDNESS = words(
    "love passion enthusiasm affection appreciation fondness interest admiration fascination knowledge "
    "expertise breed species"
)  # fmt: skip
CONDITIONS = words("use motion service operation focus action order line shape")  # "not in use" is there
SIGHTS = words(
    "sight occurrence favorite favourite staple feature scene behavior behaviour trait activity habit"
)

NEW = words("another other additional extra more further")  # "another person" is none of those before
FIGURES = words("doll statue sculpture figurine toy mannequin puppet figure scarecrow snowman statuette")
PEOPLE_AT_LARGE = words("one you people anyone someone visitors everyone guests")
PERCEIVING = words("see make spot notice discern find glimpse")

# --- compound ---------------------------------------------------------------------------------------------
PORTIONS = words(
    "slice slices piece pieces half halves chunk chunks stick sticks floret florets wedge wedges bit bits "
    "bunch bunches crust layer layers topping toppings dish segment segments portion portions bite bites "
    "companion companions friend friends cub cubs calf calves chick chicks foal foals puppy puppies stalk "
    "stalks device devices appliance appliances fruit fruits animal animals vehicle vehicles vegetable "
    "vegetables item items species"
)  # of a pizza: still pizza
FLOCKS = words("herd flock group pack couple family pair crowd team duo trio swarm")
RAIL = words(
    "train rail railroad railway subway cable tram trolley passenger freight boxcar roller dining cattle"
)
NOT_THE_OBJECT = {
    "car": RAIL,
    "seat": words("toilet motorcycle bike bicycle"),
    "bowl": words("toilet"),
    "oven": words("microwave"),
    "bed": words("truck flower river garden raised hay straw"),
    "ski": words("jet"),
    "bow": words("hair red pink"),
}
NOT_WITH_OF = {
    "bed": words("truck hay straw flowers rice leaves lettuce grass greens rocks gravel moss vehicle pickup")
}
BRANDS = words("apple")
SAME_WITH = {
    "remote": words("control controls controller controllers device"),
    "microwave": words("oven ovens"),
    "tv": words("screen screens set sets monitor monitors"),
    "television": words("screen screens set sets monitor monitors"),
}  # the object by its longer name
LOCATED = words(
    "place locate position situate park set stand sit lie hang lay rest perch stack arrange dock mount "
    "scatter"
)
