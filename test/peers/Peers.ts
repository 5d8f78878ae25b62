/** The peers, in the order they run: what each is, how it is had, and which variables tell its tests where it is. */

export interface Peer {
  /** How it is called on the command line. */
  readonly name: string
  /** Its tests are `<file>.peer.ts`. */
  readonly file: string
  /** Its programs with their versions, as the line at the end has them. */
  readonly what: string
  /** Fails with `NotHad` where it cannot be had. */
  readonly ready: () => Promise<Readonly<Record<string, string>>>
}

export const PEERS: ReadonlyArray<Peer> = [
  { name: "anvil", file: "Anvil", what: "anvil and cast 1.7.1", ready: async () => ({}) }
]
