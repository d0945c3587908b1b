"""Rules for consequences: images of containers, in Kubernetes workloads and in charts of Armada."""

from __future__ import annotations

import re

from plait.review.rules import NOTE, WARNING, Rule, at, is_on_both, kind_of, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.review.rules import Data

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")
CHART = "armada/Chart/v1"
_CONTAINERS = ("initContainers", "containers")
_DIGEST = re.compile("(sha256:[0-9a-f]{8})[0-9a-f]{56}")
# Such as v1.2, latest-5_6_4.
_MAJOR = re.compile("(?:[a-z]+[-_])*v?([0-9]{1,9})[._]")
_MOVING = ("latest", "master", "main")


def pod_of(data: Data) -> Data:
    """The specification of the pods of a workload."""
    if kind_of(data) == "Pod":
        return at(data, "spec")
    if kind_of(data) == "CronJob":
        return at(data, "spec", "jobTemplate", "spec", "template", "spec")
    return at(data, "spec", "template", "spec")


class _Image:
    """The parts of an image: its repository, its tag or "", and its digest or ""."""

    __slots__ = ("digest", "repository", "tag")

    def __init__(self, text: str) -> None:
        name, _, self.digest = text.partition("@")
        path, slash, last = name.rpartition("/")
        last, _, self.tag = last.partition(":")
        self.repository = path + slash + last

    @property
    def is_fixed(self) -> bool:
        """True if the image is always the same one."""
        return bool(self.digest) or (bool(self.tag) and not self.tag.startswith(_MOVING))

    @property
    def major(self) -> str:
        match = _MAJOR.match(self.tag)
        return match[1] if match else ""


def _changed(old: Data, new: Data) -> Iterator[tuple[str, str, str]]:
    """The images that changed, by the name of their container or chart value: before and after."""
    if not is_on_both(old, new):
        return
    if kind_of(new) == CHART:
        path = ("data", "values", "images", "tags")
        sides = [(_texts(at(old, *path)), _texts(at(new, *path)))]
    else:
        sides = [(_images(at(pod_of(old), part)), _images(at(pod_of(new), part))) for part in _CONTAINERS]
    for before, after in sides:
        for name, now in after.items():
            was = before.get(name, now)
            if was != now:
                yield name, was, now


def _images(containers: Data) -> dict[str, str]:
    return _texts({name: at(one, "image") for name, one in named(containers).items()})


def _texts(data: Data) -> dict[str, str]:
    return {str(key): text for key, text in data.items() if isinstance(text, str)} if isinstance(data, dict) else {}


def _shown(name: str, was: str, now: str) -> str:
    same = bool(_Image(was).digest) and _Image(was).digest == _Image(now).digest
    return _DIGEST.sub(r"\1…", f"{name}: {was} → {now}") + (", the same digest" if same else "")


def images_changed(old: Data, new: Data) -> Iterator[str]:
    yield from (_shown(*one) for one in _changed(old, new))


def _majors(old: Data, new: Data) -> Iterator[str]:
    for name, was, now in _changed(old, new):
        before, after = _Image(was), _Image(now)
        names = [one.repository.rpartition("/")[2] for one in (before, after)]
        # Such as elasticsearch and elasticsearch-oss.
        is_same = names[0].startswith(names[1]) or names[1].startswith(names[0])
        if is_same and before.major and after.major and int(before.major) != int(after.major):
            yield f"{name}: {before.tag} → {after.tag}"


def _unpinned(old: Data, new: Data) -> Iterator[str]:
    for one in _changed(old, new):
        if _Image(one[1]).is_fixed and not _Image(one[2]).is_fixed:
            yield _shown(*one)


_PODS = (*WORKLOADS, "Job", "CronJob", "Pod")
_KINDS = (*_PODS, CHART)

RULES: Sequence[Rule] = (
    Rule("image-major-version", WARNING, _KINDS, "1 document has an image of another major version",
         "{} documents have images of other major versions", "first number of the tag changed", _majors, "image"),
    Rule("image-unpinned", WARNING, _KINDS, "1 document has an image that is no longer fixed",
         "{} documents have images that are no longer fixed", "neither a digest nor the tag of a version", _unpinned, "image"),
    Rule("image-changed", NOTE, _PODS, "1 workload has a different image", "{} workloads have different images",
         "image changed", images_changed, "image"),
)  # fmt: skip
