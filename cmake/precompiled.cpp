// Holds nothing: its target compiles the headers that the others reuse.
