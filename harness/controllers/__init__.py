"""Reference controllers: small services that turn a JobSet or LeaderWorkerSet into gangs where no release does.

They are references, not products: each shows that a design can be built, so that its clauses can be judged. One
instance runs at a time. Everything a controller knows is in the API server; killed at any moment, it looks at what is
there and goes on (crash-only).

    client     requests, with objects as plain dictionaries
    cache      what the API server has, kept by the official client's informers
    queue      which keys are to be looked at, and when
    admission  webhooks over HTTPS, with errors worded as Kubernetes words them
    service    runs the four for one controller
"""
