"""Rules for consequences: sections of BOSH manifests."""

from __future__ import annotations

from plait.review.rules import ERROR, NOTE, WARNING, Rule, at, items_of, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.review.rules import Data


def _groups(data: Data) -> dict[object, Data]:
    return named(at(data, "instance_groups"))


def _stemcells(data: Data) -> dict[object, Data]:
    return {alias: one for one in items_of(at(data, "stemcells")) if isinstance(alias := at(one, "alias"), str)}


# Changes of an instance group for which BOSH deletes and creates its virtual machines.
_RECREATING = ("vm_type", "vm_resources", "vm_extensions", "stemcell", "networks", "azs", "env")


def _recreated(old: Data, new: Data) -> Iterator[str]:
    yield from (f"{name} ({', '.join(fields)})" for name, fields in _recreating(old, new).items())


def _recreating(old: Data, new: Data) -> dict[object, list[str]]:
    """The groups that are recreated, with the fields that changed."""
    found: dict[object, list[str]] = {}
    cells = _stemcells(old), _stemcells(new)
    for name, (before, group) in _on_both(old, new).items():
        fields = [key for key in _RECREATING if at(before, key) != at(group, key)]
        alias = at(group, "stemcell")
        if "stemcell" not in fields and isinstance(alias, str) and cells[0].get(alias) != cells[1].get(alias):
            fields.append("stemcell")
        if fields:
            found[name] = fields
    return found


def _on_both(old: Data, new: Data) -> dict[object, tuple[Data, Data]]:
    before = _groups(old)
    return {name: (before[name], group) for name, group in _groups(new).items() if name in before}


def _updated(old: Data, new: Data) -> Iterator[str]:
    """Groups that stay, with the jobs that BOSH renders again. Errands do not run all the time."""
    versions = [{name: at(one, "version") for name, one in named(at(data, "releases")).items()} for data in (old, new)]
    shared = at(old, "properties") != at(new, "properties")
    recreated = _recreating(old, new)
    for name, (before, group) in _on_both(old, new).items():
        if at(group, "lifecycle") == "errand" or name in recreated:
            continue
        was, now = named(at(before, "jobs")), named(at(group, "jobs"))
        jobs = [str(job) for job in {**was, **now} if was.get(job) != now.get(job) or _is_other(versions, now.get(job))]
        if shared or at(before, "properties") != at(group, "properties"):
            jobs.append("properties of all jobs")
        if jobs:
            yield f"{name} ({', '.join(jobs)})"


def _is_other(versions: Sequence[dict[object, Data]], job: Data) -> bool:
    """True if the release of a job has another version."""
    release = at(job, "release")
    return isinstance(release, str) and versions[0].get(release) != versions[1].get(release)


_DISKS = ("persistent_disk", "persistent_disk_type", "persistent_disk_pool")


def _disks(old: Data, new: Data) -> Iterator[str]:
    for name, (before, group) in _on_both(old, new).items():
        if any(at(before, key) not in (None, at(group, key)) for key in _DISKS):
            yield str(name)


def _jobs_moved(old: Data, new: Data) -> Iterator[str]:
    def homes(data: Data) -> dict[object, set[object]]:
        found: dict[object, set[object]] = {}
        for name, group in _groups(data).items():
            for job in named(at(group, "jobs")):
                found.setdefault(job, set()).add(name)
        return found

    before, after = homes(old), homes(new)
    for job, groups in after.items():
        gone, come = before.get(job, set()) - groups, groups - before.get(job, set())
        if gone and come:
            yield f"{job}: {', '.join(sorted(map(str, gone)))} → {', '.join(sorted(map(str, come)))}"


def _fewer(old: Data, new: Data) -> Iterator[tuple[int, bool, str]]:
    """Groups that lose instances: the number that is left, whether they have persistent disks, and a text."""
    after = _groups(new)
    for name, group in _groups(old).items() if new is not None else ():
        was, now = at(group, "instances"), at(after.get(name), "instances") if name in after else 0
        if isinstance(was, int) and isinstance(now, int) and now < was:
            has_disks = any(at(group, key) is not None for key in _DISKS)
            yield now, has_disks, f"{name}: {was} → {now if name in after else 'removed'}"


def _instances_zero(old: Data, new: Data) -> Iterator[str]:
    for left, has_disks, text in _fewer(old, new):
        if not left:
            yield f"{text}, with persistent disks" if has_disks else text


def _disks_orphaned(old: Data, new: Data) -> Iterator[str]:
    yield from (text for left, has_disks, text in _fewer(old, new) if left and has_disks)


def _instances_fewer(old: Data, new: Data) -> Iterator[str]:
    yield from (text for left, has_disks, text in _fewer(old, new) if left and not has_disks)


def _releases(old: Data, new: Data) -> Iterator[str]:
    before = named(at(old, "releases"))
    for name, release in named(at(new, "releases")).items():
        was, now = at(before.get(name), "version"), at(release, "version")
        if name in before and was != now:
            yield f"{name} {was} → {now}"


# Manifests have no kind.
BOSH = frozenset({""})

RULES: Sequence[Rule] = (
    Rule("persistent-disk-changed", ERROR, BOSH, "1 instance group gets a different persistent disk",
         "{} instance groups get different persistent disks", "persistent_disk changed", _disks, "persistent_disk"),
    Rule("instances-zero", ERROR, BOSH, "1 instance group loses all instances",
         "{} instance groups lose all instances", "instances set to 0, or the group removed", _instances_zero, "instances"),
    Rule("persistent-disks-orphaned", ERROR, BOSH, "1 instance group with persistent disks loses instances",
         "{} instance groups with persistent disks lose instances", "their disks are orphaned", _disks_orphaned, "instances"),
    Rule("instances-recreated", WARNING, BOSH, "1 instance group is recreated", "{} instance groups are recreated",
         "vm_type, stemcell, networks, azs or env changed", _recreated),
    Rule("instances-updated", WARNING, BOSH, "1 instance group is updated", "{} instance groups are updated",
         "jobs, properties or releases changed: BOSH restarts the jobs", _updated),
    Rule("instances-fewer", WARNING, BOSH, "1 instance group loses instances", "{} instance groups lose instances",
         "fewer instances", _instances_fewer, "instances"),
    Rule("job-moved", WARNING, BOSH, "1 job moves to another instance group",
         "{} jobs move to another instance group", "job moved", _jobs_moved),
    Rule("release-version-changed", NOTE, BOSH, "1 release has a different version",
         "{} releases have different versions", "release version changed", _releases, "releases"),
)  # fmt: skip
