"""Amounts in words of people: minor units as decimals."""


def format_amount(amount: int, exponent: int) -> str:
    """`amount` minor units with exactly `exponent` decimals: 1208 with 2 is `12.08`, −5 is `-0.05`, 7 with 0 is `7`."""
    digits = f"{abs(amount):0{exponent + 1}d}"
    whole = len(digits) - exponent
    text = f"{digits[:whole]}.{digits[whole:]}" if exponent else digits
    return f"-{text}" if amount < 0 else text
