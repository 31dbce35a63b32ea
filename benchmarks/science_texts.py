"""The texts of the page of science.py that do not depend on a run."""

INTRODUCTION = """\
The paper that Spindle implements (Fernández-González and Martins, *Parsing as Reduction*, ACL 2015) reports
its figures on treebanks that need a licence. This page tests its claims again on treebanks that anybody can
have, with the parsers of this project and of other people, by one command:

```
{command}
```

**How to read it.** A claim is *confirmed* if what it says is better is significantly better in at least half
of the comparisons and significantly worse in none; *refuted* the other way round; *undecided* otherwise.
"So far" says that planned comparisons are missing. Claims without a comparison are decided by a threshold of
ours, which their section names. Differences are tested by paired approximate randomisation over sentences
and seeds ({rounds:,} rounds). p is corrected for all {tests} comparisons of this page (Holm), and significant
at {level}. Intervals are paired bootstrap intervals of 95 %, not corrected; that of a mean takes the
comparisons as independent. With one run of a setup (column "runs"), its training noise of some tenths is not
in p; a claim rests on many treebanks for that reason, too.

Words alone are parsed: tags are predicted. F1 counts every sentence; punctuation is decided by the gold tags.
Nothing was chosen on the sentences that are scored: the last epoch is kept. Where a setup names no encoding,
stages or head rules, they are those of `spindle train`: delta encoding for continuous, direct encoding for
discontinuous treebanks, two stages, the guessed table of head rules.
"""
LIMITS = """\
## What cannot be said here

- **The paper's own figures** (Tables 1 to 4) are of the Penn Treebank, the SPMRL treebanks, TIGER and NEGRA.
  Without them no figure here can be put beside one of the paper. "On par with the Berkeley parser" and
  "better than the other discontinuous parsers of German" stay untested. With a licence, run the
  paper's experiments with `benchmarks/paper.py`.
- **Size.** The larger treebanks are cut (table below), and all are smaller than the Penn Treebank. What
  matters more, or less, with more data is tested for small data only.
- **English.** The trees of english-gum are the output of a parser, corrected; those of english-craft are
  gold, but biomedical.
- **German.** german-pcc has few development sentences: differences are seldom significant there, and a
  Disc-F1 hangs on a few dozen constituents.
- **Parsers.** MaltParser, MSTParser, ZPar and TurboParser, which the paper uses, must be built by hand, and
  are tested only where a table names them. The linear parser of Spindle stands for TurboParser: it has the
  same orders, and other features and another training.
- **Grammars.** No grammar (Berkeley, Stanford, disco-dop) was built beside the project.
"""
