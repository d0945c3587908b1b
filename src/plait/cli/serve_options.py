"""The options of `plait serve`."""

from __future__ import annotations

from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, SAFETY
from plait.engine.options import Heading, Request, switch, text, texts


class Serve(Request):
    """The command line of `plait serve`."""

    __slots__ = ()
    command = "serve"
    summary = "Keep layered documents in revisions, and serve them over HTTP as Deckhand does."
    usage = "[COMMAND]"
    commands = (
        ("new-token", "create a token for NAME with the roles of --role"),
        ("new-key", "print a key for the file of keys"),
        ("rotate", "wrap all secrets by the first key"),
        ("documents", "print the files of DIRECTORY as documents"),
        ("export", "print all revisions"),
        ("import", "take up the revisions of FILE, which export printed"),
        ("import-deckhand", "take up the revisions of a database of Deckhand, by its URL"),
        ("prune", "remove all revisions that no rule of --keep keeps"),
        ("status", "print what the database has, and if it accepts writes"),
    )
    is_long_running = True
    _1 = Heading("Where")
    database = text(
        "database",
        "where documents are kept: sqlite:///FILE, or postgresql://USER@HOST/NAME",
        value="URL",
        default=("sqlite:///plait.db",),
    )
    host = text("host", "the address to listen on", value="ADDRESS", default=("127.0.0.1",))
    port = text("port", "the port to listen on; 0 takes one that is free", value="N", default=("9000",))
    address = text("address", "where clients find the service, if that is not where it listens", value="URL")
    _2 = Heading("Who may do what")
    tokens = text("tokens", "a file with the tokens that are taken", value="FILE")
    issuer = text(
        "issuer", "who else issues tokens, an OpenID provider: what signed ones must name as iss", value="URL"
    )
    issuer_keys = text(
        "issuer-keys",
        "a file with the issuer's public keys, a JSON Web Key Set, instead of fetching them",
        value="FILE",
    )
    audience = text("audience", "what signed tokens must name as aud", value="NAME", default=("plait",))
    roles_claim = text("roles-claim", "where signed tokens list roles", value="CLAIM", default=("roles",))
    keystone = text(
        "keystone", "a file with [keystone_authtoken], such as deckhand.conf: Keystone issues tokens", value="FILE"
    )
    policy = text("policy", "a file with the roles of each action", value="FILE")
    role = texts("role", "a role of the token that new-token creates", value="NAME")
    _3 = Heading("Secrets")
    keys = text(
        "keys",
        "keys for the data of encrypted documents: file:FILE, sops:FILE, dir:DIRECTORY or exec:COMMAND",
        value="SOURCE",
    )
    allow_exec = switch("allow-exec", "let --keys run a command")
    barbican = text("barbican", "of import-deckhand: where the data of encrypted documents are", value="URL")
    barbican_token = text("barbican-token", "a file with a token of Keystone for Barbican", value="FILE")
    _4 = Heading("Who is told")
    webhook = texts("webhook", "a URL that is told of each new revision", value="URL")
    webhook_key = text("webhook-key", "a file with the key that signs what webhooks are told", value="FILE")
    telemetry = switch("telemetry", "send traces and metrics to where the variables OTEL_... say")
    log_format = text(
        "log-format",
        "the form of log lines on standard error",
        value="FORM",
        default=("text",),
        choices=("text", "json"),
    )
    _5 = Heading("Retention")
    keep = texts(
        "keep",
        "keep these revisions and remove all others once an hour: last=COUNT, days=DAYS, tag=NAME or tag=*",
        value="RULE",
    )
    _6 = Heading("Rendering")
    like_deckhand = switch("like-deckhand", "render every value, and the order of documents, as Deckhand does")
    _7 = Heading(SAFETY)
    max_body = text("max-body", "bytes that a request may have", value="BYTES", default=("32M",))
    limit = LIMIT
    output_links = ALLOW_OUTPUT
    _8 = Heading(GENERAL)
    check = switch("check", "read all files, bring the database up to date, and serve nothing")
