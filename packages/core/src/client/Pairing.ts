/**
 * How a tool gets a token without anybody copying one (RFC 8628): it shows a code, the person approves it in the daemon's console, or with
 * `treemarkd pair approve CODE`, and the tool is told its token.
 */
import { type CallOptions, type Connection, call, pause } from "./Calls.ts"
import { TreemarkError } from "./TreemarkError.ts"

/** Who asks for a token, and what for. */
export interface PairOptions extends CallOptions {
  /** What the tool is called where the person approves it. */
  readonly name: string
  /** What the tool may do, of `read`, `register` and `commit`; default: all three. */
  readonly scope?: ReadonlyArray<"read" | "register" | "commit">
}

/** What the person is shown, and the wait for what they decide (RFC 8628). */
export interface Pairing {
  /** To show, and to compare with what the console shows. */
  readonly userCode: string
  /** Where it is approved. */
  readonly verificationUri: string
  /** The same with the code in it, where the daemon has such an address: for a link or a QR code. */
  readonly verificationUriComplete: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Waits for the approval. @throws TreemarkError: `access_denied`, `expired_token`. */
  readonly approved: (options?: CallOptions) => Promise<PairedToken>
}

/** `token` is for `createClient`; keep it as a password is kept. */
export interface PairedToken {
  readonly token: string
  readonly scope: ReadonlyArray<string>
}

interface DeviceAnswer {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval?: number
}

interface TokenAnswer {
  readonly access_token: string
  readonly scope?: string
}

export const pair = async (connection: Connection, options: PairOptions): Promise<Pairing> => {
  const { name, scope = ["read", "register", "commit"], signal } = options
  const device = await form<DeviceAnswer>(connection, "/oauth/device_authorization", signal, {
    client_id: name,
    scope: scope.join(" ")
  })
  const expiresAt = Date.now() + device.expires_in * 1_000
  return {
    userCode: device.user_code,
    verificationUri: device.verification_uri,
    verificationUriComplete: device.verification_uri_complete,
    expiresAt,
    approved: (given = {}) => tokenOf(connection, device, name, expiresAt, given.signal ?? signal)
  }
}

const GRANT = "urn:ietf:params:oauth:grant-type:device_code"

/** Section 3.5: asked for every `interval` seconds, five more for each `slow_down`. */
const tokenOf = async (
  connection: Connection,
  device: DeviceAnswer,
  name: string,
  expiresAt: number,
  signal: AbortSignal | undefined
): Promise<PairedToken> => {
  let interval = (device.interval ?? 5) * 1_000
  while (Date.now() < expiresAt) {
    await pause(interval, signal)
    try {
      const answer = await form<TokenAnswer>(connection, "/oauth/token", signal, {
        grant_type: GRANT,
        device_code: device.device_code,
        client_id: name
      })
      return { token: answer.access_token, scope: (answer.scope ?? "").split(" ").filter((part) => part !== "") }
    } catch (error) {
      if (!(error instanceof TreemarkError)) throw error
      if (error.code === "slow_down") interval += 5_000
      else if (error.code !== "authorization_pending") throw error
    }
  }
  const message = `Nobody approved the code ${device.user_code} in time. Ask for another one.`
  throw new TreemarkError(message, { status: 400, code: "expired_token" })
}

const form = <A>(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
  fields: Readonly<Record<string, string>>
): Promise<A> =>
  call(connection, {
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    signal
  })
