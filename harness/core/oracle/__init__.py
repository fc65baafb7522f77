"""The judge: one replay of a history, the checks that read it, and the words in which a verdict is explained."""
