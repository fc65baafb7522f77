"""The language that cases are written in: declare a case, shape the cluster, submit gangs, ask for verdicts."""
