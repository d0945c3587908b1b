"""Values that nobody else is to see: where they come from (`sources`), and how a run says nothing of them (`hiding`).

The mark of a secret is its source: positions in a private one are not quoted, and `Trace.secrets` names it for whatever
tells histories. What a run says beside its result is held against what it says with other secrets.
"""

from __future__ import annotations

# What is shown in the place of a secret.
HIDDEN = "(secret)"

# The flags that bring values which are for nobody else.
FLAGS = frozenset({"vars-store", "secrets", "secrets-file", "cleartext-secrets"})
