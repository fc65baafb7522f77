"""What is judged: cases, the clauses they defend, features, versions and expected verdicts."""
