"""Help for the interoperability tests: the program under test, the controllers it drives, and a central."""
