/** What to do about each kind of finding of an audit. An audit repairs nothing itself. */

const BOOKS =
  "Stop the daemon, take a backup of the store as it is, and restore the last backup whose audit was clean; do not change rows by hand."
const RECEIPTS =
  "Keep the account's earlier statements: they show what was signed. Restore the last backup whose audit was clean."
const WAIT = "Run the audit again in a minute: work under way may end meanwhile. If it stays, "
const TREE =
  "Restore it from a backup (`treemarkd restore`), or copy its block from whoever has the proof; its CID says whether it is the right one."
const FILE =
  "Register the file again (`treemarkd asset register FILE`), which writes its missing and damaged blocks anew, or restore a backup. Check the disk."

/** By the code of the finding. */
export const ADVICE = {
  entry_unbalanced: BOOKS,
  balance_differs: BOOKS,
  total_not_zero: BOOKS,
  held_differs: BOOKS,
  hold_abandoned: `${WAIT}start the daemon, which gives back what nobody works for.`,
  hold_not_closed: `${WAIT}start the daemon again: it ends what was begun.`,
  charge_not_booked: BOOKS,
  charge_without_commit: "Give the account the amount back (`treemarkd account credit`), and keep this report.",
  charge_differs: "Give the account the difference back (`treemarkd account credit`), or leave it; keep this report.",
  commit_not_charged: "Nothing is owed to anybody: the service paid for this commit. Keep this report.",
  commit_without_hold: BOOKS,
  receipt_missing: RECEIPTS,
  receipt_damaged: RECEIPTS,
  receipt_chain: RECEIPTS,
  receipt_signature: RECEIPTS,
  settlement_differs: `${WAIT}compare the transfer named with the chain's explorer before anything is sent again.`,
  event_missing:
    "Ask the node and another one for the transaction. If the ledger lost it, commit the tree again; if the store is of another chain, point the profile at the right one.",
  event_differs: "Ask the node and another one for the transaction: what the ledger has is what others see.",
  event_unknown:
    "Another program uses the service's wallet, or this store is an old copy. Find that program, or move to a new seed.",
  ledger_unread: "Look whether the node answers (`treemarkd status`, its own log), and run the audit again.",
  tree_missing: TREE,
  tree_damaged: TREE,
  block_missing: FILE,
  block_damaged: FILE
} as const
