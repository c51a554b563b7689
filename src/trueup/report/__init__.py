"""REPORT: what people and agents read. Facts come in as folded state; nothing here decides anything."""
