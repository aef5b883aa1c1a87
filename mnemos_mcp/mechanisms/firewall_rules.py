"""The firewall's table of vendor key forms: what a key looks like by itself, whatever stands around it.

Prefixes and lengths follow the vendors' documentation as of 2026; rule names follow gitleaks (MIT). Minimum lengths are
set below the real ones, because a key cut short is still most of a key. Every pattern is open at its end, so that no
tail stays behind, and each starts at a literal, so that the search is linear.
"""
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

SECRET_KINDS = ("private_key", "connection_string", "cloud_key", "access_token", "api_token", "credential")
PII_KINDS = ("iban", "payment_card", "national_id", "phone", "email")


@dataclass(frozen=True)
class Finding:
    """One caught value: `text[start:end]`, its contract kind, and the rule that caught it (never the value)."""

    kind: str
    start: int
    end: int
    rule: str


@dataclass(frozen=True)
class Rule:
    """A vendor form. `keyword` is the cheap test; `lead` is how many characters before the match belong to the key."""

    kind: str
    name: str
    keyword: str
    pattern: str
    lead: int = 0


# Bodies: A letters and digits, W also _ and -, D also the dot, H hex, B base64, U as it stands in a URL.
_BODY = {"A": "[A-Za-z0-9]", "W": "[A-Za-z0-9_-]", "D": "[A-Za-z0-9_.=-]", "H": "[A-Fa-f0-9]", "B": "[A-Za-z0-9+/=_-]",
         "U": "[A-Za-z0-9_.%+/=-]"}

