"""Sentences that name an object without saying that it is there, in all languages; see `MENTION_FORMS`.

The marks are those of `grammar`. Beside the slots of the other sentences there are three: `{purpose}`
and `{compound}` are phrases by kind, whose marked stretch states the kind, and `{kinds}` is the plural
noun (in Chinese `{kind}`). No sentence names another kind by the way: "people come here to ..." would.
"""

from __future__ import annotations

from collections.abc import Mapping

# Hedged sentences with and without `{place}` serve claims with and without one.
MENTION_SENTENCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "hedged": (
            "there might be {a}.",
            "there [seems|seem] to be {a}.",
            "it is hard to tell, but there could be {a}.",
            "I think I can make out {a}, but I am not sure.",
            "one can vaguely see what could be {a}.",
            "there might be {a} {place}.",
            "{place}, there [seems|seem] to be {a}.",
            "it is hard to tell, but there could be {a} {place}.",
            "I think I can make out {a} {place}, but I am not sure.",
            "{place}, one can vaguely see what could be {a}.",
            "there [is|are] possibly {a} {place}.",
        ),
        "hedged+": (
            "there may also be {a}.",
            "{place}, there may also be {a}.",
        ),
        "purpose": (
            "this would be a good place to {purpose}.",
            "it looks like the right spot to {purpose}.",
            "it would be nice to {purpose} here.",
            "one could easily {purpose} here.",
        ),
        "generic": (
            "{kinds} are a common sight in places like this.",
            "{kinds} often appear in pictures of this sort.",
            "one often comes across {kinds} in such places.",
        ),
        "compound": (
            "there is probably {compound} nearby.",
            "{compound} cannot be far away.",
            "one would expect to find {compound} here.",
        ),
    },
    "fr": {
        "hedged": (
            "il y a peut-être {a}.",
            "il semble y avoir {a}.",
            "c’est difficile à dire, mais il pourrait y avoir {a}.",
            "il me semble distinguer {a}, sans certitude.",
            "on croit deviner {a}.",
            "il y a peut-être {a} {place}.",
            "{place}, il semble y avoir {a}.",
            "c’est difficile à dire, mais il pourrait y avoir {a} {place}.",
            "il me semble distinguer {a} {place}, sans certitude.",
            "{place}, on croit deviner {a}.",
        ),
        "hedged+": (
            "il pourrait aussi y avoir {a}.",
            "{place}, il pourrait aussi y avoir {a}.",
        ),
        "purpose": (
            "ce serait un bon endroit pour {purpose}.",
            "le lieu semble idéal pour {purpose}.",
            "on pourrait très bien {purpose} ici.",
            "voilà un endroit où l’on aimerait {purpose}.",
        ),
        "generic": (
            "on voit souvent des {kinds} dans ce genre d’endroit.",
            "les {kinds} apparaissent souvent dans les images de ce type.",
            "il n’est pas rare de trouver des {kinds} dans un tel lieu.",
        ),
        "compound": (
            "il y a sans doute {compound} non loin de là.",
            "{compound} ne doit pas être loin.",
            "on s’attendrait à trouver {compound} à proximité.",
        ),
    },
    "it": {
        "hedged": (
            "forse [c’è|ci sono] {a}.",
            "[sembra|sembrano] esserci {a}.",
            "è difficile dirlo, ma [potrebbe|potrebbero] esserci {a}.",
            "mi pare di distinguere {a}, ma senza certezza.",
            "si [intravede|intravedono] forse {a}.",
            "forse [c’è|ci sono] {a} {place}.",
            "{place} [sembra|sembrano] esserci {a}.",
            "è difficile dirlo, ma {place} [potrebbe|potrebbero] esserci {a}.",
            "mi pare di distinguere {a} {place}, ma senza certezza.",
            "{place} si [intravede|intravedono] forse {a}.",
        ),
        "hedged+": (
            "[potrebbe|potrebbero] esserci anche {a}.",
            "{place} [potrebbe|potrebbero] esserci anche {a}.",
        ),
        "purpose": (
            "sarebbe un bel posto per {purpose}.",
            "il luogo sembra ideale per {purpose}.",
            "qui sarebbe facile {purpose}.",
            "qui sarebbe piacevole {purpose}.",
        ),
        "generic": (
            "in posti come questo si vedono spesso {kinds}.",
            "nelle immagini di questo tipo compaiono spesso {kinds}.",
            "non è raro trovare {kinds} in luoghi del genere.",
        ),
        "compound": (
            "nei dintorni c’è probabilmente {compound}.",
            "non lontano da qui potrebbe trovarsi {compound}.",
            "ci si aspetterebbe di trovare {compound} nelle vicinanze.",
        ),
    },
    "zh": {
        "hedged": (
            "图中可能有{a}。",
            "画面里似乎有{a}。",
            "看上去好像有{a}，但看不太清楚。",
            "隐约能看到{a}，但不太确定。",
            "图中也许有{a}。",
            "画面{place}可能有{a}。",
            "图片{place}似乎有{a}。",
            "画面{place}好像有{a}，但看不太清楚。",
            "在画面{place}隐约能看到{a}，但不太确定。",
            "画面{place}也许有{a}。",
        ),
        "hedged+": (
            "图中可能还有{a}。",
            "画面{place}可能还有{a}。",
        ),
        "purpose": (
            "这里很适合{purpose}。",
            "这样的地方正适合{purpose}。",
            "在这里{purpose}应该很不错。",
            "可以想象在这里{purpose}的情景。",
        ),
        "generic": (
            "{kind}在这样的地方很常见。",
            "这类图片里常常会出现{kind}。",
            "在这种地方经常能见到{kind}。",
        ),
        "compound": (
            "附近可能有{compound}。",
            "不远处大概有{compound}。",
            "这一带应该会有{compound}。",
        ),
    },
}  # fmt: skip

