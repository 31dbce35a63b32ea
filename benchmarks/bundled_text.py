"""Train the text model that comes with the English models.

    python benchmarks/raw_text.py GUM CRAFT -o raw
    python benchmarks/bundled_text.py raw/free-train.conllu -o src/spindle/text/data/english.text

It learns from the free genres of english-gum and from english-craft with their raw text (`raw_text.py`), and
from text that was written for it: `text_lessons.txt` has patterns of sentences that these treebanks have too
few of, and `WORDS` the words that fill them. Half of the documents of the treebanks are also shown without
their paragraphs.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from measuring import command_line
from spindle.models import ModelFile, write_model
from spindle.text import GoldDocument, read_documents, train_boundaries
from spindle.text.boundaries import ABBREVIATION, BITS, FREQUENT, NUMBERED, TITLE
from spindle.text.bundled import KIND, PART
from spindle.text.documents import read_marked

NAMES = ("english-gum (free genres)", "english-craft")
LICENCE = "CC BY: CRAFT (Verspoor et al. 2012, CC BY 3.0) and GUM (Zeldes 2017, annotations CC BY 4.0)"
LESSONS = Path(__file__).with_name("text_lessons.txt")
COPIES = 30
"""How often each pattern is filled with words."""
LONG_AND_FREQUENT = 20
"""How often a word is in the texts that is cut off in the lessons."""

WORDS = {
    "title": "Mr. Mrs. Ms. Dr. Prof. Sen. Rep. Gov. Gen. Col. Capt. Lt. Sgt. Maj. Adm. Rev. Fr. Hon. Pres. "
    "Messrs. Mme. Mlle. Cmdr. Supt. Insp. Atty. Cpl. Pvt. Amb. Bp. Sr. Br.",
    "title2": "Mrs. Dr. Mr.",
    "numbered": "No. Nos. Fig. Figs. Vol. Sec. Ch. Eq. Art. Ref. no. p. pp. fig. vol. ch. sec. eq. art. "
    "para. Tab. Ex. Par. Para. App. Appx. Bk. Apt. Rm. Ste. Ver. Ed.",
    "suffix": "Inc. Ltd. Co. Corp. Bros. LLC.",
    "month": "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec.",
    "day": "Mon. Tue. Tues. Wed. Thu. Thurs. Fri. Sat. Sun. weekdays Mondays",
    "list": "etc. etc.",
    "eg": "e.g. i.e. cf. viz. esp. incl. approx. ca.",
    "vs": "vs. v.",
    "ampm": "a.m. p.m. A.M. P.M.",
    "acro": "U.S. U.K. E.U. U.N. U.S.A. D.C. N.Y. L.A. U.A.E.",
    "street": "St. Ave. Rd. Blvd. Ln. Hwy. Pl. Sq.",
    "mount": "Mt. St. Ft. Pt.",
    "initial": "A. B. C. D. E. F. G. H. J. K. L. M. N. P. R. S. T. V. W.",
    "letter": "A B C D E",
    "Name": "Smith Brown Miller Weber Okafor Tanaka Silva Novak Rossi Khan Olsen Dubois Young Hill Wood",
    "First": "Ann Peter Maria Tom Lucy Karl Nina Ivan Sara",
    "Place": "Paris Ohio Lima Kenya Leeds Turin Japan Perth",
    "said": "said replied wrote answered asked cried shouted whispered added",
    "says": "says said asks whispers cried yelled muttered called",
    "oh": "Oh Hey No Yes Well Wait Stop Ouch Look Ah Sorry Help Wow Hurray",
    "Who": "The|_woman The|_old|_man My|_sister His|_brother The|_voice A|_boy Her|_friend",
    "ly": "quietly slowly then again at|_last softly",
    "dash": "— – -- —",
    "I": "I we they she he you it",
    "left": "left slept waited laughed worked",
    "go": "go leave wait eat sing",
    "Go": "Go Run Walk Drive Write",
    "They": "They We He She It The|_men Nobody Someone A|_boy My|_aunt But|_they Then|_he Later|_we This "
    "And|_she There|_he In|_the|_end|_he Both",
    "they": "they we he she it nobody my|_aunt",
    "they2": "They We You I The|_boys",
    "neg": "do|n't do|n’t ca|n't could|n't wo|n't would|n’t should|n't did|n't did|n’t must|n't can|not",
    "Pron": "they|'ve he|'s we|'d you|'ll I|'m she|’s they|’re we|’ll I|’ve it|'s",
    "informal": "I|'m_gon|na You_got|ta We_wan|na They|'re_gon|na Lem|me Gim|me_that_and Do|n't",
    "cur": "$ € £ ¥",
    "num": "5 7 12 20 3.5 40 1,200 9.99 100 250 6,000,000 0.5",
    "unit": "kg km g m ml cm mg mm lb GB MB kHz ms",
    "year": "1987 1999 2003 2015 2021 1945",
    "hour": "2 7 10 11:30 6:15",
    "clock": "7:05 12:45 18:30 6:10 9:25 23:59 16:20",
    "decade": "60s 70s 80s",
    "full": "1960s 1970s 2010s 1840s",
    "amp": "R&B Q&A S&P P&L B&B H&M AT&T A&E",
    "cut": "th- w- s- b- c- d- g- l- n- m- p- sh- wh- st- fr- T- W- I- N- B- th- be- comm- exper- underst- "
    "nev- peop- an- ye- alr- bec- wor-",
    "fraction": "1/2 1/4 3/4 1/3 2/3 1/8 5/8",
    "measure": "cup cups teaspoon tablespoon inch mile pound years hours",
    "hum": "Uh-oh Uh-huh Hm-m Mm-hm Mm-mm Un-unh Oh-oh Nuh-uh",
    "note": "3 7 11 12 15 18 20 22 26 31 35 40 48",
    "prefixed": "super-cool proto-form socio-political multi-use mini-break inter-city micro-level "
    "pseudo-code "
    "neo-classic ultra-thin sub-zero vice-mayor extra-large ex-partner eco-friendly bio-fuel "
    "cyber-safe counter-move cross-border pan-national mono-tone intra-day de-ice non-local-minded "
    "price-wise film-esque ten-fold song-fest carb-less anti-war|_party semi-open mid-May mid-size "
    "re-use pre-cut post-war non-stick e-visit counter-attack pro-reform re-elect multi-day co-op "
    "co-author ex-wife e-bike anti-tax|_party non-member pre-war|_house re-entry semi-final co-pilot",
    "num2": "2 3 4 8 10",
    "min": "05 30 45",
    "brand": "iPad eBook iTunes eTrade jQuery npm nVidia macOS iCloud pH",
    "url": "https://www.sample.org/page http://sample.com/x?y=1&z=2 www.sample.net https://sample.io",
    "mail": "tom@sample.com anna.b@sample.co.uk info@sample.org",
    "tag": "#sunset #BookClub #fun",
    "mention": "@tom @anna_b @news24",
    "emoji": "😂 ❤️ 🙏🏽 👩‍💻 ✨ 🇩🇪",
    "face": ":) ;) :-) :D :( :P <3",
    "file": "letter.docx image.png main.cpp data.csv index.html notes.txt archive.tar.gz",
    "took": "took told gave saw let heard met kept tell show take keep",
    "clip": "'em ’em",
    "clip2": "'til ’til 'cause ’cause",
    "twas": "'T ’T",
    "was": "was is were",
    "weight": "oz. lb. lbs. tsp. tbsp. ft. yd. gal. qt. hrs.",
    "short": "govt. dept. assn. univ. temp. est. tel. ext. dist. div. mgr. asst. max.",
    "dotted": "r.s.v.p. r.i.p. i.o.u. f.y.i. p.t.o. b.y.o.b.",
    "Take": "Take Call Wear Open Close Ask Keep Show",
    "comma": "2,50 7,95 12,30 0,75 99,00",
    "code": "C++ C# F# node.js",
    "adj": "long well high small open old free hard",
}
KINDS = {
    "title": TITLE | ABBREVIATION,
    "mount": TITLE | ABBREVIATION,
    "numbered": NUMBERED | ABBREVIATION,
    "month": NUMBERED | ABBREVIATION,
    **dict.fromkeys(
        ("suffix", "day", "list", "eg", "vs", "ampm", "acro", "street", "weight", "short"), ABBREVIATION
    ),
}


def cut_off(documents: Sequence[GoldDocument], seed: int = 1) -> list[str]:
    """Return starts of frequent words as a speaker cuts them off, `und-` for `understand`."""
    choose = random.Random(seed)
    counts = Counter(document.text[start:end] for document in documents for start, end in document.tokens)
    words = {word for word, count in counts.items() if word.isalpha() and count >= FREQUENT}
    long = sorted(word for word in words if counts[word] >= LONG_AND_FREQUENT and len(word) > 3)
    starts = {word[: choose.randint(1, min(5, len(word) - 2))] for word in long}
    return sorted(f"{start}-" for start in starts if start not in words)


def lessons(copies: int, cut: Sequence[str], seed: int = 1) -> list[GoldDocument]:
    """Return documents of filled patterns; `cut` are words that are cut off."""
    choose = random.Random(seed)
    choices = {name: words.split() for name, words in WORDS.items()}
    choices["cut"] *= 1 + len(cut) // len(choices["cut"])  # as often as the others
    choices["cut"] += cut

    def word(match: re.Match[str]) -> str:
        return choose.choice(choices[match[1]]).replace("|_", " ").replace("_", " ")

    patterns = LESSONS.read_text(encoding="utf-8").strip().split("\n\n")
    filled = [re.sub(r"\{(\w+)\}", word, pattern) for pattern in patterns for _ in range(copies)]
    choose.shuffle(filled)
    return list(read_marked("\n\n".join(filled)))


def known_words() -> dict[str, int]:
    """Return the kinds of the abbreviations in `WORDS`, without their full stops."""
    kinds: dict[str, int] = {}
    for name, kind in KINDS.items():
        for form in WORDS[name].split():
            if form.endswith("."):
                word = form.lower().removesuffix(".")
                kinds[word] = kinds.get(word, 0) | kind
    return kinds


def main() -> None:
    """Train the model and write it."""
    arguments = command_line(__doc__)
    arguments.add_argument("train", type=Path, help="CoNLL-U with SpaceAfter=No, made by raw_text.py")
    arguments.add_argument("-o", "--output", type=Path, required=True)
    arguments.add_argument("--epochs", type=int, default=8)
    arguments.add_argument("--bits", type=int, default=BITS)
    given: argparse.Namespace = arguments.parse_args()
    rows = given.train.read_text(encoding="utf-8").splitlines()
    texts = list(read_documents(rows))
    without_paragraphs = list(read_documents(rows, paragraphs=False))[::2]
    documents = [*texts, *without_paragraphs, *lessons(COPIES, cut_off(texts))]
    card = {"treebanks": NAMES, "licence": LICENCE, "documents": len(documents)}
    model = train_boundaries(documents, known_words(), epochs=given.epochs, bits=given.bits, card=card)
    write_model(given.output, ModelFile(KIND, card, {PART: model.to_part()}))
    print(f"{given.output}: {given.output.stat().st_size / 1e3:.0f} kB, {len(model.words)} words")


if __name__ == "__main__":
    main()
