"""Whether models read the descriptions of their fields from their source, which the published schemas need.

Reading them takes as long as all the rest of an import. A command that only rolls turns it off before the models are made.
"""

from __future__ import annotations

WANTED = True
