"""Libraries on S3, by moto's server on loopback: the same rows as those of local files, and one sentence for each failure. Google's
storage speaks the same XML, so the server stands for it, too."""

import datetime
import ipaddress
import json
import pathlib
import shutil
import threading
import urllib.request

import boto3
import moto.server
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from werkzeug.serving import make_server

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
        client.upload_file(str(folder / "games.plyfold"), "library", key, ExtraArgs={"ACL": "public-read"})
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


def test_google_storage(bucket, endpoint, folder, monkeypatch, tmp_path):
    account = tmp_path / "account.json"
    keys = {"client_email": "", "private_key": "", "private_key_id": ""}
    account.write_text(json.dumps({"gcs_base_url": endpoint, "disable_oauth": True, **keys}))
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(account))
    local = plyfold.open(folder / "games.plyfold")
    for address in ["gs://library/games/a.plyfold", "gs://library/games/a*.plyfold"]:
        remote = plyfold.open(address)
        for statement in STATEMENTS:
            assert remote.sql(statement).to_arrow().to_pylist() == local.sql(statement).to_arrow().to_pylist(), statement
    assert len(plyfold.open("gs://library/games/")) == 2 * len(local)
    with pytest.raises(OSError, match="gs://library/gone.plyfold: there is no such file"):
        plyfold.open("gs://library/gone.plyfold")


def authority_and_certificate(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path, pathlib.Path]:
    """The certificate of an authority, and the key and certificate of a server on loopback that it vouches for."""
    now = datetime.datetime.now(datetime.UTC)
    authority, own = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("authority", "server"))
    authority_key, own_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))

    def certificate(name: x509.Name, key: ec.EllipticCurvePrivateKey, is_authority: bool) -> bytes:
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        builder = x509.CertificateBuilder(authority, name, key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True).add_extension(names, critical=False)
        return builder.sign(authority_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    formats = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files = {
        "authority.pem": certificate(authority, authority_key, True),
        "key.pem": own_key.private_bytes(*formats),
        "certificate.pem": certificate(own, own_key, False),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return tuple(folder / name for name in files)


def test_encrypted_connections(bucket, folder, monkeypatch, tmp_path):
    authority, key, certificate = authority_and_certificate(tmp_path)
    application = moto.server.DomainDispatcherApplication(moto.server.create_backend_app)
    server = make_server("127.0.0.1", 0, application, threaded=True, ssl_context=(str(certificate), str(key)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"https://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("AWS_ENDPOINT", address)
        monkeypatch.delenv("AWS_ALLOW_HTTP")
        (tmp_path / "other").mkdir()
        monkeypatch.setenv("SSL_CERT_FILE", str(authority_and_certificate(tmp_path / "other")[0]))
        with pytest.raises(OSError, match="certificate"):
            plyfold.open("s3://library/games/a.plyfold")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        games = len(plyfold.open(folder / "games.plyfold"))
        assert len(plyfold.open("s3://library/games/a.plyfold")) == games
        assert len(plyfold.open(f"{address}/library/games/a.plyfold")) == games
    finally:
        server.shutdown()
        thread.join()
