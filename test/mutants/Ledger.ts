/** What is sent to a node, and what is believed of its answers. */
import type { Mutant } from "./Mutant.ts"

const FEES = "daemon/evm/Fees"
const RPC = "daemon/evm/RpcTransport"

export const LEDGER: ReadonlyArray<Mutant> = [
  {
    what: "more is paid for gas than the operator allows",
    file: "daemon/src/evm/Fees.ts",
    from: "  price <= fees.cap\n",
    to: "  price <= 2n * fees.cap\n",
    in: FEES,
    test: "lets a unit of gas that costs just as much through"
  },
  {
    what: "a replacement is made beyond the operator's cap",
    file: "daemon/src/evm/Fees.ts",
    from: "return fee > cap ? undefined :",
    to: "return fee > cap + cap ? undefined :",
    in: FEES,
    test: "is not made when it would offer more than the cap"
  },
  {
    what: "no pool takes a replacement",
    file: "daemon/src/evm/Fees.ts",
    from: "fee + (fee + 7n) / 8n",
    to: "fee + (fee + 15n) / 16n",
    in: FEES,
    test: "offers an eighth more than what it replaces"
  },
  {
    what: "a transaction is sent twice by whoever does not know its fate",
    file: "daemon/src/evm/RpcTransport.ts",
    from: "made > retries || (isSend && !isTurnedAway)",
    to: "made > retries",
    in: RPC,
    test: 'are tried once, whatever comes: "cut-before"'
  },
  {
    what: "a transaction that may be out counts as never sent",
    file: "daemon/src/evm/RpcTransport.ts",
    from: 'failed("unknown", `broke the connection off (${code}).`, 0)',
    to: 'failed("not-sent", `broke the connection off (${code}).`, 0)',
    in: RPC,
    test: 'are tried once, whatever comes: "cut-before"'
  },
  {
    what: "commits go to another chain than the profile says",
    file: "daemon/src/evm/RpcTransport.ts",
    from: "if (served === chainId) return",
    to: "if (served > 0) return",
    in: RPC,
    test: "of another chain stops every call"
  },
  {
    what: "a node's secret stands in messages",
    file: "daemon/src/evm/RpcTransport.ts",
    from: "the node at ${node.host} ${detail}",
    to: "the node at ${node.href} ${detail}",
    in: RPC,
    test: "that holds secrets shows only its host"
  },
  {
    what: "a header that does not hash to its block is given away as proof",
    file: "daemon/src/evm/InclusionHeader.ts",
    from: "if (keccak256(header) === block.hash) return header",
    to: "if (keccak256(header) !== '0x') return header",
    in: "daemon/evm/InclusionFaults",
    test: "is not taken from fields of the wrong shape"
  }
]
