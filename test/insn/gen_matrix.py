#!/usr/bin/env python3
"""Matrix instructions: matrix.insn. Writes it beside this script.

Row i of A holds 1 + i % 4 everywhere, column j of B 1 + j % 2, C is 1; so row i, column j of D is 1 + K*a*b, exact in
every format and in every order of summation (sparse: K/2, whatever the indices say). Where the rows are is the part of
the layout that all of it rests on: i % 4 is the register number modulo 4, except for f64, where it is the lane group.
Layouts as a whole are tested against AMD's calculator (test/matrix/).
"""
import os
import re
import struct

from fractions import Fraction

MAI = "CDNA3 ISA 7 (matrix arithmetic)"
WMMA = "RDNA4 ISA 7.12 (WMMA)"

GFX90A = """f32_32x32x1f32 f32_16x16x1f32 f32_4x4x1f32 f32_32x32x2f32 f32_16x16x4f32 f32_32x32x4f16 f32_16x16x4f16
f32_4x4x4f16 f32_32x32x8f16 f32_16x16x16f16 i32_32x32x4i8 i32_16x16x4i8 i32_4x4x4i8 i32_32x32x8i8 i32_16x16x16i8
f32_32x32x4bf16_1k f32_16x16x4bf16_1k f32_4x4x4bf16_1k f32_32x32x8bf16_1k f32_16x16x16bf16_1k f32_32x32x2bf16
f32_16x16x2bf16 f32_4x4x2bf16 f32_32x32x4bf16 f32_16x16x8bf16 f64_16x16x4f64 f64_4x4x4f64""".split()
CDNA3 = """f32_32x32x1_2b_f32 f32_16x16x1_4b_f32 f32_4x4x1_16b_f32 f32_32x32x2_f32 f32_16x16x4_f32 f32_32x32x4_2b_f16
f32_16x16x4_4b_f16 f32_4x4x4_16b_f16 f32_32x32x8_f16 f32_16x16x16_f16 i32_32x32x4_2b_i8 i32_16x16x4_4b_i8
i32_4x4x4_16b_i8 i32_32x32x16_i8 i32_16x16x32_i8 f32_32x32x4_2b_bf16 f32_16x16x4_4b_bf16 f32_4x4x4_16b_bf16
f32_32x32x8_bf16 f32_16x16x16_bf16 f64_16x16x4_f64 f64_4x4x4_4b_f64""".split()
XF32 = ["f32_16x16x8_xf32", "f32_32x32x4_xf32"]
FP8 = ["fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"]
CDNA3 += [f"f32_{shape}_{types}" for shape in ("16x16x32", "32x32x16") for types in FP8]
SPARSE3 = ["f32_16x16x32_f16", "f32_32x32x16_f16", "f32_16x16x32_bf16", "f32_32x32x16_bf16", "i32_16x16x64_i8",
           "i32_32x32x32_i8"] + [f"f32_{shape}_{types}" for shape in ("16x16x64", "32x32x32") for types in FP8]
CDNA4 = ["f32_16x16x32_f16", "f32_32x32x16_f16", "f32_16x16x32_bf16", "f32_32x32x16_bf16", "i32_16x16x64_i8",
         "i32_32x32x32_i8"]
SPARSE4 = ["f32_16x16x64_f16", "f32_32x32x32_f16", "f32_16x16x64_bf16", "f32_32x32x32_bf16", "i32_16x16x128_i8",
           "i32_32x32x64_i8"] + [f"f32_{shape}_{types}" for shape in ("16x16x128", "32x32x64") for types in FP8]
RDNA4 = ["f32_16x16x16_f16", "f32_16x16x16_bf16", "f16_16x16x16_f16", "bf16_16x16x16_bf16", "i32_16x16x16_iu8",
         "i32_16x16x16_iu4", "i32_16x16x32_iu4"] + [f"f32_16x16x16_{types}" for types in FP8]
RDNA4_SPARSE = ["f32_16x16x32_f16", "f32_16x16x32_bf16", "f16_16x16x32_f16", "bf16_16x16x32_bf16", "i32_16x16x32_iu8",
                "i32_16x16x32_iu4", "i32_16x16x64_iu4"] + [f"f32_16x16x32_{types}" for types in FP8]

