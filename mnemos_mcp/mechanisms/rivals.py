"""Names that take each other's place: a project has one of a row, so naming another under a change phrase replaces it.

General knowledge of the trade, from no test set. A name stands in one row only where its rows would mislead (Redis is a cache here, never a
rival of Postgres); what is usually used side by side (Python and Go, Linux and macOS) is no row at all.
"""

from __future__ import annotations

ROWS: dict[str, str] = {
    "javascript package manager": "npm yarn pnpm bun",
    "python package manager": "pip poetry uv pipenv conda pdm hatch rye",
    "frontend framework": "react vue svelte angular solid solidjs preact ember",
    "meta framework": "next.js nextjs nuxt sveltekit remix gatsby astro",
    "javascript test runner": "jest vitest mocha jasmine ava karma",
    "python test runner": "pytest unittest nose nose2",
    "browser test tool": "cypress playwright selenium puppeteer webdriverio",
    "bundler": "webpack vite rollup parcel esbuild turbopack rspack",
    "javascript linter": "eslint tslint biome oxlint",
    "python linter": "flake8 pylint ruff",
    "python formatter": "black yapf autopep8",
    "python web framework": "django flask fastapi starlette bottle pyramid falcon",
    "node web framework": "express fastify koa hapi nestjs hono",
    "sql database": "postgres postgresql mysql mariadb sqlite oracle cockroachdb mssql",
    "document database": "mongodb couchdb couchbase dynamodb firestore",
    "cache": "redis memcached valkey dragonfly keydb",
    "postgres driver": "psycopg2 psycopg asyncpg pg8000",
    "orm": "sqlalchemy peewee prisma typeorm sequelize drizzle knex mikroorm",
    "message broker": "rabbitmq kafka nats sqs activemq pulsar",
    "task queue": "celery rq dramatiq huey sidekiq",
    "web server": "nginx apache caddy traefik haproxy envoy",
    "ci service": "jenkins circleci travis buildkite teamcity drone",
    "code host": "github gitlab bitbucket gitea codeberg",
    "cloud": "aws azure gcp heroku digitalocean hetzner",
    "site host": "vercel netlify render railway fly.io",
    "container runtime": "docker podman containerd",
    "orchestrator": "kubernetes nomad swarm ecs",
    "infrastructure tool": "terraform pulumi cloudformation opentofu cdk",
    "java build tool": "maven gradle ant bazel",
    "css framework": "tailwind bootstrap bulma foundation",
    "state store": "redux mobx zustand recoil jotai",
    "api style": "rest graphql grpc soap trpc",
    "logger": "winston pino bunyan log4js",
    "error tracker": "sentry rollbar bugsnag airbrake",
    "tracker": "jira linear trello asana",
    "chat": "slack discord mattermost teams",
    "search engine": "elasticsearch opensearch solr meilisearch typesense algolia",
    "identity": "auth0 keycloak okta cognito clerk",
    "editor": "vscode vim neovim emacs zed sublime",
}
KIND: dict[str, str] = {name: row for row, names in ROWS.items() for name in names.split()}
SPELLINGS: dict[str, str] = {"postgresql": "postgres", "solidjs": "solid", "nextjs": "next.js", "psycopg": "psycopg2"}
# Ordinary English words: a name only when written with a capital.
ORDINARY: frozenset[str] = frozenset("express render railway linear drone swarm fly ant oracle rest clerk teams solid remix parcel foundation slack ember "
                                     "bottle pyramid falcon black hatch rye nose travis sublime poetry flask envoy pulsar karma ava bun apache".split())


def kind_of(name: str, text: str = "") -> str:
    """The row of a folded name, '' if it has none. `text` decides whether an ordinary word is meant as a name."""
    name = SPELLINGS.get(name, name)
    if name in ORDINARY and text and name.capitalize() not in text and name.upper() not in text:
        return ""
    return KIND.get(name, "")
