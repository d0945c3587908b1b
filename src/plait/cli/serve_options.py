"""The options of `plait serve`."""

from __future__ import annotations

from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, SAFETY
from plait.engine.options import Heading, Request, switch, text, texts


class Serve(Request):
    """The command line of `plait serve`."""

    __slots__ = ()
    command = "serve"
    summary = "Store layered documents in revisions and serve them through Deckhand's HTTP API."
    usage = "[COMMAND]"
    commands = (
        ("new-token", "create a token for NAME with the roles of --role"),
        ("new-key", "create a key for the key file"),
        ("rotate", "re-encrypt the keys of all secrets with the first key"),
        ("documents", "print the files in DIRECTORY as documents"),
        ("export", "print all revisions"),
        ("import", "import revisions from FILE, written by export"),
        ("import-deckhand", "import the revisions of a Deckhand database, given by its URL"),
        ("prune", "delete all revisions that --keep does not select"),
        ("status", "print the size of the database, and if it accepts writes"),
    )
    is_long_running = True
    _1 = Heading("Server")
    database = text(
        "database",
        "database URL: sqlite:///FILE or postgresql://USER@HOST/NAME",
        value="URL",
        default=("sqlite:///plait.db",),
    )
    host = text("host", "address to listen on", value="ADDRESS", default=("127.0.0.1",))
    port = text("port", "port to listen on; 0 picks a free port", value="N", default=("9000",))
    address = text("address", "URL that clients use, if it differs from the listening address", value="URL")
    _2 = Heading("Access")
    tokens = text("tokens", "file with the accepted tokens", value="FILE")
    issuer = text("issuer", "accept signed tokens of this OpenID issuer (iss)", value="URL")
    issuer_keys = text(
        "issuer-keys",
        "file with the issuer's public keys as a JSON Web Key Set; without it they are fetched",
        value="FILE",
        requires=("issuer",),
    )
    audience = text(
        "audience",
        "required audience (aud) of signed tokens",
        value="NAME",
        default=("plait",),
        requires=("issuer",),
    )
    roles_claim = text(
        "roles-claim",
        "claim of signed tokens that lists the roles",
        value="CLAIM",
        default=("roles",),
        requires=("issuer",),
    )
    keystone = text(
        "keystone",
        "accept Keystone tokens; file with a [keystone_authtoken] section, such as deckhand.conf",
        value="FILE",
    )
    policy = text("policy", "file with the access policy: the roles allowed for each action", value="FILE")
    role = texts("role", "role of the token that new-token creates", value="NAME")
    _3 = Heading("Secrets")
    keys = text(
        "keys",
        "keys that encrypt document data: file:FILE, sops:FILE, dir:DIRECTORY or exec:COMMAND",
        value="SOURCE",
    )
    allow_exec = switch("allow-exec", "allow --keys to run a command")
    barbican = text(
        "barbican", "for import-deckhand: URL of the Barbican service with the data of encrypted documents", value="URL"
    )
    barbican_token = text(
        "barbican-token", "file with a Keystone token for Barbican", value="FILE", requires=("barbican",)
    )
    _4 = Heading("Webhooks and telemetry")
    webhook = texts("webhook", "URL to notify of each new revision", value="URL")
    webhook_key = text(
        "webhook-key", "file with the key that signs webhook requests", value="FILE", requires=("webhook",)
    )
    telemetry = switch("telemetry", "export traces and metrics as configured by the OTEL_* environment variables")
    log_format = text(
        "log-format",
        "format of log lines on standard error: text or json",
        value="FORMAT",
        default=("text",),
        choices=("text", "json"),
    )
    _5 = Heading("Retention")
    keep = texts(
        "keep",
        "keep these revisions and delete all others once an hour: last=COUNT, days=DAYS, tag=NAME or tag=*",
        value="RULE",
    )
    _6 = Heading("Rendering")
    like_deckhand = switch("like-deckhand", "produce exactly Deckhand's values and document order")
    _7 = Heading(SAFETY)
    max_body = text("max-body", "maximum size of a request in bytes", value="BYTES", default=("32M",))
    limit = LIMIT
    output_links = ALLOW_OUTPUT
    _8 = Heading(GENERAL)
    check = switch("check", "check all files, upgrade the database, and exit without serving")