# exponent bits, fraction bits, bias
FLOATS = {"f64": (11, 52, 1023), "f32": (8, 23, 127), "xf32": (8, 23, 127), "f16": (5, 10, 15), "bf16": (8, 7, 127),
          "fp8": (4, 3, 7), "bf8": (5, 2, 15), "fp8 fnuz": (4, 3, 8), "bf8 fnuz": (5, 2, 16), "fp6": (2, 3, 1),
          "bf6": (3, 2, 3), "fp4": (2, 1, 1)}
INTEGERS = {"i8": 8, "iu8": 8, "iu4": 4, "i32": 32}
FORMATS = ["fp8", "bf8", "fp6", "bf6", "fp4"]  # what cbsz and blgp select


def bits_of(kind):
    return INTEGERS[kind] if kind in INTEGERS else 1 + sum(FLOATS[kind][:2])


def code_of(kind, value):
    if kind in INTEGERS:
        return value & ((1 << INTEGERS[kind]) - 1)
    exponent_bits, fraction_bits, bias = FLOATS[kind]
    exponent = value.bit_length() - 1
    fraction = Fraction(value, 1 << exponent) * (1 << fraction_bits)
    assert fraction.denominator == 1
    return (exponent + bias) << fraction_bits | (int(fraction) - (1 << fraction_bits))


def words_of(kind, value, registers):
    """One lane's registers, filled with a value."""
    bits, code = bits_of(kind), code_of(kind, value)
    whole = sum(code << at for at in range(0, registers * 32, bits))
    return [whole >> 32 * r & 0xFFFFFFFF for r in range(registers)]


def range_of(first, count):
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


