"""Floats as exact fractions, for expected values: no host float arithmetic, so no double rounding to worry about.

A value is (sign, x): x is a Fraction >= 0, "inf" or "nan".
"""
from fractions import Fraction


class Format:
    def __init__(self, exponent_bits, fraction_bits):
        self.e, self.m = exponent_bits, fraction_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.width = 1 + exponent_bits + fraction_bits
        self.sign = 1 << (self.width - 1)
        self.inf = ((1 << exponent_bits) - 1) << fraction_bits
        self.quiet = 1 << (fraction_bits - 1)


F16, F32, F64, BF16 = Format(5, 10), Format(8, 23), Format(11, 52), Format(8, 7)


def unpack(fmt, bits):
    sign = bits >> (fmt.width - 1) & 1
    exponent = bits >> fmt.m & ((1 << fmt.e) - 1)
    fraction = bits & ((1 << fmt.m) - 1)
    if exponent == (1 << fmt.e) - 1:
        return sign, "nan" if fraction else "inf"
    if exponent == 0:
        return sign, Fraction(fraction) * Fraction(2) ** (1 - fmt.bias - fmt.m)
    return sign, Fraction(fraction | 1 << fmt.m) * Fraction(2) ** (exponent - fmt.bias - fmt.m)


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


def round_units(units, sign, mode):
    """A fraction to an integer: mode 0 nearest even, 1 up, 2 down, 3 to zero."""
    whole = units.numerator // units.denominator
    rest = units - whole
    if rest == 0:
        return whole
    if mode == 0:
        return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1))
    if mode == 3 or (mode == 1 and sign) or (mode == 2 and not sign):
        return whole
    return whole + 1


def pack(fmt, value, mode=0):
    sign, x = value
    top = fmt.sign if sign else 0
    if x == "nan":
        return "nan"
    if x == "inf":
        return top | fmt.inf
    if x == 0:
        return top
    exponent = max(floor_log2(x), 1 - fmt.bias)
    units = round_units(x / Fraction(2) ** (exponent - fmt.m), sign, mode)
    bits = units if exponent == 1 - fmt.bias else units + ((exponent + fmt.bias - 1) << fmt.m)
    if bits >= fmt.inf:  # overflow: modes that do not round away stop at the largest
        away = mode == 0 or (mode == 1 and not sign) or (mode == 2 and sign)
        bits = fmt.inf if away else fmt.inf - 1
    return top | bits


def signed(value):
    return -value[1] if value[0] else value[1]


def of(x, zero_sign=0):
    return (zero_sign, Fraction(0)) if x == 0 else (1, -x) if x < 0 else (0, x)


NAN = (0, "nan")


def add(a, b, mode=0):
    if "nan" in (a[1], b[1]):
        return NAN
    if a[1] == "inf" or b[1] == "inf":
        if a[1] == b[1]:
            return a if a[0] == b[0] else NAN
        return a if a[1] == "inf" else b
    total = signed(a) + signed(b)
    # An exact zero: negative if both were, or when rounding down.
    zero = a[0] & b[0] if a[1] == 0 and b[1] == 0 else int(mode == 2)
    if a[1] == 0 and b[1] == 0 and a[0] != b[0]:
        zero = int(mode == 2)
    return of(total, zero)


def mul(a, b):
    sign = a[0] ^ b[0]
    if "nan" in (a[1], b[1]):
        return NAN
    if "inf" in (a[1], b[1]):
        return NAN if 0 in (a[1], b[1]) else (sign, "inf")
    return sign, a[1] * b[1]


def neg(a):
    return (1 - a[0], a[1])


def fma(a, b, c, mode=0):
    return add(mul(a, b), c, mode)


def less(a, b):
    if "nan" in (a[1], b[1]):
        return False
    key = lambda v: (-1 if v[0] else 1) * (Fraction(2) ** 5000 if v[1] == "inf" else v[1])
    return key(a) < key(b)


def equal(a, b):
    return "nan" not in (a[1], b[1]) and not less(a, b) and not less(b, a)
