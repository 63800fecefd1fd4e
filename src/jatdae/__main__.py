"""`python -m jatdae`, and what `accelerate launch --module jatdae` starts."""

from jatdae.cli import main

if __name__ == "__main__":
    main()
