"""What every other part shares: base models, the ruling, refusals, suggestions."""
