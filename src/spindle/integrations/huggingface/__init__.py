"""Models on the Hugging Face Hub: `spindle.load("hf://owner/name")` and `parser.push_to_hub("owner/name")`.

Of a repository only the model file is read. It contains data and no code. huggingface_hub is an optional
dependency, imported when it is needed.
"""

from spindle.integrations.huggingface.card import hub_card
from spindle.integrations.huggingface.download import fetch
from spindle.integrations.huggingface.upload import push

__all__ = ["fetch", "hub_card", "push"]
