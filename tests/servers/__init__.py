"""Real servers for the tests, one module each: pytest fixtures in `fixtures`, a shell in `python -m tests.servers`."""

SERVERS = {
    "postgres": "tests.servers.postgres:Postgres",
    "mariadb": "tests.servers.mariadb:MariaDB",
    "etcd": "tests.servers.etcd:Etcd",
    "etcd-cluster": "tests.servers.etcd:EtcdCluster",
    "patroni": "tests.servers.patroni:Patroni",
    "redis": "tests.servers.redis:RedisServer",
    "redis-sentinels": "tests.servers.redis:RedisSentinels",
    "zookeeper": "tests.servers.zookeeper:Zookeeper",
}
"""Name on the command line -> class. A new server is one file and one line here."""
