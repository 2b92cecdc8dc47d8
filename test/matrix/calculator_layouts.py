#!/usr/bin/env python3
"""Writes layouts.txt: where AMD's matrix instruction calculator says that every value lies.

  calculator_layouts.py --calculator /path/to/matrix_calculator.py > layouts.txt

A line is: arch lanes mnemonic operand cbsz abid blgp set hash. The hash (FNV-1a, 64 bits) is of a text that lists, by
lane and by place in the registers, the matrix elements there: "lane:register.bit:row,column,block;…\n". The unit test
isa_matrix_layout_test.cc makes the same text from our own table. The calculator is
github.com/ROCm/amd_matrix_instruction_calculator (MIT); nothing of it is copied here but these facts.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys

ARCHS = {"cdna2": ("gfx90a", [64]), "cdna3": ("gfx942", [64]), "rdna4": ("gfx1201", [32, 64])}
ENTRY = re.compile(r"-?\|?[ABCDK]\[(\d+)\]\[(\d+)\]\|?(?:\.B(\d+))?")
HEADER = re.compile(r"v(?:\[(?P<high>\d+):(?P<low>\d+)\]|(?P<single>\d+))(?:\.\[(?P<top>\d+):(?P<bit>\d+)\])?")


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def run(calculator, arguments):
    return subprocess.run([sys.executable, calculator] + arguments, capture_output=True, text=True, check=True).stdout


def place_text(output):
    """The CSV table as the text that is hashed."""
    lines = [line for line in output.splitlines() if line.strip()]
    start = next(i for i, line in enumerate(lines) if line.startswith("lane,"))
    places = []
    for name in lines[start].split(",")[1:]:
        found = HEADER.fullmatch(name.strip())
        register = found["low"] if found["single"] is None else found["single"]
        places.append((int(register), int(found["bit"] or 0)))
    text = ""
    for line in lines[start + 1:]:
        cells = line.split(",")
        for (register, bit), cell in zip(places, cells[1:]):
            entries = [(int(b or 0), int(i), int(k)) for i, k, b in ENTRY.findall(cell)]
            if not entries:
                continue
            text += f"{cells[0]}:{register}.{bit}:"
            text += "".join(f"{i},{k},{b};" for b, i, k in sorted(entries)) + "\n"
    return text


def jobs_of(calculator, arch, lanes, mnemonic, multiple_waves):
    detail = run(calculator, ["-a", arch, "-i", mnemonic, "-d"])
    wave = ["-w", str(lanes)] if multiple_waves else []
    base = ["-a", arch, "-i", mnemonic, "-M", "-c"] + wave
    sparse = "mfmac" in mnemonic or "mmac" in mnemonic
    blocks = int(re.search(r"blocks: (\d+)", detail)[1]) if "blocks:" in detail else 1
    jobs = [("A", "-A", 0, 0, 0, 0), ("B", "-B", 0, 0, 0, 0), ("D", "-D", 0, 0, 0, 0)]
    if not sparse:
        jobs.append(("C", "-C", 0, 0, 0, 0))
        if "CBSZ and ABID bits supported: True" in detail:
            for cbsz in range(1, blocks.bit_length()):
                jobs += [("A", "-A", cbsz, abid, 0, 0) for abid in range(1 << cbsz)]
    # On f64 of CDNA3 the field means negation.
    if "BLGP bits supported: True" in detail and "f64" not in mnemonic:
        jobs += [("B", "-B", 0, 0, blgp, 0) for blgp in range(1, 8)]
    if sparse:
        jobs += [("K", "-k", 0, 0, 0, index) for index in range(4)]
    for operand, flag, cbsz, abid, blgp, index in jobs:
        arguments = base + [flag]
        if cbsz:
            arguments += ["--cbsz", str(cbsz), "--abid", str(abid)]
        if blgp:
            arguments += ["--blgp", str(blgp)]
        if index:
            arguments += ["--opsel" if multiple_waves else "--abid", str(index)]
        yield (operand, cbsz, abid, blgp, index), arguments


def line_of(calculator, arch, lanes, mnemonic, key, arguments):
    try:
        output = run(calculator, arguments)
    except subprocess.CalledProcessError:
        if key[4]:
            return None  # the register has no such part
        raise
    if "lane," not in output:
        return None
    return " ".join(map(str, (arch, lanes, mnemonic) + key)) + f" {fnv(place_text(output)):016x}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calculator", required=True)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pending = []
        for name, (arch, waves) in ARCHS.items():
            listed = run(options.calculator, ["-a", name, "-L"])
            for mnemonic in re.findall(r"v_\w+", listed):
                for lanes in waves:
                    for key, arguments in jobs_of(options.calculator, name, lanes, mnemonic, len(waves) > 1):
                        pending.append(
                            pool.submit(line_of, options.calculator, arch, lanes, mnemonic, key, arguments))
        for job in pending:
            if job.result():
                print(job.result())


if __name__ == "__main__":
    main()
