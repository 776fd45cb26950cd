"""Libraries on S3, by moto's server on loopback: the same rows as those of local files, and one sentence for each failure."""

import pathlib
import shutil
import urllib.request

import boto3
import moto.server
import pytest

import plyfold


@pytest.fixture(scope="module")
def endpoint():
    server = moto.server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def environment(endpoint, monkeypatch):
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "eu-central-1",
        "AWS_ENDPOINT": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


@pytest.fixture(scope="module")
def bucket(endpoint, folder: pathlib.Path):
    """A bucket with two corpora of the same games below ``games``, and a file that is none."""
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "eu-central-1"}
    client = boto3.client("s3", endpoint_url=endpoint, **keys)
    client.create_bucket(Bucket="library", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    for key in ["games/a.plyfold", "games/b.plyfold"]:
        client.upload_file(str(folder / "games.plyfold"), "library", key)
    client.put_object(Bucket="library", Key="games/notes.txt", Body=b"no corpus")
    return client


STATEMENTS = [
    "SELECT count(*) AS games FROM games WHERE matches('queens_off')",
    "SELECT game, white, black, date, white_elo, eco, result, plies FROM games ORDER BY game",
    "SELECT game, ply, san, fen FROM positions('checkmate') ORDER BY game, ply",
    "SELECT key, games FROM counts('', 'white') ORDER BY key",
    "SELECT san, games FROM next_moves('ply = 1') ORDER BY san",
    "SELECT game FROM search('white \"carlsen\"') ORDER BY game",
]


def test_a_library_in_a_bucket_gives_the_rows_of_local_files(bucket, folder, tmp_path):
    for name in ["a", "b"]:
        shutil.copy(folder / "games.plyfold", tmp_path / f"{name}.plyfold")
    local = plyfold.open(tmp_path)
    for address in ["s3://library/games/*.plyfold", "s3://library/games/", "s3://library/games/a.plyfold s3://library/games/b.plyfold"]:
        remote = plyfold.open(address)
        assert len(remote) == len(local) == 6
        for statement in STATEMENTS:
            assert remote.sql(statement).to_arrow().to_pylist() == local.sql(statement).to_arrow().to_pylist(), statement
    files = plyfold.open("s3://library/games/").sql("SELECT DISTINCT file FROM games ORDER BY file").to_arrow()
    assert files.column("file").to_pylist() == ["s3://library/games/a.plyfold", "s3://library/games/b.plyfold"]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("s3://nowhere/games.plyfold", "there is no such bucket"),
        ("s3://nowhere/*.plyfold", "there is no such bucket"),
        ("s3://library/gone.plyfold", "there is no such file"),
        ("s3://library/gone/*.plyfold", "matches no file"),
        ("s3://library/games/notes.txt", "not a plyfold corpus"),
        ("s3:///games.plyfold", "names no bucket"),
    ],
)
def test_what_is_not_there_is_named(bucket, address, says):
    with pytest.raises(OSError) as failure:
        plyfold.open(address)
    message = str(failure.value)
    assert message.startswith(address) and says in message and "\n" not in message


def test_a_missing_right_is_named(bucket, endpoint):
    def require_rights(after_requests: str):
        plain = {"Content-Type": "text/plain"}
        address, body = f"{endpoint}/moto-api/reset-auth", after_requests.encode()
        urllib.request.urlopen(urllib.request.Request(address, body, plain)).close()

    games = plyfold.open("s3://library/games/a.plyfold")
    require_rights("0")
    try:
        with pytest.raises(OSError, match="s3://library/games/a.plyfold: access is denied"):
            games.search("checkmate").to_arrow()
        with pytest.raises(OSError, match="s3://library/games/: access is denied"):
            plyfold.open("s3://library/games/")
    finally:
        require_rights("inf")
    assert games.search("checkmate").to_arrow().num_rows == 2


def test_a_corpus_that_is_replaced_meanwhile_gives_no_rows(bucket, folder):
    bucket.upload_file(str(folder / "games.plyfold"), "library", "changing.plyfold")
    games = plyfold.open("s3://library/changing.plyfold")
    bucket.put_object(Bucket="library", Key="changing.plyfold", Body=(folder / "games.plyfold").read_bytes() + bytes(8))
    with pytest.raises(OSError, match="s3://library/changing.plyfold: has changed while it was read"):
        games.search("checkmate").to_arrow()
