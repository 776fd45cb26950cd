#!/usr/bin/env python3
"""Reads files of answers (PMOTE-BM, PMOTE-PS, PMOTE-HM, PMOTE-GB) and prints each as a line of JSON.

Written from core/pmote/src/FORMAT.md alone, so that what the document says is enough. Checksums are compared where the module
`xxhash` is installed.

    pmote.py FILE...
"""

import json
import struct
import sys

try:
    import xxhash
except ImportError:
    xxhash = None


def fail(text):
    raise ValueError(text)


def checked(said, *parts):
    """Whether the checksum was compared; a wrong one ends it."""
    if xxhash is None:
        return False
    if xxhash.xxh3_64_intdigest(b"".join(parts)) != said:
        fail("the checksum does not fit")
    return True


def header(data):
    if len(data) < 32:
        fail("the header is cut")
    version, games, corpus, checksum = struct.unpack_from("<IIQQ", data, 8)
    if version != 1:
        fail(f"version {version}")
    return {"games": games, "corpus": corpus, "checked": checked(checksum, data[:24], data[32:])}


def ends(data, end):
    if len(data) != end:
        fail(f"{len(data)} bytes instead of {end}")


def game_set(data):
    found = header(data)
    games = found["games"]
    words = (games + 63) // 64
    ends(data, 32 + 8 * words)
    bits = int.from_bytes(data[32:], "little")
    if bits >> games:
        fail("bits beyond the last game")
    found["ids"] = [id for id in range(games) if bits >> id & 1]
    return found


def positions(data):
    if len(data) < 48:
        fail("header or trailer is cut")
    version, said = struct.unpack_from("<II", data, 8)
    if version != 1:
        fail(f"version {version}")
    trailer = data[-32:]
    count, corpus, games, zero, checksum = struct.unpack("<QQIIQ", trailer)
    ends(data, 16 + 12 * count + 32)
    if said != min(count, 2**32 - 1) or zero != 0:
        fail("header and trailer contradict each other")
    compared = checked(checksum, data[16:-32], trailer[:24])
    records = list(struct.iter_unpack("<III", data[16:-32]))
    return {"games": games, "corpus": corpus, "checked": compared, "positions": records}


def heatmap(data):
    found = header(data)
    ends(data, 6176)
    counts = struct.unpack_from("<768Q", data, 32)
    man = lambda colour, man: list(counts[(colour * 6 + man) * 64 :][:64])
    found["counts"] = [[man(colour, role) for role in range(6)] for colour in range(2)]
    return found


def groups(data):
    found = header(data)
    if len(data) < 64:
        fail("the counts are cut")
    distinct, total, number, key_bytes = struct.unpack_from("<QQQQ", data, 32)
    names = 64 + 48 * number
    if len(data) < names + key_bytes:
        fail("the records are cut")
    text = lambda begin, end: data[names + begin : names + end].decode("utf-8")
    end = key_bytes
    found |= {"key": text(0, end), "distinct": distinct, "positions": total, "groups": []}
    for nth in range(number):
        value, count, *results, game, ply, name_end = struct.unpack_from("<QQ4IIIQ", data, 64 + 48 * nth)
        if not end <= name_end <= len(data) - names:
            fail("the ends of the names do not ascend")
        group = {"value": value, "name": text(end, name_end), "positions": count, "results": results}
        found["groups"].append(group | {"first": [game, ply]})
        end = name_end
    ends(data, names + end)
    return found


KINDS = {b"PMOTE-BM": game_set, b"PMOTE-PS": positions, b"PMOTE-HM": heatmap, b"PMOTE-GB": groups}


def main(paths):
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        try:
            read = KINDS.get(data[:8]) or fail("no file of answers")
            print(json.dumps({"kind": data[:8].decode()} | read(data)))
        except (ValueError, struct.error) as error:
            sys.exit(f"{path}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
