"""NEGRA export, versions 3 and 4: one row per word, one row per node; every row names its parent.

    #FORMAT 4
    #BOS 57
    Es          es          PPER   3.Sg.Nom   SB   500
    kam         kommen      VVFIN  3.Sg.Past  HD   501
    nichts      nichts      PIAT   --         NK   500
    Neues       Neues       NN     Nom.Sg     NK   500
    #500        --          NP     --         SB   501
    #501        --          S      --         --   0
    #EOS 57

Columns are separated by one or more tabs; a row without tabs is separated by blanks. So a word may contain
blanks if its row has tabs, and the writer always writes tabs. `--` is a missing lemma, tag, morphology,
label or edge label. Version 3 has no lemma column.

The parent of a row is 0 or a node row `#n`, n ≥ 500. Words may look like markup. `%%`, `#BOS` and `#EOS`
are words if their row is complete. `#7` is always a word. `#500` is a word if another word follows and it
has no children. A sentence with a word such as `#500` is written with its number of words, `%% export_words
= 9`.

Information that a tree has no column for becomes comments of the tree: see `comments`. Tables and comments
after the last sentence belong to that sentence. A sentence without an id is written with its number. An id
that would break the #BOS line is written as `%% export_id = …`.
"""

from spindle.treebanks.export.reader import read_export
from spindle.treebanks.export.writer import refuse_odd_edges, write_export, write_export3

__all__ = ["read_export", "refuse_odd_edges", "write_export", "write_export3"]
