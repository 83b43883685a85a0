"""Makes pages that are hard to read, the same each time, with the words on them.

    python3 make.py DIRECTORY [all | quick | NAME...] [--seed NUMBER]

Each seed gives other noise, wear and places. The default is 0.

Writes NAME.tif and NAME.txt, and prints a JSON object for each page: its name, its language, and
whether it belongs to the reduced set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402

import printed  # noqa: E402
import recipes  # noqa: E402
import worn  # noqa: E402

PAGES = {**recipes.PAGES, **worn.PAGES, **printed.PAGES}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    directory, names = given.directory, given.names
    for name, page in PAGES.items():
        if not (name in names or "all" in names or (page.quick and "quick" in names)):
            continue
        image, words = page.make(np.random.default_rng(zlib.crc32(name.encode()) + given.seed))
        image.save(os.path.join(directory, f"{name}.tif"), "TIFF", dpi=page.dpi)
        with open(os.path.join(directory, f"{name}.txt"), "w", encoding="utf-8") as text:
            text.write("\n".join(words) + "\n")
        print(json.dumps({"name": name, "language": page.language, "quick": page.quick}), flush=True)


if __name__ == "__main__":
    main()
