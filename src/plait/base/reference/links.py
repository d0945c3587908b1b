"""Messages about symbolic links in ytt's words."""

from __future__ import annotations

import os


def not_allowed(link: str) -> str:
    """Ytt's message for a link whose target is not allowed."""
    return (
        f"Checking symlink file '{link}': Expected symlink file '{link}' -> '{_end(link)}' to be allowed, but was not "
        "(hint: symlinks are disallowed as a security feature, use '--allow-symlink-destination' flags to override)"
    )


def _end(path: str) -> str:
    """The target of a path through links, as ytt spells it: relative, unless it or a link in it is absolute."""
    done, rest = "", [path]
    while rest:
        first, _, more = rest.pop().partition(os.sep)
        if more:
            rest.append(more)
        if not first:
            done = done or os.sep
            continue
        place = os.path.normpath(os.path.join(done, first))
        if not os.path.islink(place):
            done = place
            continue
        target = os.readlink(place)
        done = os.sep if os.path.isabs(target) else done
        rest.append(target.lstrip(os.sep))
    return done
