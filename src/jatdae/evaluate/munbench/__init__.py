"""MunBench from end to end: generate, judge, rate. Every stage can be called without the command line.

Answers live in the store inside the results folder; the JSON lines beside it are views of it, written whole. So a
killed run loses nothing that was answered, and the same command asks only for what is missing.
"""
