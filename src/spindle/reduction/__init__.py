"""The isomorphism between constituent trees and head-ordered d-trees."""

from spindle.reduction.chains import chains_that_fit
from spindle.reduction.isomorphism import Place, Reduced, decode, encode
from spindle.reduction.labels import Encoding, read_labels, write_labels
from spindle.reduction.repairs import Mode, Nesting, Repairs, repair
from spindle.reduction.rows import read_rows, write_rows

__all__ = [
    "Encoding",
    "Mode",
    "Nesting",
    "Place",
    "Reduced",
    "Repairs",
    "chains_that_fit",
    "decode",
    "encode",
    "read_labels",
    "read_rows",
    "repair",
    "write_labels",
    "write_rows",
]
