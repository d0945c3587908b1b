"""The jobs that review each pull request or merge request: texts of their files for a project (docs/review.md).

They run for the event `pull_request`, and never with the rights of the target's repository on the code of a fork. Only
the step that posts the comment has the token.
"""

from __future__ import annotations

import re
from hashlib import sha256
from string import Template

from plait.base.errors import UsageError

# The path of the file, by service.
FILES = {"github": ".github/workflows/plait-review.yml", "gitlab": ".gitlab/plait-review.yml"}
# The path of the action in plait's repository.
ACTION = ".github/actions/review"
# These may stand in YAML, a shell and expressions of both services without being anything but themselves.
_SAFE = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.+:/@=-]*")
_MARK = re.compile(rb"# plait ci init: ([0-9a-f]{16})\n")

_GITHUB = Template("""\
# Reviews each pull request in one comment: docs/review.md of plait.
# "pull_request", never "pull_request_target": a fork's change gets no secrets and a token that may only read, so its
# review is in the summary of the job, not in a comment.
name: plait review
on:
  pull_request:
permissions: {}
concurrency:
  group: plait-review-$${{ github.event.pull_request.number }}
  cancel-in-progress: true
jobs:
  review:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write
    steps:
    - uses: actions/checkout@v4
      with:
        fetch-depth: 0 # the review reads both sides from the history
        persist-credentials: false
    - uses: actions/setup-python@v5
      with:
        python-version: "3.13"
    - uses: $action
      with:
        project: "$project"
        token: $${{ github.token }}
""")

_GITLAB = Template("""\
# Reviews each merge request in one comment: docs/review.md of plait. In .gitlab-ci.yml:
#   include: [{local: $file}]
# The comment needs the variable PLAIT_GITLAB_TOKEN: a project access token with the scope api, masked, and limited to
# the environment plait-review, so that no other job has it. Pipelines of forks have neither it nor the second job.
.plait:
  image: python:3.13
  interruptible: true # a newer commit ends the pipeline of an older one
  rules:
  - if: $$CI_PIPELINE_SOURCE == "merge_request_event"
  before_script:
  - python3 -I -m venv /tmp/plait
  - /tmp/plait/bin/python -I -m pip install -q "$plait"
plait-review:
  extends: .plait
  stage: test
  variables:
    GIT_DEPTH: "0" # the review reads both sides from the history
    PLAIT_FAIL_ON: "" # consequences that fail this job: names, or error, warning or note for all of at least this severity
    PLAIT_TRUST: "false" # "true" grants both sides the accesses that the project file of the base asks for
  script:
  - |
    set -- --project "$project" -o markdown
    if [ -n "$$PLAIT_FAIL_ON" ]; then set -- "$$@" --fail-on="$$PLAIT_FAIL_ON"; fi
    if [ "$$PLAIT_TRUST" = true ]; then set -- "$$@" --trust; fi
    /tmp/plait/bin/plait review "$$@" -- "$$CI_MERGE_REQUEST_DIFF_BASE_SHA...$$CI_COMMIT_SHA" > plait-review.md
  artifacts:
    when: always # a review that fails the job is shown as well
    paths: [plait-review.md]
    expose_as: plait review
    expire_in: 1 week
plait-comment:
  extends: .plait
  stage: test
  resource_group: plait-review-$$CI_MERGE_REQUEST_IID # two pipelines would both find no comment, and write two
  needs: [plait-review]
  rules:
  - if: $$CI_PIPELINE_SOURCE == "merge_request_event" && $$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $$CI_MERGE_REQUEST_PROJECT_ID
    when: always
  environment:
    name: plait-review
    action: access
  script:
  - test -s plait-review.md # empty if there was no review
  - /tmp/plait/bin/plait ci comment gitlab --name "$project" plait-review.md
""")


def text_of(service: str, project: str, plait: str) -> str:
    """The text of the file, with a mark by which a later call recognizes it.

    service: "github" or "gitlab". project: path of the project file from the top of the repository. plait: the
    directory of plait's repository in this one, or an address: OWNER/REPOSITORY@COMMIT for GitHub, a requirement of pip
    for GitLab. Raises UsageError for text that would be more than a path there.
    """
    check("path of the project file", project)
    check("value of --plait", plait)
    where = plait if file_of(service, plait) is None else f"./{plait}"
    if service == "github":
        place, at, commit = where.partition("@")
        body = _GITHUB.substitute(action=f"{place}/{ACTION}{at}{commit}", project=project)
    else:
        body = _GITLAB.substitute(plait=where, project=project, file=FILES["gitlab"])
    return f"# plait ci init: {_digest(body.encode())}\n{body}"


def file_of(service: str, plait: str) -> str | None:
    """The file of this repository that a job needs, by its path; None if plait is installed from another place."""
    if "@" in plait or (service == "gitlab" and "=" in plait):
        return None
    return f"{plait}/{ACTION}/action.yml" if service == "github" else f"{plait}/pyproject.toml"


def check(noun: str, value: str) -> None:
    """Raises UsageError for a value that could be code in a job, or could end the mark of a comment."""
    if not _SAFE.fullmatch(value) or "--" in value:
        raise UsageError(
            f"the {noun} cannot be used in a job",
            expected="letters, digits and . _ + : / @ = -",
            found=value,
            code="invalid-value",
        )


def is_own(data: bytes) -> bool:
    """True for an unedited file of `text_of`."""
    found = _MARK.match(data)
    return found is not None and found[1].decode() == _digest(data[found.end() :])


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]