# What one does with a thing of each kind, and compounds that name a kind but are no such thing.
_PURPOSES: Mapping[str, tuple[str, str, str, str]] = {
    "person": ("meet other <people>", "rencontrer d’autres <personnes>",
               "incontrare altre <persone>", "结识更多的<人>"),
    "bicycle": ("ride a <bicycle>", "faire du <vélo>", "andare in <bicicletta>", "骑<自行车>"),
    "car": ("park a <car>", "garer une <voiture>", "parcheggiare un’<auto>", "停放<汽车>"),
    "bus": ("wait for a <bus>", "attendre un <bus>", "aspettare l’<autobus>", "等<公交车>"),
    "boat": ("sail a <boat>", "faire du <bateau>", "andare in <barca>", "乘<帆船>出海"),
    "bench": ("set up a <bench>", "installer un <banc>", "mettere una <panchina>", "摆一张<长椅>"),
    "bird": ("watch <birds>", "observer des <oiseaux>", "osservare gli <uccelli>", "喂<鸟>"),
    "cat": ("play with a <cat>", "caresser un <chat>", "accarezzare un <gatto>", "逗<猫>"),
    "dog": ("play with a <dog>", "jouer avec un <chien>", "giocare con un <cane>", "陪<狗>玩耍"),
    "horse": ("ride a <horse>", "monter à <cheval>", "andare a <cavallo>", "骑<马>"),
    "backpack": ("put down a <backpack>", "poser un <sac à dos>", "posare uno <zaino>", "放下<背包>"),
    "umbrella": ("open an <umbrella>", "ouvrir un <parapluie>", "aprire un <ombrello>", "撑开<雨伞>"),
    "sports ball": ("kick a <ball> around", "jouer au <ballon>", "giocare a <pallone>", "玩<球>"),
    "kite": ("fly a <kite>", "faire voler un <cerf-volant>", "far volare un <aquilone>", "放<风筝>"),
    "bottle": ("open a <bottle>", "ouvrir une <bouteille>", "aprire una <bottiglia>", "打开一个<瓶子>"),
    "cup": ("drink a <cup> of tea", "boire une <tasse> de thé", "bere una <tazza> di tè", "用<杯子>喝茶"),
    "bowl": ("eat a <bowl> of soup", "manger un <bol> de soupe",
             "mangiare una <ciotola> di zuppa", "用<碗>喝汤"),
    "banana": ("eat a <banana>", "manger une <banane>", "mangiare una <banana>", "吃<香蕉>"),
    "apple": ("bite into an <apple>", "croquer une <pomme>", "addentare una <mela>", "吃<苹果>"),
    "cake": ("share a <cake>", "partager un <gâteau>", "condividere una <torta>", "分享<蛋糕>"),
    "chair": ("set up a <chair>", "installer une <chaise>", "mettere una <sedia>", "摆一把<椅子>"),
    "couch": ("relax on a <couch>", "se détendre sur un <canapé>",
              "riposare su un <divano>", "躺在<沙发>上休息"),
    "tv": ("set up a <television>", "installer un <téléviseur>", "mettere un <televisore>", "摆一台<电视机>"),
    "clock": ("hang up a <clock>", "accrocher une <horloge>", "appendere un <orologio>", "挂一个<时钟>"),
}  # fmt: skip
_COMPOUNDS: Mapping[str, tuple[str, str, str, str]] = {
    "bicycle": ("a <bicycle> stand", "un garage à <vélos>",
                "una rastrelliera per <biciclette>", "一个<自行车>停车架"),
    "car": ("a <car> park", "un parking pour <voitures>", "un parcheggio per <auto>", "一家<汽车>修理厂"),
    "bus": ("a <bus> stop", "un arrêt de <bus>", "una fermata dell’<autobus>", "一个<公交车>站"),
    "boat": ("a <boat> shed", "un hangar à <bateaux>", "una rimessa per <barche>", "一家<帆船>俱乐部"),
    "bird": ("a <bird> feeder", "une mangeoire à <oiseaux>", "una mangiatoia per <uccelli>", "一个喂<鸟>器"),
    "cat": ("a <cat> basket", "un panier pour <chat>", "una cesta per <gatti>", "一个<猫>窝"),
    "dog": ("a <dog> kennel", "une niche à <chien>", "una cuccia per <cani>", "一个<狗>窝"),
    "horse": ("a <horse> stable", "un box pour <chevaux>", "un box per <cavalli>", "一间<马>厩"),
    "sports ball": ("a <ball> game", "un jeu de <ballon>", "una partita di <pallone>", "一场<球>赛"),
    "kite": ("a <kite> festival", "un festival de <cerfs-volants>",
             "un festival degli <aquiloni>", "一个<风筝>节"),
    "bottle": ("a <bottle> rack", "un casier à <bouteilles>", "uno scaffale per <bottiglie>", "一个<瓶子>架"),
    "banana": ("a <banana> skin", "une peau de <banane>", "una buccia di <banana>", "一块<香蕉>皮"),
    "apple": ("a carton of <apple> juice", "une brique de jus de <pomme>",
              "un cartone di succo di <mela>", "一盒<苹果>汁"),
    "cake": ("a <cake> tin", "un moule à <gâteau>", "uno stampo per <torte>", "一个<蛋糕>模具"),
    "couch": ("a <couch> cushion", "un coussin de <canapé>", "un cuscino da <divano>", "一个<沙发>靠垫"),
    "tv": ("a <television> stand", "un meuble pour <téléviseur>",
           "un mobile per <televisore>", "一个<电视机>柜"),
}  # fmt: skip
COMPOUND_KINDS = tuple(_COMPOUNDS)  # those for which every language has a good one


def _of_language(place: int) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    tables = {"purpose": _PURPOSES, "compound": _COMPOUNDS}
    return {slot: {kind: (texts[place],) for kind, texts in table.items()} for slot, table in tables.items()}


MENTION_PHRASES: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    code: _of_language(place) for place, code in enumerate(MENTION_SENTENCES)
}
