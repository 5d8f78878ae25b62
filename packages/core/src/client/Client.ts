/** A daemon's operations as functions that answer promises: what the HTTP API has, under the names that people say. */
import type {
  Account,
  AllBalances,
  AssetsPage,
  Balance,
  CommitBody,
  CommitReceipt,
  CommitsPage,
  Quote,
  RegisteredAsset
} from "./Answers.ts"
import { type CallOptions, type Connection, call } from "./Calls.ts"
import { type Pairing, type PairOptions, pair } from "./Pairing.ts"

/** Where the daemon is, and who calls. */
export interface ClientOptions {
  /** Where the daemon answers, such as `http://127.0.0.1:7053`. */
  readonly url: string
  /** `tmk_…`, of `treemarkd account create` or of {@link Client.pair}; only `balance`, `commits` and `pair` do without. */
  readonly token?: string
  /** Default: the global one. */
  readonly fetch?: typeof fetch
  /** Milliseconds for which a call is repeated where that is safe, its first try included; default 60,000, 0 for never. */
  readonly patience?: number
}

/** Of calls that are charged. */
export interface PaidOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters. The same key and body are done and charged once, however often called; default: a new one. */
  readonly idempotencyKey?: string
}

/** What is known of a file beside its bytes. */
export interface RegisterOptions extends CallOptions {
  /** MIME type; default: the file's own, else what the daemon finds in its bytes. */
  readonly contentType?: string
  /** What the file is called, kept beside the asset; default: the name of a `File`. */
  readonly name?: string
}

/** Which part of a history: of which network, and what of it. */
export interface CommitsOptions extends CallOptions {
  readonly testnet?: boolean
  /** 1 to 1000; without it, `after` and `before` the whole history. */
  readonly limit?: number
  readonly after?: string
  readonly before?: string
}

/** Which page of the assets; each of `limit`, `cursor` and `q` may be left out. */
export interface AssetsOptions extends CallOptions {
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
  /** What to search for. */
  readonly q?: string
}

/** A stream is sent once: a call that did not get through is not repeated. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | ReadableStream<Uint8Array>

/** A daemon's operations. What the daemon refuses, and a daemon that does not answer, is thrown as a `TreemarkError`. */
export interface Client {
  /** The balance of a wallet on the mainnet. Free, without a token. */
  readonly balance: (wallet: string, options?: CallOptions) => Promise<Balance>
  /** The balance of a wallet on all networks. Costs 0.01. */
  readonly balances: (wallet: string, options?: PaidOptions) => Promise<AllBalances>
  /** Registers a file, so that commits can be made for it. Free; the same file again gives the same answer. */
  readonly register: (file: FileContent, options?: RegisterOptions) => Promise<RegisteredAsset>
  /** Commits an asset, or says what that would cost. Costs 0.1 and the gas that was used (about 0.004). */
  readonly commit: {
    (request: CommitBody, options?: PaidOptions & { readonly quote?: false }): Promise<CommitReceipt>
    (request: CommitBody, options: CallOptions & { readonly quote: true }): Promise<Quote>
  }
  /** The history of an asset, whole or a page of it. Free, without a token. */
  readonly commits: (assetCid: string, page?: CommitsOptions) => Promise<CommitsPage>
  /** A page of the account's own assets. */
  readonly assets: (page?: AssetsOptions) => Promise<AssetsPage>
  /** The account that the token belongs to. */
  readonly account: (options?: CallOptions) => Promise<Account>
  /** Asks the person at the daemon for a token. */
  readonly pair: (options: PairOptions) => Promise<Pairing>
}

/** A client of the daemon at `url`. Its functions throw `TreemarkError`. */
export const createClient = (options: ClientOptions): Client => {
  const connection: Connection = {
    url: options.url.replace(/\/+$/, ""),
    token: options.token,
    // Called as a plain function: browsers refuse fetch as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    patience: options.patience ?? 60_000
  }
  return {
    balance: (wallet, { signal } = {}) => post(connection, "/balance/mainnet", { wallet }, { signal }),
    balances: (wallet, { idempotencyKey = newKey(), signal } = {}) =>
      post(connection, "/balance/all-networks", { wallet }, { idempotencyKey, signal }),
    register: async (file, given = {}) => {
      const { assetCid, assetSha256, encodingFormat, size } = await call<RegisteredAsset>(
        connection,
        uploadOf(file, given)
      )
      return { assetCid, assetSha256, encodingFormat, size }
    },
    commit: ((request: CommitBody, given: PaidOptions & { readonly quote?: boolean } = {}) => {
      const { idempotencyKey = newKey(), quote = false, signal } = given
      return quote
        ? post(connection, "/commit", request, { signal, headers: { prefer: "return=quote" } })
        : post(connection, "/commit", request, { idempotencyKey, signal })
    }) as Client["commit"],
    commits: (assetCid, { signal, ...page } = {}) =>
      call(connection, {
        method: "GET",
        path: `/assets/${encodeURIComponent(assetCid)}/commits${queryOf(page)}`,
        signal
      }),
    assets: ({ signal, ...page } = {}) => call(connection, { method: "GET", path: `/assets${queryOf(page)}`, signal }),
    account: ({ signal } = {}) => call(connection, { method: "GET", path: "/account", signal }),
    pair: (asked) => pair({ ...connection, token: undefined }, asked)
  }
}

interface Given extends CallOptions {
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The body is written once, so that every try sends the same bytes under the same key. */
const post = <A>(connection: Connection, path: string, body: object, { headers, ...given }: Given): Promise<A> =>
  call(connection, {
    ...given,
    method: "POST",
    path,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

/** The file goes as it is; its name goes beside it (RFC 6266). */
const uploadOf = (file: FileContent, { contentType, name, signal }: RegisterOptions) => {
  const isStream = file instanceof ReadableStream
  const type = contentType ?? (file instanceof Blob && file.type !== "" ? file.type : "application/octet-stream")
  const called = name ?? (file instanceof Blob && "name" in file ? String(file.name) : undefined)
  const named = called === undefined ? {} : { "content-disposition": `attachment; filename*=UTF-8''${encoded(called)}` }
  const headers = { "content-type": type, ...named }
  return { method: "POST", path: "/assets", signal, headers, body: file, isOnce: isStream } as const
}

/** RFC 8187: what encodeURIComponent leaves as it is, and a header cannot hold. */
const encoded = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)

const queryOf = (parameters: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}

/** 128 random bits; `randomUUID` is not there on pages of plain HTTP. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-")