# kind, name, prefixes, body, least length of the body
_PREFIXED = """
api_token    openai          sk-proj- sk-svcacct- sk-admin- sk-None-              W 20
api_token    anthropic       sk-ant-                                              W 16
api_token    openrouter      sk-or-                                               W 20
api_token    langfuse        sk-lf-                                               W 20
api_token    groq            gsk_                                                 A 20
api_token    xai             xai-                                                 A 30
api_token    perplexity      pplx-                                                A 20
api_token    replicate       r8_                                                  A 30
api_token    fireworks       fw_                                                  A 20
api_token    together        tgp_v1_                                              W 30
api_token    pinecone        pcsk_                                                W 30
api_token    langsmith       lsv2_pt_ lsv2_sk_                                    W 30
api_token    wandb           wandb_v1_                                            W 30
api_token    nvidia          nvapi-                                               W 30
api_token    cerebras        csk-                                                 A 30
api_token    tavily          tvly-                                                W 20
api_token    firecrawl       fc-                                                  H 32
api_token    jina            jina_                                                W 40
api_token    e2b             e2b_                                                 H 32
api_token    apify           apify_api_                                           A 20
api_token    runpod          rpa_                                                 A 32
api_token    mem0            m0-                                                  A 32
api_token    context7        ctx7sk-                                              W 16
api_token    cursor          key_                                                 H 60
api_token    elevenlabs      sk_                                                  H 40
access_token huggingface     hf_ api_org_                                         A 24
access_token github          ghp_ gho_ ghu_ ghs_ ghr_                             D 30
access_token github-pat      github_pat_                                          W 22
access_token gitlab          glpat- gldt- glptt- glrt- glrtr- glcbt- glft- glsoat- glimt- glagent- gloas- glffct- glwt- D 16
access_token gitlab-runner   GR1348941                                            W 16
access_token slack           xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xoxc- xoxd- xapp- U 10
access_token npm             npm_                                                 A 30
access_token pypi            pypi-                                                W 40
access_token docker          dckr_pat_ dckr_oat_                                  W 16
access_token vault           hvs. hvb. hvr.                                       W 20
access_token tailscale       tskey-                                               W 16
access_token openshift       sha256~                                              W 40
access_token google-oauth    ya29.                                                D 20
access_token square          sq0atp- sq0csp-                                      W 20
access_token square-token    EAAA                                                 W 50
access_token facebook        EAAM EAAC EAAB EAAG EAAD EAAJ                        A 80
access_token plaid           access-sandbox- access-development- access-production- W 20
access_token linear          lin_api_ lin_oauth_ lin_wh_                          A 20
access_token hubspot         pat-na1- pat-na2- pat-eu1-                           W 30
access_token databricks      dapi dkea dsapi                                      H 30
access_token prefect         pnu_ pnb_                                            A 30
access_token pulumi          pul-                                                 H 32
access_token circleci        CCIPAT_ CCIPRJ_                                      W 30
access_token buildkite       bkua_ bkaj_                                          H 30
access_token sonar           sqp_ sqa_ squ_                                       H 32
access_token sourcegraph     sgp_ slk_                                            W 40
access_token jfrog           AKCp cmVmd                                           A 50
api_token    rubygems        rubygems_                                            H 32
api_token    crates          cio                                                  A 32
api_token    nuget           oy2                                                  A 43
api_token    clojars         CLOJARS_                                             A 40
cloud_key    google-api      AIza                                                 W 30
cloud_key    google-gemini   AQ.Ab                                                W 30
cloud_key    google-client   GOCSPX-                                              W 20
cloud_key    aws-bedrock     ABSK                                                 B 60
cloud_key    aws-bedrock-short bedrock-api-key-                                   B 30
cloud_key    digitalocean    dop_v1_ doo_v1_ dor_v1_                              H 32
cloud_key    cloudflare      cfk_ cfut_ cfat_                                     A 30
cloud_key    cloudflare-ca   v1.0-                                                W 100
cloud_key    alibaba         LTAI                                                 A 16
cloud_key    tencent         AKID                                                 A 28
cloud_key    heroku          HRKU-                                                W 30
cloud_key    vercel          vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_             W 20
cloud_key    netlify         nfp_ nfc_ nfo_ nfu_ nfb_                             A 20
cloud_key    fly             fo1_ fm1r_ fm1a_ fm2_                                B 30
cloud_key    render          rnd_                                                 A 20
cloud_key    supabase        sbp_ sb_secret_                                      W 20
cloud_key    neon            napi_                                                A 40
cloud_key    planetscale     pscale_tkn_ pscale_oauth_ pscale_pw_                 D 24
cloud_key    scalingo        tk-us-                                               W 40
cloud_key    confluent       cflt                                                 B 56
api_token    stripe          sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ W 10
api_token    stripe-webhook  whsec_                                               B 20
api_token    sendgrid        SG.                                                  D 40
api_token    brevo           xkeysib- xsmtpsib-                                   W 40
api_token    mailersend      mlsn.                                                H 40
api_token    twilio          SK                                                   H 32
api_token    sentry          sntrys_ sntryu_                                      B 30
api_token    newrelic        NRAK- NRJS- NRII- NRRA- NRSP-                        W 16
api_token    grafana         glsa_ glc_ eyJrIjoi                                  B 30
api_token    dynatrace       dt0c01. dt0s16. dt0s02.                              D 30
api_token    honeycomb       hcaik_ hcalk_ hcxik_ hcbik_                          A 30
api_token    shopify         shpat_ shpca_ shppa_ shpss_ shptka_ shpua_           A 20
api_token    atlassian       ATATT3 ATCTT3 ATBB                                   D 20
api_token    notion          ntn_                                                 A 30
api_token    notion-old      secret_                                              A 40
api_token    postman         PMAK- PMAT-                                          W 20
api_token    figma           figd_ figo_ figu_                                    W 30
api_token    dropbox         sl.                                                  W 60
api_token    snyk            snyk_uat. snyk_sat.                                  D 30
api_token    doppler         dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.       D 24
api_token    1password       ops_eyJ                                              B 40
api_token    mapbox          sk.eyJ                                               D 30
api_token    shippo          shippo_live_ shippo_test_                            A 20
api_token    easypost        EZAK EZTK                                            A 50
api_token    duffel          duffel_live_ duffel_test_                            W 30
api_token    flutterwave     FLWSECK_TEST- FLWSECK-                               W 12
api_token    typeform        tfp_                                                 W 30
api_token    contentful      CFPAT-                                               W 30
api_token    readme          rdme_                                                A 50
api_token    frameio         fio-u-                                               W 50
api_token    infracost       ico-                                                 A 32
api_token    adobe           p8e-                                                 A 32
api_token    intercom        dG9rO                                                B 40
api_token    posthog         phx_ phs_                                            A 30
api_token    browserbase     bb_live_ bb_test_                                    W 16
api_token    stytch          secret-live- secret-test-                            W 30
api_token    twitter         AAAAAAAAAAAAAAAAAAAA                                 U 40
private_key  age             AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1                 A 40
"""

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Forms that are more than a prefix: kind, name, keyword, pattern, characters before the match that belong to the key.
# A pattern starts with its keyword; a look-behind with the keyword in it then costs nothing where the keyword is not.
_SHAPED = (
    ("api_token", "openai-plain", "sk-", r"sk-(?<![A-Za-z0-9]sk-)(?:[A-Za-z0-9]{32,}|(?=[\w-]{0,64}[0-9])(?=[\w-]{0,64}[A-Z])[\w-]{20,})", 0),
    ("cloud_key", "aws-key", "AKIA", r"AKIA(?<![A-Za-z0-9]AKIA)[A-Z0-9]{12,}(?![a-z])(?:[^\w\n][^\n]{0,40}?"
        r"(?<![\w/+])[\w/+]{40}(?![\w/+=]))?", 0),
    ("cloud_key", "aws-session-key", "ASIA", r"ASIA(?<![A-Za-z0-9]ASIA)(?=[A-Z]{0,20}[0-9])[A-Z0-9]{12,}(?![a-z])(?:[^\w\n][^\n]{0,40}?"
        r"(?<![\w/+])[\w/+]{40}(?![\w/+=]))?", 0),
    ("cloud_key", "google-refresh", "1//0", r"1//0[\w-]{30,}", 0),
    ("cloud_key", "azure-storage", "AccountKey=", r"AccountKey=[A-Za-z0-9+/%]{20,}={0,2}", 0),
    ("cloud_key", "azure-shared-key", "SharedAccessKey=", r"SharedAccessKey=[A-Za-z0-9+/%]{20,}={0,2}", 0),
    ("cloud_key", "azure-sas", "sig=", r"sig=(?<=[?&;]sig=)[A-Za-z0-9%+/=_-]{30,}", 0),
    ("cloud_key", "azure-client-secret", "Q~", r"Q~(?<=[\w~.]{3}\dQ~)[\w~.-]{28,}", 4),
    ("cloud_key", "azure-devops", "AZDO", r"AZDO(?<=[A-Za-z0-9]{40}AZDO)[A-Za-z0-9]{4,}", 80),
    ("cloud_key", "terraform", ".atlasv1.", r"\.atlasv1\.(?<=[A-Za-z0-9]{14}\.atlasv1\.)[\w=-]{30,}", 14),
    ("api_token", "mailgun", "key-", r"key-(?<![\w-]key-)[0-9a-f]{32,}", 0),
    ("api_token", "mailgun-new", "-", r"-(?<=(?<![0-9a-f-])[0-9a-f]{32}-)[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])", 32),
    ("api_token", "mailchimp", "-us", r"-us(?<=[0-9a-f]{32}-us)\d{1,2}(?!\w)", 32),
    ("api_token", "newrelic-license", "NRAL", r"NRAL(?<=[0-9a-f]{36}NRAL)(?!\w)", 36),
    ("api_token", "resend", "re_", r"re_(?<![A-Za-z0-9_]re_)(?=\w{0,30}\d)(?:[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}|[A-Za-z0-9]{24,})", 0),
    ("api_token", "airtable", "pat", r"pat(?<!\wpat)[A-Za-z0-9]{14}\.[0-9a-f]{40,}", 0),
    ("api_token", "harness", "at.", r"at\.(?<=(?<!\w)[ps]at\.)[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", 1),
    ("api_token", "asana", "1/", r"1/(?<![\w/]1/)\d{12,}(?:/\d+)?:[0-9a-f]{32,}", 0),
    ("api_token", "octopus", "API-", r"API-(?<!\wAPI-)[A-Z0-9]{26,}(?!\w)", 0),
    ("api_token", "launchdarkly", "sdk-", rf"sdk-{_UUID}", 0),
    ("api_token", "telegram", ":AA", r":AA(?<=\d{8}:AA)[\w-]{30,}", 11),
    ("access_token", "discord", ".", r"\.(?:(?<=(?<![\w-])[MNO][\w-]{23}\.)|(?<=(?<![\w-])[MNO][\w-]{25}\.))[\w-]{6}\.[\w-]{27,}", 28),
    ("access_token", "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}", 0),
    ("access_token", "discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{8,}/[\w-]{20,}", 0),
    ("access_token", "teams-webhook", "/IncomingWebhook/", r"/IncomingWebhook/[0-9a-f]{32}/[\w-]{36,}", 0),
    ("access_token", "google-chat-webhook", "chat.googleapis.com/", r"chat\.googleapis\.com/v1/spaces/[\w-]{5,}/messages\?[\w=&%-]{30,}", 0),
    ("access_token", "braintree", "access_token$", r"access_token\$(?:production|sandbox)\$[\w$]{20,}", 0),
    ("access_token", "jwt", "eyJ", r"eyJ(?<![A-Za-z0-9]eyJ)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}", 0),
    ("api_token", "1password-key", "A3-", r"A3-(?<!\wA3-)[A-Z0-9]{6}-[A-Z0-9]{5,11}-[A-Z0-9-]{15,}", 0),
    ("private_key", "rsa-body", "IBAAK", r"IBAAK(?<=MII[\w+/]{3}IBAAK)[\w+/=]{20,}", 6),
    ("private_key", "pkcs8-body", "IBADAN", r"IBADAN(?<=MII[\w+/]{3}IBADAN)[\w+/=]{20,}", 6),
    ("private_key", "openssh-body", "b3BlbnNzaC1rZXktdjE", r"b3BlbnNzaC1rZXktdjE[\w+/=]{20,}", 0),
    ("private_key", "ec-body", "MHcCAQEE", r"MHcCAQEE[\w+/=]{30,}", 0),
    ("private_key", "ed25519-body", "MC4CAQAwBQYDK2Vw", r"MC4CAQAwBQYDK2Vw[\w+/=]{20,}", 0),
)

