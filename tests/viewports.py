"""Windows that pages are looked at in."""

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
