"""Reads through the front with clickhouse-connect and prints what it got as JSON; tries to insert, and prints what came of it."""

import json
import sys

import clickhouse_connect


def main(port: int, password: str) -> None:
    client = clickhouse_connect.get_client(host="127.0.0.1", port=port, username="rollstream", password=password)
    sql = (
        "SELECT rollout_id, reward, why, in_loss, toUnixTimestamp64Micro(started_at) AS us, toFloat32(0.1) AS f, {text:String} AS t"
        " FROM rollstream.decisions FINAL ORDER BY rollout_id"
    )
    result = client.query(sql, parameters={"text": "it's\ta test"})
    try:
        client.insert("documents", [["py", "policy", "ü"]], column_names=["id", "kind", "content"])
        inserted = client.query("SELECT content FROM documents WHERE id = 'py'").result_rows
    except clickhouse_connect.driver.exceptions.DatabaseError as error:
        inserted = "READONLY" if "READONLY" in str(error) else str(error)
    many = client.query("SELECT number, toString(number) FROM numbers(200000)")
    total = sum(row[0] for row in many.result_rows)
    answer = {"names": result.column_names, "rows": result.result_rows, "inserted": inserted, "total": total}
    print(json.dumps(answer, default=str))


main(int(sys.argv[1]), sys.argv[2])
