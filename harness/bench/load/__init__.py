"""Load on real schedulers: what is submitted, how it is measured, and in which order."""
