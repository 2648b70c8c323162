"""Why: from what is known about an instant or a run to one verdict. The room `words` says it in a language."""

from foliot.domain.why.explanation import explain_ahead, explain_instant, explain_run, explain_standing
from foliot.domain.why.facts import Explanation

__all__ = ["Explanation", "explain_ahead", "explain_instant", "explain_run", "explain_standing"]
