/** What each check does, for a person: what is compared with what, and why that matters. */
import type { CheckName } from "../Codes.ts"

export const ABOUT: Readonly<Record<CheckName, string>> = {
  "tree-json":
    "The asset tree must be one JSON object in UTF-8, with no key twice and at most 64 levels deep, so that every program reads the same out of it. It is read as it stands; nothing is written again.",
  "tree-sha256":
    "The sha256 of the tree's exact bytes, in 64 hexadecimal digits, must be the checksum that the commit record names. One changed byte, even a space, gives another one.",
  "tree-cid":
    "A CID carries a hash of what it names. That of the tree must be raw (0x55) or dag-json (0x0129) with sha256, and the hash within must be that of the tree's bytes.",
  "record-members":
    "The members of the commit record that are read here must be text, and its time a number. What is missing or null counts as not given; anything else is refused, because one program would take it for absent and another would read something into it.",
  signature:
    "The author signs the checksum's 64 characters as text, the way wallets sign messages (EIP-191): keccak-256 over the byte 0x19, the words Ethereum Signed Message:, a line break, the length 64 and the text. From that hash and the signature, the signer's address is computed; no key has to be known before.",
  "author-agrees":
    "The tree, which is signed, and the commit record, which is on the ledger, both may name the author. When both name an address, it must be the same.",
  "signer-is-author":
    "The address computed from the signature must be the author's. A good signature alone only says that somebody signed.",
  "expected-author":
    "When you say with --author whom you expect, the address computed from the signature is compared with that; what the file claims does not matter then.",
  "signer-named":
    "When you give an authors file, the signer's address is looked up in it, and the time of the commit is compared with the days on which that key is valid.",
  "act-signature":
    "The tree's signature says whose the asset's properties are, and stays good wherever anybody records that tree again. An author who also signs the act signs the sha256 of its message, action, time, chain, contract and author, together with the tree's checksum; the address found from that signature must be the author's.",
  "commit-data":
    "The proof carries the commit record twice: as the text that stands on the ledger, and as an object that is easier to read. Both must say the same.",
  "committer-is-recorder":
    "The commit record names who sent the commit to the ledger; the event on the ledger names who really did. Both must be the same address.",
  "ledger-inclusion":
    "The keccak-256 of the block's header is the block's hash. The header holds the root of a tree of hashes over the block's receipts; the path in the proof leads from that root to the receipt with the event that carries this commit. What is left is whether that block is on the chain: that is compared with your checkpoint, or can be asked of a node.",
  "ledger-contract":
    "An event says what its contract makes it say, and anybody can put a contract on a chain that names whomever it likes as the recorder. The contract is compared with the ones that are known: those of the public networks and of the daemon's own chains, those that your checkpoint files name, and those that you name with --contract.",
  "ledger-transaction":
    "The keccak-256 of a signed transaction is its hash. The proof carries the transaction, with a path from the block's header to it.",
  "transaction-sender":
    "A transaction is signed by the wallet that sends it, so its sender is found from its signature. Where the transaction calls the commit contract directly, that must be the wallet that the event names as the recorder.",
  "asset-sha256": "The sha256 of the asset's file must be the one that the signed tree names.",
  "asset-cid":
    "The CID that the tree names for the asset is made again from the file: of the bare bytes (raw), or of the file cut into blocks of 256 KiB (UnixFS)."
}
