"""The permutation paradigm (Domingo-Ferrer and Muralidhar 2016)."""
