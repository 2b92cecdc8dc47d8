#!/usr/bin/env python3
"""Writes vectors.txt: results of MMA-Sim (PyPI `mmasim`, arXiv 2511.10909) for every matrix instruction it knows.

  mmasim_vectors.py --outputs 512 > vectors.txt        what is committed
  mmasim_vectors.py --outputs 100000 > /tmp/many.txt   HIPVAULT_MATRIX_VECTORS=/tmp/many.txt test_isa --gtest_filter='MatrixVectors*'

mmasim needs PyTorch; both are installed by whoever runs this, never by the tests. A line is: arch mnemonic kind cases
hash first-results. The inputs of a case come from a counter through a mixing function (splitmix64's), so that the unit
test isa_matrix_vectors_test.cc makes the same ones; kinds of inputs are below. The hash covers all results of all cases.
"""
import argparse
import sys

import numpy as np
import torch

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
KINDS = ["finite", "narrow", "cancel", "special", "tiny", "huge", "aligned"]
# exponent bits, fraction bits, bias, has infinities
FORMATS = {
    "f16": (5, 10, 15, True), "bf16": (8, 7, 127, True), "f32": (8, 23, 127, True), "f64": (11, 52, 1023, True),
    "fp8": (4, 3, 8, False), "bf8": (5, 2, 16, False),
}
TORCH = {
    "f16": (np.uint16, torch.float16), "bf16": (np.uint16, torch.bfloat16), "f32": (np.uint32, torch.float32),
    "f64": (np.uint64, torch.float64), "fp8": (np.uint8, torch.float8_e4m3fnuz), "bf8": (np.uint8, torch.float8_e5m2fnuz),
}


def mix(x):
    x = x ^ (x >> np.uint64(30))
    x = x * np.uint64(0xBF58476D1CE4E5B9)
    x = x ^ (x >> np.uint64(27))
    x = x * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def random_words(kind, cases, count):
    """[case][count] 64-bit words."""
    start = mix(np.uint64(1000003 * (KINDS.index(kind) + 1)) + np.arange(cases, dtype=np.uint64) * GOLDEN)
    return mix(start[:, None] + np.arange(1, count + 1, dtype=np.uint64)[None, :] * GOLDEN)


def bits_of(kind, words, name, is_c):
    exponent_bits, fraction_bits, bias, infinite = FORMATS[name]
    u = np.uint64
    fraction_mask = u((1 << fraction_bits) - 1)
    largest = (1 << exponent_bits) - (2 if infinite else 1)
    sign_bit = u(1 << (exponent_bits + fraction_bits))
    sign = (words & u(1)) * sign_bit
    fraction = (words >> u(1)) & fraction_mask
    choice = words >> u(54)
    narrow = u(bias - 3) + choice % u(7)
    if kind == "finite":
        field = choice % u(largest + 1)
    elif kind == "cancel":
        field = u(bias - 1) + choice % u(3)
        form = (choice >> u(4)) & u(3)
        fraction = np.select([form == 0, form == 1, form == 2], [u(0), fraction_mask, u(1)], fraction)
    elif kind == "special":
        field = u(bias - 3) + (choice >> u(4)) % u(7)
    elif kind == "tiny":
        field = choice % u(3)
    elif kind == "huge":
        field = u(largest) - choice % u(3)
    elif kind == "aligned" and is_c:
        field = u(bias - 40) + choice % u(80)
    else:
        field = narrow
    bits = sign | field << u(fraction_bits) | fraction
    if kind == "special":
        infinity = u(((1 << exponent_bits) - 1) << fraction_bits) if infinite else None
        top = u(largest) << u(fraction_bits) | fraction_mask
        listed = [
            infinity | u(1 << (fraction_bits - 1)) if infinite else sign_bit,
            infinity if infinite else top, (infinity if infinite else top) | sign_bit,
            sign_bit if infinite else u(0), u(1), fraction_mask, top, u(0)
        ]
        which = (choice >> u(4)) % u(8)
        chosen = np.select([which == u(i) for i in range(8)], listed)
        bits = np.where(choice % u(16) == 0, chosen, bits)
    if not infinite and kind != "special":
        bits = np.where(bits == sign_bit, u(0), bits)  # the pattern of -0 is NaN
    return bits


def tensor_of(bits, name):
    storage, dtype = TORCH[name]
    raw = torch.from_numpy(bits.astype(storage).view({2: np.int16, 4: np.int32, 8: np.int64, 1: np.uint8}[storage().nbytes]))
    return raw.view(dtype)


