"""PyTorch's times for the ops and shapes of the suite, by the protocol of `on_gpu`: caches swept before each repetition,
events around the call, median of 50 after 5 warm-ups. One JSON object a line: op, case, kind (torch_eager or
torch_compile), time_us, samples_us, device, torch.
"""

import json
import statistics
import sys

import torch
import torch.nn.functional as F

SWEEP_BYTES = 200 << 20


def tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def swiglu(gate, up):
    return F.silu(gate) * up


def bias_gelu(x, b):
    return F.gelu(x + b)


def rms_norm(x, g):
    return F.rms_norm(x, (x.shape[-1],), g, 1e-5)


def layer_norm(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b, 1e-5)


def transpose(x):
    return x.t().contiguous()


def rope(x, c, s):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), -1)
    return (x * c[None, :, None, :] + turned * s[None, :, None, :]).to(x.dtype)


def suite():
    wide = torch.float32
    return [
        ("softmax", "llama", lambda x: torch.softmax(x, -1), [tensor(4096, 4096)]),
        ("rms_norm", "llama", rms_norm, [tensor(4096, 4096), tensor(4096)]),
        ("layer_norm", "gpt2", layer_norm, [tensor(8192, 768), tensor(768), tensor(768)]),
        ("swiglu", "llama", swiglu, [tensor(4096, 14336), tensor(4096, 14336)]),
        ("add", "llama", torch.add, [tensor(16777216), tensor(16777216)]),
        ("bias_gelu", "bert", bias_gelu, [tensor(4096, 3072), tensor(3072)]),
        ("rope", "llama", rope, [tensor(1, 4096, 32, 128), tensor(4096, 128, dtype=wide), tensor(4096, 128, dtype=wide)]),
        ("transpose", "bert", transpose, [tensor(4096, 1024)]),
        ("cumsum", "llama", lambda x: torch.cumsum(x, -1), [tensor(64, 128256, dtype=wide)]),
        ("copy", "256MiB", torch.clone, [tensor(1 << 27)]),
    ]


def measure(call, inputs, repetitions=50, warm_up=5):
    sweep = torch.empty(SWEEP_BYTES, dtype=torch.uint8, device="cuda")
    samples = []
    for turn in range(warm_up + repetitions):
        sweep.fill_(turn % 251)
        torch.cuda._sleep(2_000_000)  # about 1 ms: the call is queued before the GPU comes to it, host time is not counted
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call(*inputs)
        end.record()
        torch.cuda.synchronize()
        if turn >= warm_up:
            samples.append(begin.elapsed_time(end) * 1000)
    return samples


def main():
    for op, case, call, inputs in suite():
        for kind in ("torch_eager", "torch_compile"):
            if kind == "torch_compile" and op == "copy":
                continue
            try:
                function = torch.compile(call, dynamic=False) if kind == "torch_compile" else call
                samples = measure(function, inputs)
                line = {"op": op, "case": case, "kind": kind, "time_us": statistics.median(samples), "samples_us": samples}
            except Exception as error:  # one op that cannot run must not end the suite
                line = {"op": op, "case": case, "kind": kind, "error": str(error)[:300]}
            line |= {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
