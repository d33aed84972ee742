"""What all other parts share: base models, published shapes, refusals and problems, suggestions."""
