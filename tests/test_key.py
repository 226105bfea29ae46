from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonagram import Anatomy, Key, Microdata
from anonagram.errors import CallError, InputError
from anonagram.kernels.permute import draw, shuffle_groups

# the 99.99 % quantiles of chi-square with 23 and 5 degrees of freedom
CHI_SQUARE_23, CHI_SQUARE_5 = 58.6, 25.7


def test_every_permutation_of_four_is_equally_likely():
    key = Key(bytes(32))
    draws = 24_000
    seen = Counter(tuple(key.permutation(f"trial {i}", 4).tolist()) for i in range(draws))
    assert set(seen) == set(itertools.permutations(range(4)))
    expected = draws / 24
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < CHI_SQUARE_23


def test_every_block_is_shuffled_evenly_and_apart():
    blocks = 12_000
    starts = np.arange(0, 3 * blocks + 1, 3)
    result = Key(b"k" * 32).shuffle("x", np.tile(np.arange(3, dtype=np.int32), blocks), starts)
    seen = Counter(map(tuple, result.reshape(-1, 3).tolist()))
    expected = blocks / 6
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < CHI_SQUARE_5


def test_draw_rejects_what_would_favour_some_results():
    # 2^32 = 1 mod 3: the word 0 gives product 0, whose low half is below 1, and is rejected
    assert draw(np.array([0, 2**31], np.uint32), 0, 3) == (1, 2)
    assert draw(np.array([0], np.uint32), 0, 3) == (0, -1)


def test_too_few_words_are_noticed():
    assert shuffle_groups(np.arange(5), np.array([0, 5]), np.zeros(2, np.uint32)) == -1


@given(sizes=st.lists(st.integers(0, 6), max_size=8), seed=st.binary(min_size=32, max_size=32))
def test_values_never_leave_their_block(sizes, seed):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    items = np.arange(starts[-1], dtype=np.int32)
    result = Key(seed).shuffle("x", items, starts)
    for first, last in itertools.pairwise(starts):
        assert sorted(result[first:last]) == list(range(first, last))


def test_purposes_have_streams_of_their_own():
    key = Key(bytes(32))
    assert not np.array_equal(key.words("a", 8), key.words("b", 8))
    # asking for more never changes what was there
    assert np.array_equal(key.words("a", 8), key.words("a", 100)[:8])


def test_stream_is_the_same_everywhere():
    assert Key(bytes(range(32))).words("golden", 4).tolist() == [
        683405454,
        589005446,
        2814537737,
        2756688,
    ]


def test_key_file_round_trip(tmp_path):
    path = tmp_path / "key.txt"
    path.write_text("ab" * 32 + "\n")
    assert Key.read(path) == Key(b"\xab" * 32)


@pytest.mark.parametrize("content", [b"", b"abc", b"zz" * 32, b"\xff\xfe", b"ab" * 33])
def test_bad_key_file_is_refused(tmp_path, content):
    (tmp_path / "key.txt").write_bytes(content)
    with pytest.raises(InputError, match=r"key\.txt"):
        Key.read(tmp_path / "key.txt")


def test_neither_repr_nor_commitment_tells_the_secret():
    key = Key(b"\x11" * 32)
    assert "11" * 8 not in repr(key)
    assert key.secret.hex() not in key.commitment()
    assert Key(b"\x12" * 32).commitment() != key.commitment()


def test_derived_keys_salts_and_streams_are_the_same_everywhere_and_have_nothing_in_common():
    key = Key(bytes(range(32)))
    assert key.derived(b"table", b"call").words("golden", 2).tolist() == [3590187690, 2883733060]
    salt = key.salt(b"table", b"call")
    assert salt == "2253a621f9c6effdda557dd203342306d1c3b6216155c35c2253b09fce485f82"
    assert key.commitment(salt) == (
        "20c4c5e250189e2cddda76da7054852eae3533367c1bbcbb11bd2053575fb4c9"
    )
    contexts = [(), (b"",), (b"table",), (b"table", b"call"), (b"tablecall",), (b"call", b"table")]
    streams = [key, *(key.derived(*each) for each in contexts)]
    assert len({stream.words("golden", 2).tobytes() for stream in streams}) == len(streams)
    secrets = {bytes.fromhex(key.salt(*each)) for each in contexts}
    assert len(secrets | {stream.secret for stream in streams}) == 2 * len(contexts) + 1


def test_commitment_without_a_salt_is_that_of_older_releases():
    assert Key(bytes(range(32))).commitment() == (
        "13157160b8e1edfbd4a42d2f7f2ac600928462e55306dacacf0f44dd9fdb17b9"
    )


def test_short_secret_is_refused():
    with pytest.raises(InputError, match="32 bytes"):
        Key(b"short")


def test_a_text_in_place_of_a_key_is_refused():
    data = Microdata.read({"age": [1, 2], "ill": ["a", "b"]}, {"age": "quasi", "ill": "sensitive"})
    with pytest.raises(CallError, match=r"A str is no key\.\n.*Key\.read"):
        Anatomy(l=2).anonymize(data, "secret")
