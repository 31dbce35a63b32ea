"""The linear engine: the stages of section 4 of the paper, each a linear model in the compiled core.

`tagger` predicts tags, `parser` heads, `labeler` labels, `unaries` unary chains and `functions` edge labels.
"""
