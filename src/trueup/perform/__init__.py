"""PERFORM: the only place with side effects. Imports nothing by itself: `trueup check` needs a small part of it."""
