"""A box with one integration installed, emptied between cases."""
