"""People judge stored outputs without knowing who wrote them: blind units, orders, answers, and agreement."""
