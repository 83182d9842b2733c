"""How the chunks of a recording are compressed: by zstd where its library is, else by zlib."""

import ctypes
import zlib
from collections.abc import Callable
from functools import cache

LEVEL = 1


@cache
def compressor() -> tuple[str, Callable[[bytes], bytes]]:
    """Returns the name of the codec, as the analysis knows it, and what compresses with it."""
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return "zlib", lambda text: zlib.compress(text, LEVEL)
    size = ctypes.c_size_t
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = size
    library.ZSTD_compressBound.argtypes = [size]
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, size, ctypes.c_char_p, size, ctypes.c_int]

    def compress(text: bytes) -> bytes:
        most = library.ZSTD_compressBound(len(text))
        buffer = ctypes.create_string_buffer(most)
        used = library.ZSTD_compress(buffer, most, text, len(text), LEVEL)
        return bytes(memoryview(buffer)[:used])

    return "zstd", compress
