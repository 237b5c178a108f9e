"""Run with umockdev's preload library: creates a test bed, prints its path, and reports devices that are added and removed.

The library reports added and removed devices only from a process that itself sees the test bed's devices.
"""

from __future__ import annotations

import ctypes
import json
import sys

LIBRARY = "libumockdev.so.0"


def main() -> None:
    library = ctypes.CDLL(LIBRARY)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    library.umockdev_testbed_new.restype = pointer
    library.umockdev_testbed_get_root_dir.restype = text
    library.umockdev_testbed_get_root_dir.argtypes = [pointer]
    library.umockdev_testbed_uevent.argtypes = [pointer, text, text]
    library.g_object_unref.argtypes = [pointer]
    bed = library.umockdev_testbed_new()
    print(library.umockdev_testbed_get_root_dir(bed).decode(), flush=True)
    for line in sys.stdin:
        path, action = json.loads(line)
        library.umockdev_testbed_uevent(bed, path.encode(), action.encode())
        print("done", flush=True)
    # The test bed removes its files at its end.
    library.g_object_unref(bed)


if __name__ == "__main__":
    main()
