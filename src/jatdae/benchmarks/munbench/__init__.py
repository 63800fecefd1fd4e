"""MunBench (문벤치): generated Korean, in three tracks: emotion, literary craft, nuance."""
