/** The text of `treemark-verify bulk --help`. */
export const BULK_HELP = `treemark-verify bulk checks many proofs with all cores, offline, in constant memory.

Usage
  treemark-verify bulk FILE                  NDJSON: one proof a line
  treemark-verify bulk FILE.car              a CAR (version 1): every raw block is a proof; every block is hashed
  treemark-verify bulk FOLDER                every *.json in it and in the folders in it, one proof each
  treemark-verify bulk -                     NDJSON or a CAR on standard input; nothing compressed is unpacked

Each proof is judged exactly as treemark-verify judges it alone. A bad one never stops the others.

Options
  --json               one result a line in the order of the input, and a summary as the last line
  --author 0x…         whose signature you expect on every proof
  --authors FILE       whom you know: addresses with names and dates
  --checkpoint FILE    block hashes that you trust (may be given several times)
  --quorum N           a block counts when N different witnesses signed checkpoints that have it
  --contract ID:0x…    a commit contract that you trust, with its chain's id (may be given several times)
  --shard 3/16         the third of sixteen parts: the lines or blocks that start in it, or the files whose
                       names fall to it
  --range START-END    the lines that start in these bytes of FILE, END not included (START- to the end)
  --backend NAME       auto (the fastest that runs here), noble, wasm (tiny-secp256k1) or native (secp256k1)
  --workers N          worker threads; the number of cores
  -h, --help           print this text

Without --json every proof that is not valid is a line on standard output, and the summary follows on standard error.

Exit codes, of the worst proof
  1  something is invalid
  2  nothing is invalid, but something could not be read as a proof (or the command line cannot be used)
  3  nothing worse than unconfirmed
  0  every proof is valid
`
