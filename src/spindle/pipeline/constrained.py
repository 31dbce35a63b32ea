"""Parsing under constraints: how what a person has fixed becomes heads, events and labels of a d-tree.

1. Heads: the best tree of arcs that satisfies the constraints (`constrained_heads`), and others close to it;
   the backend chooses among them with its full model.
2. Events: on the spine of a required node's head, words inside have smaller events than words outside. The
   event of a forbidden node is merged with the next one.
3. Labels: a required label replaces the symbol of its event. Unary nodes over one yield are added, renamed or
   removed in the decoded tree.

Punctuation that the treebank attaches at the root is inside the nodes around it until the tree is restored.
So a required yield first includes the punctuation in its gaps. If the restored tree then breaks a constraint,
the yields are taken as they are and punctuation stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spindle.errors import ConstraintError
from spindle.models import Array
from spindle.pipeline.constrained_heads import HeadConstraints, constrained_trees
from spindle.pipeline.constraints import Bracket, Constraints
from spindle.pipeline.conventions import Conventions, Punctuation
from spindle.reduction import Mode, encode
from spindle.reduction.labels import UNKNOWN_SYMBOL
from spindle.trees import ROOT, DTree, Token, Tree
from spindle.trees.nodes import gaps
from spindle.trees.punctuation import PUNCTUATION_TAGS, is_punctuation, looks_like_punctuation


@dataclass(frozen=True)
class Plan:
    """The constraints on the bare tree of a sentence, before conventions are restored."""

    tokens: tuple[Token, ...]
    constraints: Constraints
    mode: Mode
    raises_punctuation: bool = False

    @property
    def _required(self) -> list[int]:
        """The required yields of several words but not of all, the smallest first."""
        masks = {one.mask for one in self.constraints.required if 1 < len(one.words) < len(self.tokens)}
        return sorted(masks, key=int.bit_count)

    @property
    def _forbidden(self) -> list[int]:
        """The yields of several words that must not be nodes."""
        brackets = self.constraints.forbidden
        return [one.mask for one in brackets if one.label is None and len(one.words) > 1]

    def trees(self, table: Array) -> list[list[int]]:
        """Return heads that satisfy the constraints, the best arc scores first; none if there are none."""
        if self.mode is Mode.CONTINUOUS and any(map(gaps, self._required)):
            return []
        structure = HeadConstraints(
            len(self.tokens),
            self._required,
            self._forbidden,
            self.constraints.heads,
            projective=self.mode is Mode.CONTINUOUS,
        )
        return constrained_trees(table, structure)

    def conflict(self, table: Array) -> list[str]:
        """Return constraints that no tree satisfies together, none of which can be left out."""
        items = list(self.constraints.items())
        for item in list(items):
            fewer = [one for one in items if one is not item]
            if not replace(self, constraints=Constraints.of_items(fewer)).trees(table):
                items = fewer
        return Constraints.of_items(items).describe(self.tokens)

    def separate(self, heads: Sequence[int], indices: Sequence[int]) -> list[int]:
        """Return event indices that keep the words inside a required node below those outside."""
        levels = [0] * len(heads)
        for mask in self._required:
            entry = HeadConstraints.entry(mask, heads)
            for word, head in enumerate(heads):
                levels[word] += head == entry and not mask >> word & 1
        found = list(indices)
        for head in {head for head in heads if head != ROOT}:
            keys = {w: (levels[w], indices[w]) for w, above in enumerate(heads) if above == head}
            if max(level for level, _ in keys.values()):
                ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())), start=1)}
                found = [ranks[keys[w]] if w in keys else index for w, index in enumerate(found)]
        return found

    def with_nodes(self, dtree: DTree) -> DTree:
        """Return the d-tree without forbidden nodes and with the labels of required nodes."""
        symbols, events = list(dtree.symbols), list(dtree.events)
        for mask, wanted in self._labels().items():
            if (place := _place(mask, dtree.heads, events)) is None:
                continue
            head, event = place
            words = [w for w, h in enumerate(dtree.heads) if (h, events[w]) == place]
            label = symbols[words[0]]
            above = [w for w, other in enumerate(dtree.heads) if other == head and events[w] > event]
            if above and not wanted.is_required and (wanted.forbids_all or label in wanted.forbidden):
                # merge the event with the next one
                symbol = next(symbols[w] for w in above if events[w] == event + 1)
                for word in words:
                    symbols[word] = symbol
                for word in above:
                    events[word] -= 1
                continue
            if wanted.required and label not in wanted.required:
                label = wanted.required[-1]
            elif label in wanted.forbidden:
                label = wanted.other_label([symbols[w] for w in (head, *dtree.modifiers[head])])
            for word in words:
                symbols[word] = label
        return dtree.replace(symbols=tuple(symbols), events=tuple(events))

    def _labels(self) -> dict[int, _Labels]:
        """Return what is fixed about the labels over every yield."""
        found: dict[int, _Labels] = {}
        for one in self.constraints.required:
            wanted = found.setdefault(one.mask, _Labels([], set()))
            wanted.is_required = True
            if one.label is not None:
                wanted.required.append(one.label)
        for one in self.constraints.forbidden:
            wanted = found.setdefault(one.mask, _Labels([], set()))
            if one.label is None:
                wanted.forbids_all = True
            else:
                wanted.forbidden.add(one.label)
        return found

    def with_chains(self, tree: Tree) -> Tree:
        """Return a bare tree whose nodes over each yield have the right labels."""
        wanted = self._labels()
        if not wanted:
            return tree
        assert tree.heads is not None
        nodes: dict[int, list[int]] = {}
        for node, mask in enumerate(tree.masks):
            nodes.setdefault(mask, []).append(node)
        labels: list[str] = []
        parents: list[int] = []
        functions: list[str] = []
        heads: list[int] = []
        new = {ROOT: ROOT}

        def add(parent: int, chain: Sequence[str], old: Sequence[int], head: int) -> int:
            """Add a chain of nodes; return the lowest node, or the parent if the chain is empty."""
            kept = [(tree.labels[node], tree.functions[node]) for node in old]
            for label in chain:
                match = next((pair for pair in kept if pair[0] == label), (label, ""))
                if match in kept:
                    kept.remove(match)
                labels.append(label)
                functions.append(match[1])
                parents.append(parent)
                heads.append(head)
                parent = len(labels) - 1
            return parent

        for mask, old in nodes.items():
            chain = [tree.labels[node] for node in old]
            if mask in wanted:
                above = tree.parents[old[0]]
                chain = wanted[mask].chain(
                    chain, tree.labels[above] if above != ROOT else "", mask.bit_count() > 1
                )
            bottom = add(new[tree.parents[old[0]]], chain, old, tree.heads[old[0]])
            new.update(dict.fromkeys(old, bottom))
        leaf_parents = [new[parent] for parent in tree.leaf_parents]
        for word, parent in enumerate(tree.leaf_parents):
            if 1 << word in wanted and 1 << word not in nodes:
                above_label = tree.labels[parent] if parent != ROOT else ""
                chain = wanted[1 << word].chain([], above_label, False)
                leaf_parents[word] = add(leaf_parents[word], chain, [], word)
        return Tree.build(
            tree.tokens, labels, parents, leaf_parents, functions, tree.id, tree.comments, heads=heads
        )

    def fit(self, tree: Tree) -> tuple[Tree, DTree]:
        """Return a bare tree with the right labels, and its d-tree."""
        tree = self.with_chains(tree)
        return tree, encode(tree).dtree


@dataclass
class _Labels:
    """What is fixed about the labels over a yield."""

    required: list[str]
    forbidden: set[str]
    is_required: bool = False
    forbids_all: bool = False

    def chain(self, found: Sequence[str], above: str, is_phrase: bool) -> list[str]:
        """Return the labels over the yield, top-down; `found` are those of the parser.

        A required label takes the place of the lowest label that is not required, or comes on top. A yield of
        several words (`is_phrase`) keeps a node.
        """
        if self.forbids_all:
            return []
        chain = [label for label in found if label not in self.forbidden]
        for label in reversed(self.required):
            if label in chain:
                continue
            spare = [at for at, other in enumerate(chain) if other not in self.required]
            if spare:
                chain[spare[-1]] = label
            else:
                chain.insert(0, label)
        return chain or ([self.other_label([above])] if self.is_required or is_phrase else [])

    def other_label(self, known: Sequence[str]) -> str:
        """Return a label that is not forbidden: one of the known labels, or the unknown one."""
        number = 0
        for label in (*known, UNKNOWN_SYMBOL):
            if label and label not in self.forbidden:
                return label
        while f"{UNKNOWN_SYMBOL}{number}" in self.forbidden:
            number += 1
        return f"{UNKNOWN_SYMBOL}{number}"


def _place(mask: int, heads: Sequence[int], events: Sequence[int]) -> tuple[int, int] | None:
    """Return the head and the event of the node with this yield; None if the d-tree has no such node."""
    entry = HeadConstraints.entry(mask, heads)
    if entry is None:
        return None
    inside = [events[w] for w, head in enumerate(heads) if head == entry and mask >> w & 1]
    outside = [events[w] for w, head in enumerate(heads) if head == entry and not mask >> w & 1]
    if not inside or (outside and max(inside) >= min(outside)):
        return None
    return entry, max(inside)


def plans(
    tokens: Sequence[Token], constraints: Constraints, mode: Mode, conventions: Conventions
) -> list[Plan]:
    """Return the plans for a sentence, to be tried in order."""
    tokens = tuple(tokens)
    constraints = _without_label(constraints, len(tokens), conventions.wrapper)
    literal = Plan(tokens, constraints, mode)
    if conventions.punctuation is not Punctuation.RESTORE or not any(map(is_punctuation, tokens)):
        return [literal]
    constraints = _without_label(constraints, len(tokens), conventions.punctuation_root)
    marks = {word for word, token in enumerate(tokens) if is_punctuation(token)}

    def filled(bracket: Bracket) -> Bracket:
        words = set(bracket.words) - marks
        if not words:
            return bracket
        for word in range(min(words), max(words)):
            if word in marks and word - 1 in words:
                end = next(at for at in range(word, len(tokens)) if at not in marks)
                if end in words:
                    words |= set(range(word, end))
        return Bracket(words, bracket.label)

    moved = Constraints(
        tuple(map(filled, constraints.required)),
        tuple(map(filled, constraints.forbidden)),
        {},
        constraints.heads,
    )
    try:
        moved.check(tokens)
    except ConstraintError:
        return [literal]
    return [Plan(tokens, moved, mode, raises_punctuation=True), literal]


def _without_label(constraints: Constraints, size: int, label: str | None) -> Constraints:
    """Return the constraints without the node on top that restoring adds."""
    added = Bracket(range(size), label)
    if label is None or added not in constraints.required:
        return constraints
    return replace(constraints, required=tuple(one for one in constraints.required if one != added))


def check_constraints(
    tokens: Sequence[Token], constraints: Constraints, mode: Mode, conventions: Conventions
) -> None:
    """Raise a `ConstraintError` for constraints that contradict each other or the kind of trees."""
    constraints.check(tokens)
    wrapper = conventions.wrapper
    marks = 0
    if conventions.punctuation is Punctuation.RESTORE:
        # a word can be punctuation by its form, or by a tag that is given
        marks = sum(
            1 << word
            for word, token in enumerate(tokens)
            if looks_like_punctuation(token.form) or constraints.tags.get(word, token.tag) in PUNCTUATION_TAGS
        )
    everything = (1 << len(tokens)) - 1
    for one in constraints.required:
        filled = one.mask | marks & _between(one.mask)
        if mode is Mode.CONTINUOUS and gaps(filled):
            raise ConstraintError(
                f"the model gives trees without gaps, so there cannot be {one.describe(tokens)}"
            )
    for one in constraints.forbidden:
        if wrapper is not None and one.mask == everything and one.label in (None, wrapper):
            raise ConstraintError(
                f"every tree of the model has {wrapper or 'a node without a label'} at the top: "
                f"not {one.describe(tokens)}"
            )


def _between(mask: int) -> int:
    """Return the words from the first to the last word of a yield."""
    return (1 << mask.bit_length()) - (mask & -mask)
