"""The environment of the programs that muster starts: a list of what is allowed, so that nothing else gets out.

A scheduler under test, a controller or a build script is foreign code. The shell or the CI job that runs muster has
cloud keys and tokens in its environment, and a variable that would send the traffic of a component elsewhere or name
another cluster. So a program gets the few variables that any program needs, and what its command sets.
"""

from __future__ import annotations

import os
from collections.abc import Collection

BASIC = frozenset({"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH"})
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"})
CERTIFICATES = frozenset({"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"})
GO = frozenset(
    {
        *("GOPROXY", "GOPRIVATE", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH", "NETRC"),
        *("GOMAXPROCS", "GOMEMLIMIT", "GOGC"),
        *("CC", "CXX", "CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH"),  # for components with cgo
    }
)


def component_environment() -> dict[str, str]:
    """What a program of a box gets of ours: no proxy, no other cluster, no credentials."""
    return _allowed(BASIC)


def download_environment() -> dict[str, str]:
    """What a program that fetches something gets: also the way out of this network."""
    return _allowed(BASIC | CERTIFICATES | PROXIES | {name.lower() for name in PROXIES})


def compiler_environment() -> dict[str, str]:
    """What a Go command gets: also where modules come from, and the C compiler. Nothing changes what is built."""
    return download_environment() | _allowed(GO)


def _allowed(names: Collection[str]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
