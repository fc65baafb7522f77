"""Reference controllers: small services that make gangs of a JobSet or LeaderWorkerSet where no released version does.

They are references, not products: each shows that a design can be built, so that its clauses can be judged. One
instance runs at a time. All state is in the API server: a controller that is killed at any moment reads that state
after its restart and continues (crash-only).

    client     requests, with objects as plain dictionaries
    cache      copies of the objects of the API server, updated by the official client's informers
    queue      the keys to reconcile, and when
    admission  webhooks over HTTPS, with the error format of Kubernetes
    service    runs the four for one controller
"""
