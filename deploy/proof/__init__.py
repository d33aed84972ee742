"""The parts of deploy/prove: the bench it works on, and one module for each subject of a proof."""