def instructions():
    """(arch, our mnemonic, oracle, m, k, blocks, type a, type b, type c)"""
    import mmasim.amd
    from mmasim.amd import isa_mfma
    names = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
             torch.float8_e4m3fnuz: "fp8", torch.float8_e5m2fnuz: "bf8"}
    blocks_of = {("f64", 4): 4}
    for arch, ours in (("CDNA2", "gfx90a"), ("CDNA3", "gfx942")):
        for suffix in isa_mfma.arch_mfma_suffix[arch]:
            oracle = mmasim.amd.MFMA(arch, suffix)
            a, b, c = (names[t] for t in (oracle.a_type, oracle.b_type, oracle.c_type))
            # 64 lanes hold whole registers of A: one value, or what fills 32 bits and 64 bits.
            blocks = blocks_of.get((a, oracle.m))
            if blocks is None:
                blocks = {4: 16, 16: 4, 32: 2}[oracle.m] if is_blocked(oracle, suffix, a) else 1
            yield ours, "v_mfma_" + suffix, oracle, oracle.m, oracle.k, blocks, a, b, c


def is_blocked(oracle, suffix, a):
    if "_4b" in suffix or "_2b" in suffix or "_16b" in suffix or oracle.m == 4:
        return True
    if suffix.count("_") > 1 and not suffix.endswith("_1k"):
        return False
    small_k = {"f32": 1, "f16": 4, "bf16": 4 if suffix.endswith("_1k") else 2}.get(a, 0)
    return oracle.k == small_k and a != "f64"


def results(oracle, kind, cases, m, k, blocks, a, b, c):
    count_a, count_b, count_c = blocks * m * k, blocks * k * m, blocks * m * m
    words = random_words(kind, cases, count_a + count_b + count_c)
    bits_a = bits_of(kind, words[:, :count_a], a, False).reshape(cases, blocks, m, 1, k)
    bits_b = bits_of(kind, words[:, count_a:count_a + count_b], b, False).reshape(cases, blocks, k, m)
    bits_c = bits_of(kind, words[:, count_a + count_b:], c, True).reshape(cases, blocks, m, m)
    shape = (cases, blocks, m, m, k)
    ta = tensor_of(bits_a, a).expand(shape).contiguous()
    tb = tensor_of(np.ascontiguousarray(bits_b.swapaxes(2, 3))[:, :, None], b).expand(shape).contiguous()
    d = oracle.dpa(ta, tb, tensor_of(bits_c, c).clone()).contiguous()
    raw = d.view(torch.int64).numpy().view(np.uint64) if c == "f64" else d.view(torch.int32).numpy().view(np.uint32)
    bits = raw.reshape(cases, count_c).astype(np.uint64)
    if type(oracle.arithmetic_op).__name__ in ("MMA_FMA", "MMA_FTZ_MUL_ADD"):  # NaN there is the host's
        nan = torch.isnan(d).numpy().reshape(cases, count_c)
        bits = np.where(nan, np.uint64(0x7FF8 << 48 if c == "f64" else 0x7FC00000), bits)
    if type(oracle.arithmetic_op).__name__ == "MMA_GTR_FDPA":
        # mmasim 2.1.1 takes frexp(inf) = 0 for the exponent of a C that is infinite or NaN, at any step, and so drops
        # such a C where products exceed 2^24. Results that see a NaN or an infinity are not compared by their bits.
        plain = torch.isfinite(ta.float()).all(-1) & torch.isfinite(tb.float()).all(-1)
        plain &= torch.isfinite(tensor_of(bits_c, c))
        bits = np.where(plain.numpy().reshape(cases, count_c), bits, np.uint64(0))
    return bits


def hash_of(bits):
    cases, count = bits.shape
    per_case = mix(bits + np.arange(1, count + 1, dtype=np.uint64)[None, :] * GOLDEN).sum(axis=1, dtype=np.uint64)
    return int(mix(per_case + np.arange(1, cases + 1, dtype=np.uint64) * GOLDEN).sum(dtype=np.uint64))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outputs", type=int, default=512, help="results of each kind, at least")
    parser.add_argument("--only", default="", help="part of a mnemonic")
    options = parser.parse_args()
    np.seterr(over="ignore")
    for arch, mnemonic, oracle, m, k, blocks, a, b, c in instructions():
        if options.only not in mnemonic:
            continue
        for kind in KINDS:
            cases = -(-options.outputs // (m * m * blocks))
            bits = results(oracle, kind, cases, m, k, blocks, a, b, c)
            first = " ".join(f"{int(x):x}" for x in bits[0, :4])
            print(arch, mnemonic, kind, cases, f"{hash_of(bits):016x}", first, flush=True)


if __name__ == "__main__":
    sys.exit(main())
