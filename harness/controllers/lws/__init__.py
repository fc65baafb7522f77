"""Reference gang providers of LeaderWorkerSet for schedulers that its release does not know (KEP-407)."""
