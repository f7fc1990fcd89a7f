"""How results are shown: pictures, pages."""
