"""The pages made from the catalogue say what the catalogue says."""

from __future__ import annotations

from harness.cli.docs import main


def test_pages_are_up_to_date(capsys) -> None:
    code = main(["--check"])

    assert code == 0, capsys.readouterr().out
