"""Bulk verification on Dask, over the parts of a file; while it runs one worker is killed. Arguments: proofs, results."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import dask.bag
from dask.distributed import Client, LocalCluster


def verify(lines):
    command = ["treemark-verify", "bulk", "-", "--json", "--workers", "1"]
    ended = subprocess.run(command, input="".join(lines), capture_output=True, text=True)
    if ended.returncode not in (0, 1, 3):
        raise RuntimeError(ended.stderr)
    results = [json.loads(line) for line in ended.stdout.splitlines()]
    return [result for result in results if "summary" not in result]


def main():
    proofs, results_file = sys.argv[1:]
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    client = Client(cluster)
    parts = dask.bag.read_text(proofs, blocksize=os.path.getsize(proofs) // 16 + 1)
    killed = []

    def kill_one():
        while not killed:
            done = client.run_on_scheduler(lambda dask_scheduler: sum(task.state == "memory" for task in dask_scheduler.tasks.values()))
            if done >= 2:
                pid = next(iter(client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.05)

    threading.Thread(target=kill_one, daemon=True).start()
    found = parts.map_partitions(verify).compute(scheduler=client)
    with open(results_file, "w") as file:
        for result in found:
            file.write(json.dumps({"assetTreeCid": result.get("assetTreeCid"), "verdict": result["verdict"]}) + "\n")
    print(json.dumps({"killed": len(killed), "partitions": parts.npartitions}))
    client.close()
    cluster.close()


if __name__ == "__main__":
    main()
