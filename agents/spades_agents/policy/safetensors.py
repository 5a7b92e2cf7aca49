"""Reading and writing the safetensors format: 8 bytes of length, a JSON header, then the numbers.

Such a file holds arrays and text, but no code. The format is described at https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

DTYPES = {"F16": "<f2", "F32": "<f4", "I32": "<i4"}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
ALIGNMENT = 8


def pack_tensors(tensors: Mapping[str, np.ndarray]) -> bytes:
    """The content of a file with these arrays.

    Raises:
        ValueError: if an array's dtype is not float16, float32 or int32.
    """
    header, data = {}, b""
    for name, tensor in tensors.items():
        if tensor.dtype not in NAMES:
            raise ValueError(f"tensor {name!r} is of type {tensor.dtype}: use float16, float32 or int32")
        part = np.ascontiguousarray(tensor).tobytes()
        offsets = [len(data), len(data) + len(part)]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": offsets}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text + data


def unpack_tensors(data: bytes) -> dict[str, np.ndarray]:
    """The arrays in the content of a file.

    Raises:
        ValueError: if it is not a safetensors file, or damaged.
    """
    end = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or end > len(data):
        raise ValueError("not a safetensors file, or a truncated one")
    body = data[end:]
    try:
        header = json.loads(data[8:end])
        found = {}
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, stop = entry["data_offsets"]
            if not 0 <= start <= stop <= len(body):
                raise ValueError(f"tensor {name!r} extends beyond the end of the file")
            found[name] = np.frombuffer(body[start:stop], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    except (UnicodeDecodeError, RecursionError):
        raise ValueError("damaged header: not JSON") from None  # these messages may quote the whole file
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"damaged header: {error!r}") from None
    return found