# A vendor nobody listed: acme_live_<random>, acme_sk_<random>.
_INFIXES = ("_live_", "_prod_", "_secret_", "_sk_", "_pat_", "_key_", "_token_", "_api_", "_apikey_")

_DENSE = re.compile(r"[^\s\"'`<>]{14,}")
_LEAD = re.compile(r"[A-Za-z0-9_.~-]*\Z")
# Written for the reader, not for the service.
_PLACEHOLDER = re.compile(r"your[-_]?(?:api|key|token|secret|own|new|open|pass|access)|example|placeholder|redacted|[-_]here\b|EXAMPLE|"
    r"(?<![xX])[xX]{8,39}$|\.\.\.")


def _prefixed(row: str) -> Iterator[Rule]:
    kind, name, *prefixes, body, least = row.split()
    for prefix in prefixes:
        literal = re.escape(prefix)
        # A long prefix with punctuation is a sign by itself; a short one must begin a word ("task-", "half_").
        glued = len(prefix) >= 4 and not prefix[-1].isalnum()
        begins = "" if glued else f"(?<![A-Za-z0-9_]{literal})"
        yield Rule(kind, name, prefix, f"{literal}{begins}{_BODY[body]}{{{least},}}")


def _rules() -> Iterator[Rule]:
    for row in _PREFIXED.strip().splitlines():
        yield from _prefixed(row)
    for kind, name, keyword, pattern, lead in _SHAPED:
        yield Rule(kind, name, keyword, pattern, lead)
    for infix in _INFIXES:
        pattern = rf"{infix}(?<=[A-Za-z0-9]{infix})(?=[A-Za-z]{{0,40}}[0-9])(?=[0-9]{{0,40}}[A-Za-z])[A-Za-z0-9]{{20,}}"
        yield Rule("api_token", "vendor-like", infix, pattern, 12)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: a hook that meets no key pays for none of the table."""
    return re.compile(pattern, re.ASCII)


RULES: tuple[Rule, ...] = tuple(_rules())


def worded(body: str) -> bool:
    """True when `body` is plain words joined by - or _ (a CSS class, a file name), which no key is."""
    parts = [part for part in re.split("[-_.]", body) if part]
    return len(parts) > 2 and all(part.isalpha() and len(part) < 15 and (part.islower() or part.isupper()) for part in parts)


def vendor_findings(text: str) -> Iterator[Finding]:
    """Every vendor key form in `text`, as spans of `text`; overlaps are left to the caller."""
    # No key is shorter than this or has a space: most of a text is never searched.
    dense = "\n".join(_DENSE.findall(text))
    for rule in RULES:
        if rule.keyword not in dense:
            continue
        for match in _compiled(rule.pattern).finditer(text):
            start, end = match.span()
            if rule.lead:
                lead = _LEAD.search(text, max(0, start - rule.lead), start)
                start = lead.start() if lead else start
            value = text[start:end].rstrip(".=")
            if not (_PLACEHOLDER.search(value) or worded(value)):
                yield Finding(rule.kind, start, end - (text[end - 1] == "."), rule.name)
