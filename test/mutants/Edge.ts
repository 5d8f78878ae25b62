/** Who may ask for what, and what an answer gives away. */
import type { Mutant } from "./Mutant.ts"

const EDGE = "daemon/http/edge/Edge"
const ORDER = "daemon/http/edge/Order"

export const EDGE_MUTANTS: ReadonlyArray<Mutant> = [
  {
    what: "a page of any name that leads here is served",
    file: "daemon/src/http/edge/HostGuard.ts",
    from: "if (!isServedHost(caller.host, allowed.hosts)) {",
    to: 'if (caller.host === "0.0.0.0") {',
    in: EDGE,
    test: "loopback names with any port are served"
  },
  {
    what: "a name that begins like this machine's is served",
    file: "daemon/src/http/edge/HostGuard.ts",
    from: "|\\[::1\\])$/i",
    to: "|\\[::1\\])/i",
    in: EDGE,
    test: "loopback names with any port are served"
  },
  {
    what: "any page on this machine calls the service",
    file: "daemon/src/http/edge/HostGuard.ts",
    from: "LOOPBACK.test(name) && Number(asked) === port",
    to: "LOOPBACK.test(name)",
    in: EDGE,
    test: "an Origin has to be this server"
  },
  {
    what: "two Host headers: one is checked, another obeyed",
    file: "daemon/src/http/edge/Edge.ts",
    from: "others.length > 0",
    to: "others.length > 1",
    in: "daemon/http/edge/Sockets",
    test: "no Host, or two of them, is 400"
  },
  {
    what: "pages of other sites read answers",
    file: "daemon/src/http/edge/Edge.ts",
    from: "origin !== undefined && about.origins.includes(origin) ?",
    to: "origin !== undefined ?",
    in: EDGE,
    test: "an Origin has to be this server"
  },
  {
    what: "the log holds what a client put behind the question mark",
    file: "daemon/src/http/edge/Edge.ts",
    from: "${pathOf(request.url)}",
    to: "${request.url}",
    in: "daemon/http/edge/Log",
    test: "holds method, path and status of a request, and nothing of its query"
  },
  {
    what: "a page puts the service into a frame",
    file: "daemon/src/http/edge/Edge.ts",
    from: '  "x-frame-options": "DENY",\n',
    to: "",
    in: EDGE,
    test: "every answer has an id of its own"
  },
  {
    what: "one address takes all there is",
    file: "daemon/src/http/edge/RateLimit.ts",
    from: "if (calls >= 1) return",
    to: "if (calls >= 0) return",
    in: EDGE,
    test: "past the burst of an address"
  },
  {
    what: "a body of any size is read",
    file: "daemon/src/http/edge/StrictBody.ts",
    from: "return size > limit ?",
    to: "return size > 2 * limit ?",
    in: ORDER,
    test: "65,536 bytes are taken and one more is 413"
  },
  {
    what: "a form of another site is taken for JSON",
    file: "daemon/src/http/edge/StrictBody.ts",
    from: "if (contentType !== undefined && JSON_TYPE.test(contentType.trim())) return Effect.void",
    to: "if (contentType !== undefined) return Effect.void",
    in: ORDER,
    test: "a Content-Type of application/json is needed"
  },
  {
    what: "a page of another site spends by the console's session",
    file: "daemon/src/http/edge/TokenCheck.ts",
    from: "return foreign === undefined ? yield* sessions.authenticate(session) : yield* foreign",
    to: "return yield* sessions.authenticate(session)",
    in: "daemon/http/console/Session",
    test: "the cookie alone, or in a call that another page or a program made"
  },
  {
    what: "a bug tells callers what failed inside",
    file: "daemon/src/http/edge/Edge.ts",
    from: 'Effect.logError("A request failed by a bug.", cause), problemResponse(internal)',
    to: 'Effect.logError("A request failed by a bug.", cause), problemResponse({ ...internal, detail: String(error) })',
    in: "daemon/http/Operations",
    test: "a bug is 500 internal: the answer says nothing of what failed"
  },
  {
    what: "a key that stands twice is read by its last value",
    file: "core/src/json/StrictReader.ts",
    from: "if (Object.hasOwn(container, key)) {",
    to: "if (key === null) {",
    in: "core/json/StrictJson",
    test: "refuses a key twice in one object"
  },
  {
    what: "something behind the JSON is passed over",
    file: "core/src/json/StrictReader.ts",
    from: 'if (this.at < this.text.length) throw new Refusal("Something follows',
    to: 'if (this.at > this.text.length) throw new Refusal("Something follows',
    in: "core/json/StrictJson",
    test: "refuses what JSON.parse refuses, and says what and where"
  }
]
