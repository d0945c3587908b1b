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


def _recreated(old: Data, new: Data) -> Iterator[str]:
    before, cells = _groups(old), (_stemcells(old), _stemcells(new))
    for name, group in _groups(new).items():
        if name not in before:
            continue
        fields = [
            key
            for key in ("vm_type", "vm_resources", "stemcell", "networks", "azs")
            if at(before[name], key) != at(group, key)
        ]
        alias = at(group, "stemcell")
        if "stemcell" not in fields and isinstance(alias, str) and cells[0].get(alias) != cells[1].get(alias):
            fields.append("stemcell")
        if fields:
            yield f"{name} ({', '.join(fields)})"


def _disks(old: Data, new: Data) -> Iterator[str]:
    before = _groups(old)
    for name, group in _groups(new).items():
        for key in ("persistent_disk", "persistent_disk_type", "persistent_disk_pool"):
            was = at(before.get(name), key)
            if was is not None and was != at(group, key):
                yield str(name)
                break


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


def _instances_zero(old: Data, new: Data) -> Iterator[str]:
    after = _groups(new)
    for name, group in _groups(old).items():
        was, now = at(group, "instances"), at(after.get(name), "instances")
        if isinstance(was, int) and was > 0 and new is not None and (name not in after or now == 0):
            yield str(name)


def _releases(old: Data, new: Data) -> Iterator[str]:
    before = named(at(old, "releases"))
    for name, release in named(at(new, "releases")).items():
        was, now = at(before.get(name), "version"), at(release, "version")
        if name in before and was != now:
            yield f"{name} {was} → {now}"


# Manifests have no kind.
BOSH = frozenset({""})

RULES: Sequence[Rule] = (
    Rule("persistent-disk-changed", ERROR, BOSH, "1 instance group gets another persistent disk",
         "{} instance groups get other persistent disks", "persistent_disk changed", _disks, "persistent_disk"),
    Rule("instances-zero", ERROR, BOSH, "1 instance group loses all instances",
         "{} instance groups lose all instances", "instances set to 0, or the group removed", _instances_zero, "instances"),
    Rule("instances-recreated", WARNING, BOSH, "1 instance group is recreated", "{} instance groups are recreated",
         "vm_type, stemcell, networks or azs changed", _recreated),
    Rule("job-moved", WARNING, BOSH, "1 job moves to another instance group",
         "{} jobs move to another instance group", "job moved", _jobs_moved),
    Rule("release-version-changed", NOTE, BOSH, "1 release has another version",
         "{} releases have other versions", "release version changed", _releases, "releases"),
)  # fmt: skip
