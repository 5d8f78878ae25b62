/**
 * Actions: the Cid/Nid of a profile that says what was done to an asset (interface.md, "Action"). A request names one by its
 * Nid or by a predefined name; the default is `action-commit`. The table is public fact: the networks' published profiles.
 * Two pairs of names share a Nid; reading a Nid back gives the first of them here.
 */
import { parseCid } from "./Cid.ts"

export interface Action {
  readonly name: string
  readonly nid: string
}

export const PREDEFINED_ACTIONS: ReadonlyArray<Action> = Object.entries({
  "action-commit": "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
  "action-initial-registration": "bafkreicptxn6f752c4pvb6gqwro7s7wb336idkzr6wmolkifj3aafhvwii",
  "action-initial-registration-avalanche": "bafkreiavifzn7ntlb6p2lr55k3oezo6pofwvknecukc5auhng4miowcte4",
  "action-initial-registration-iota": "bafkreibnyl3ohbx76rzxmdzfyayvztjcqgjv745wh4t3z6a4ung43xd554",
  "action-initial-registration-jade": "bafkreicptxn6f752c4pvb6gqwro7s7wb336idkzr6wmolkifj3aafhvwii",
  "action-mint-erc721-nft": "bafkreiakk6le5wgbl3zz3acybd2wfc2y32mpmxj4kbjjjskom7cy2akwly",
  "action-mint-erc721-nft-avalanche": "bafkreibro4v4vsibvr47uwhkj6gqpc5rfvvq5ykfzzz4jnzvm23zwoh2gq",
  "action-mint-erc721-nft-ethereum": "bafkreighzhmelvwlntigjq6ushun4mz36x6cq5nztkvcac47bdxz2ipeca",
  "action-mint-erc721-nft-jade": "bafkreiakk6le5wgbl3zz3acybd2wfc2y32mpmxj4kbjjjskom7cy2akwly",
  "action-mint-erc721-nft-polygon": "bafkreigdxfmwhhepusyhaoidyzy6bv7jzpc5liqohyc6numgvvbfwabn6a",
  "action-mint-erc721-nft-thundercore": "bafkreih7gzxeukcnosbotvpq7hw6htlxoi2dzzm2nnkskloazgw2sbh55i"
}).map(([name, nid]) => ({ name, nid }))

export const ACTION_COMMIT: Action = PREDEFINED_ACTIONS[0]!

/**
 * The action that `text` names: a predefined name, or a Nid. A Nid outside the table keeps its Nid and reads as
 * `action-commit`, as other clients of these ledgers do. `undefined` when `text` is neither a name nor a CID.
 */
export const parseAction = (text: string): Action | undefined =>
  PREDEFINED_ACTIONS.find((action) => action.name === text) ??
  PREDEFINED_ACTIONS.find((action) => action.nid === text) ??
  (parseCid(text) === undefined ? undefined : { name: ACTION_COMMIT.name, nid: text })