class Instruction:
    def __init__(self, arch, mnemonic, lanes=64, formats=None):
        self.arch, self.mnemonic, self.lanes = arch, mnemonic, lanes
        self.sparse = "smfmac" in mnemonic or "swmmac" in mnemonic
        found = re.fullmatch(r"v_(?:mfma|smfmac|wmma|swmmac)(?:_scale)?_(\w+?)_(\d+)x\d+x(\d+)_?(?:(\d+)b_)?(\w+)",
                             mnemonic.replace("_1k", ""))
        self.c, m, k, blocks, types = found.groups()
        self.m, self.k = int(m), int(k)
        self.a, self.b = types.split("_") if types.count("_") else (types, types)
        if formats:
            self.a, self.b = formats
        elif arch == "gfx942":
            self.a, self.b = (t + " fnuz" if t in ("fp8", "bf8") else t for t in (self.a, self.b))
        self.blocks = int(blocks) if blocks else self.blocks_of_cdna2() if arch == "gfx90a" else 1

    def blocks_of_cdna2(self):
        if self.m == 4:
            return 4 if self.a == "f64" else 16
        full = {"f32": {32: 2, 16: 4}, "f16": {32: 8, 16: 16}, "i8": {32: 8, 16: 16}, "f64": {16: 4},
                "bf16": {32: 8, 16: 16} if self.mnemonic.endswith("_1k") else {32: 4, 16: 8}}[self.a][self.m]
        return 1 if self.k == full else {32: 2, 16: 4}[self.m]

    def registers(self, kind, k):
        return max(1, self.m * k * self.blocks * bits_of(kind) // (32 * self.lanes))

    def expected(self, i, j, scale):
        return 1 + (self.k // 2 if self.sparse else self.k) * (1 + i % 4) * (1 + j % 2) * scale


def write(out, op, suffix="", name="", scaled=False, signed=False):
    ra, rb = op.registers(op.a, op.k // 2 if op.sparse else op.k), op.registers(op.b, op.k)
    rc = op.m * op.m * op.blocks * bits_of(op.c) // (32 * op.lanes)
    rows = [words_of(op.a, 1 + i % 4, ra) for i in range(4)]
    columns = [words_of(op.b, 1 + j % 2, rb) for j in range(2)]
    out.append(f"test {op.mnemonic}{name}_w{op.lanes}")
    out.append(f"arch {op.arch}")
    out.append(f"wave {op.lanes}")
    out.append(f"section {WMMA if op.arch == 'gfx1201' else MAI}")
    for r in range(ra):
        out.append(f"v {64 + r} " + " ".join(hex(row[r]) for row in rows))
    for r in range(rb):
        out.append(f"v {80 + r} " + " ".join(hex(column[r]) for column in columns))
    for r, word in enumerate(words_of(op.c, 1, rc)):
        out.append(f"v {r} {word:#x}")
    d = range_of(0, rc)
    operands = [d, range_of(64, ra), range_of(80, rb)]
    if op.sparse:
        out.append("v 96 0xd8d8d8d8")
        operands.append("v96")
    else:
        operands.append(d)
    if scaled:
        out += ["v 97 0x7f7f7f80", "v 98 0x7f7f7f7f"]
        operands += ["v97", "v98"]
    out.append(f"run {op.mnemonic} {', '.join(operands)}{suffix}")
    if op.arch != "gfx1201":
        out += ["run s_nop 15"] * 2  # until the result can be read
    out.append("expect")
    scale = 2 if scaled else 1
    for r in range(rc):
        out.append(f"v {r} " + " ".join(hex(w) for w in result_words(op, r, scale)))
    out.append("end")


def write_operand_kinds(out, op):
    """A, C and D in accumulation registers; then a constant for C."""
    start = len(out)
    write(out, op, name="_accumulators")
    at = next(i for i in range(start, len(out)) if out[i].startswith("run v_mfma"))
    ra, rb = op.registers(op.a, op.k), op.registers(op.b, op.k)
    accumulator = [f"run v_accvgpr_write_b32 a{r}, v{r}" for r in range(4)]
    accumulator += [f"run v_accvgpr_write_b32 a{8 + r}, v{64 + r}" for r in range(ra)]
    accumulator += ["run s_nop 15", f"run {op.mnemonic} a[0:3], a[8:{7 + ra}], {range_of(80, rb)}, a[0:3]"]
    accumulator += ["run s_nop 15"] * 2 + [f"run v_accvgpr_read_b32 v{r}, a{r}" for r in range(4)]
    out[at:at + 3] = accumulator
    start = len(out)
    write(out, op, name="_constant")
    for at in range(start, len(out)):
        if out[at].startswith("run v_mfma"):
            out[at] = out[at].removesuffix("v[0:3]") + "1.0"
        elif re.fullmatch("v [0-3] 0x3f800000", out[at]):
            out[at] = out[at].replace("0x3f800000", "0x7fc00000")  # not read


def result_words(op, r, scale):
    """A result register: as few lanes as it takes until it repeats."""
    if op.c == "f64":
        rows = range(0, 64, 16)
        return [code_of("f64", op.expected(lane // 16, lane, scale)) >> 32 * (r % 2) & 0xFFFFFFFF
                for group in rows for lane in range(group, group + 16)]
    if bits_of(op.c) == 16:
        return [code_of(op.c, op.expected(2 * r, j, scale)) | code_of(op.c, op.expected(2 * r + 1, j, scale)) << 16
                for j in range(2)]
    return [code_of(op.c, op.expected(r, j, scale)) for j in range(2)]


def main():
    out = ["# Matrix instructions of every arch.", "# Written by a script in this folder; change that, not this."]
    lists = [("gfx90a", "v_mfma_", GFX90A), ("gfx942", "v_mfma_", CDNA3 + XF32), ("gfx942", "v_smfmac_", SPARSE3),
             ("gfx950", "v_mfma_", CDNA3 + CDNA4), ("gfx950", "v_smfmac_", SPARSE3 + SPARSE4)]
    for arch, prefix, names in lists:
        for name in names:
            write(out, Instruction(arch, prefix + name))
    for arch, name in (("gfx90a", "v_mfma_f32_16x16x16f16"), ("gfx942", "v_mfma_f32_16x16x16_f16"),
                       ("gfx950", "v_mfma_f32_16x16x32_bf16")):
        write_operand_kinds(out, Instruction(arch, name))
    for shape in ("16x16x128", "32x32x64"):
        for at, kind in enumerate(FORMATS):
            suffix = f" cbsz:{at} blgp:{4 - at}" if at != 4 else " cbsz:4"
            formats = (kind, FORMATS[4 - at])
            plain = Instruction("gfx950", f"v_mfma_f32_{shape}_f8f6f4", formats=formats)
            write(out, plain, suffix, f"_{at}")
            scaled = Instruction("gfx950", f"v_mfma_scale_f32_{shape}_f8f6f4", formats=formats)
            write(out, scaled, " op_sel_hi:[0,0,0]" + suffix, f"_{at}", scaled=True)
    for lanes in (32, 64):
        for name in RDNA4:
            write(out, Instruction("gfx1201", "v_wmma_" + name, lanes))
        for name in RDNA4_SPARSE:
            write(out, Instruction("gfx1201", "v_swmmac_" + name, lanes))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrix.insn")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
