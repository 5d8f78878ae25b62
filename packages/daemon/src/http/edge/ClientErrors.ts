/**
 * What Node answers by itself before a request exists (a malformed request line, headers too large or too slow), as problems.
 * The answer is written to the socket by hand, because there is no response object yet; the connection ends with it.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { type ApiProblem, PROBLEMS, problemBody } from "../ApiErrors.ts"
import { makeRequestId, PROBLEM_TYPE } from "./Problems.ts"

/** Makes `server` answer its own refusals as problems. */
export const answerClientErrors = (server: Server): void => {
  const answering = new WeakMap<Duplex, ServerResponse>()
  server.on("request", (request, response) => answering.set(request.socket, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const current = answering.get(socket)
    // While an earlier request of this connection is being answered, another answer would be taken for its own.
    const isBusy = current !== undefined && !current.writableEnded && (current.headersSent || current.req.complete)
    if (error.code === "ECONNRESET" || !socket.writable || isBusy) socket.destroy(error)
    else socket.end(rawAnswer(problemOfCode(error.code)), () => socket.destroy())
  })
  server.on("checkExpectation", refuseExpectation)
  server.on("connect", (_, socket) => socket.end(rawAnswer(noTunnel), () => socket.destroy()))
}

const noTunnel: ApiProblem = {
  code: "method_not_allowed",
  detail: "This is no proxy: CONNECT is not served at any address. Use GET, HEAD or POST.",
  headers: { allow: "GET, HEAD, OPTIONS, POST" }
}

const refuseExpectation = (request: IncomingMessage, response: ServerResponse): void => {
  const shown = JSON.stringify(String(request.headers.expect).slice(0, 100))
  writeProblem(response, {
    code: "expectation_failed",
    detail: `The expectation ${shown} cannot be met. Leave the Expect header out, or send 100-continue.`
  })
}

/** Answers with a problem where no fiber of a request can; the connection ends with it. */
export const writeProblem = (response: ServerResponse, problem: ApiProblem): void => {
  const { head, body, status } = answer(problem)
  response.writeHead(status, head).end(body)
}

const problemOfCode = (code: string | undefined): ApiProblem => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { code: "headers_too_large", detail: "The request line and headers together are too large. Send less." }
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { code: "payload_too_large", detail: "The extensions of a chunk are too large. Send none." }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "request_timeout", detail: "The request did not arrive in time. Send it again, whole." }
    default:
      return { code: "bad_request", detail: "This is not well-formed HTTP/1.1. Use an HTTP client or library." }
  }
}

const answer = (problem: ApiProblem) => {
  const requestId = makeRequestId()
  const body = JSON.stringify(problemBody(problem, requestId))
  const { status } = PROBLEMS[problem.code]
  const head = {
    "content-type": PROBLEM_TYPE,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...problem.headers,
    connection: "close"
  }
  return { status, head, body }
}

const rawAnswer = (problem: ApiProblem): string => {
  const { body, head, status } = answer(problem)
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`
}
