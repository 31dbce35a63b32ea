"""Lines that have crashed other programs."""

HOSTILE = [
    " ".join(["word"] * 2000),
    "nul\0byte and \x01\x1f controls",
    "( [ ] ) -LRB- #LRB# \\( a(b)c",
    "\ufeff\u200b\u202e \u0301 \U0001f600\u200d\U0001f600 \ufffe \ue000",
    "a\u00a0b c\u2028d e\u0085f \x0b\x0c",
    "_ __ # | = 0=x %% -- <s> &amp; \" ' `` #EOS #BOS 1 #500",
    "x" * 10_000,
    "",
]
UNDECODABLE = b"bad \xff\xfe bytes"
