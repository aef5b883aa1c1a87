"""One SQLite file: layout, search and rows. All SQL of the project stands in this folder."""
