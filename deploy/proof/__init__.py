"""What deploy/prove is made of: the bench it works on, and one module for each thing that is proved."""
