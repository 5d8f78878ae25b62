/** A link that names a proof (`?proof=ADDRESS`): opened only where the page is served, and only from that very origin. */
import { createServer, type RequestListener, type Server } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { proofFile } from "../core/verification/Fixtures.ts"
import { verifyPage } from "../layers/Built.ts"
import { type Chromium, isBrowserMissing, open, startBrowser, textOf, untilHeadline } from "./Browser.ts"
import { written } from "./WebProofs.ts"

const listening = async (listener: RequestListener): Promise<{ readonly server: Server; readonly origin: string }> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}` }
}

describe.skipIf(isBrowserMissing)("a link that names a proof", () => {
  let chromium: Chromium
  let page = ""
  let asked: Array<string> = []
  let own: { readonly server: Server; readonly origin: string }
  let foreign: typeof own

  beforeAll(async () => {
    chromium = await startBrowser()
    page = verifyPage()
    foreign = await listening((request, answer) => {
      asked.push(`foreign ${request.url}`)
      answer.setHeader("access-control-allow-origin", "*").end(proofFile)
    })
    own = await listening((request, answer) => {
      const path = String(request.url).split("?")[0]
      if (path === "/verify") {
        answer.setHeader("content-type", "text/html").end(page.replace("connect-src 'none'", "connect-src 'self'"))
        return
      }
      asked.push(`${path} ${request.headers.cookie ?? "no cookie"}`)
      if (path === "/proof") answer.end(proofFile)
      else if (path === "/elsewhere") answer.writeHead(302, { location: `${foreign.origin}/proof` }).end()
      else if (path === "/here") answer.writeHead(302, { location: "/proof" }).end()
      else if (path === "/huge") answer.end(Buffer.alloc(17 * 1024 * 1024, " "))
      else if (path === "/photo") answer.end(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))
      else answer.writeHead(404).end(proofFile)
    })
  })
  afterAll(async () => {
    own?.server.close()
    foreign?.server.close()
    await chromium?.close()
  })

  const linked = async (address: string) => {
    asked = []
    const watched = await open(chromium, `${own.origin}/verify?proof=${encodeURIComponent(address)}`)
    return { ...watched, asked }
  }

  it("opens it from the page's own origin, relative or in full, without a cookie", async () => {
    for (const address of ["/proof", `${own.origin}/proof`]) {
      const { asked, page: tab } = await linked(address)
      await untilHeadline(tab, "The record holds")
      assert.include(await textOf(tab, "#verdict"), `Proof: ${address}`)
      assert.include(await textOf(tab, "footer"), "nothing but the address that it came from")
      assert.deepStrictEqual(asked, ["/proof no cookie"])
      await tab.close()
    }
  })

  it("asks no other origin, and names the address that it did not open", async () => {
    const refused = [
      `${foreign.origin}/proof`,
      `//${foreign.origin.slice(7)}/proof`,
      `https://${own.origin.slice(7)}/proof`,
      `http://127.0.0.1:1@${foreign.origin.slice(7)}/proof`,
      "javascript:alert(1)",
      `data:application/json,${encodeURIComponent(proofFile.slice(0, 100))}`,
      `blob:${own.origin}/5b8a9c1e`,
      "file:///etc/passwd",
      "http://["
    ]
    for (const address of refused) {
      const { asked, page: tab, requests } = await linked(address)
      await untilHeadline(tab, "This address was not opened")
      assert.include(await textOf(tab, "#verdict"), address.slice(0, 60))
      assert.deepStrictEqual([asked, requests], [[], []], address)
      await tab.close()
    }
  })

  it("follows no redirect, takes no error and nothing larger than a proof", async () => {
    for (const path of ["/elsewhere", "/here", "/huge", "/missing"]) {
      const { asked, page: tab } = await linked(path)
      await untilHeadline(tab, "This address was not opened")
      assert.include(
        await textOf(tab, "#verdict"),
        "it did not answer with a proof, or led elsewhere, or was too large"
      )
      assert.deepStrictEqual(asked, [`${path} no cookie`])
      await tab.close()
    }
  })

  it("says of what is no proof what it is", async () => {
    const { page: tab } = await linked("/photo")
    await untilHeadline(tab, "This is not a proof")
    assert.include(await textOf(tab, "#verdict"), "/photo: it looks like a picture.")
    await tab.close()
  })

  it("opens nothing in the copy that people keep as a file, or that somebody else serves", async () => {
    const file = `file://${written(chromium.folder, "kept.html", page)}`
    const { errors, page: tab, requests } = await open(chromium, `${file}?proof=${own.origin}/proof`)
    await untilHeadline(tab, "This address was not opened")
    assert.include(await textOf(tab, "#verdict"), "This copy of the page opens no addresses.")
    assert.deepStrictEqual([errors, requests], [[], []])
    await tab.close()
  })
})
