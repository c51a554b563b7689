"""How does another program read what the checks said? One file per format, each a pure function to text."""
