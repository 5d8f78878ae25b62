/** What a browser gets that asks for a page which is not here: a page of the console's family, with the way back. */
import { familyPage } from "../pages/FamilyPage.ts"

/** Whether the request is a person's, who looks at a page. */
export const wantsPage = ({ headers, method }: { readonly method: string; readonly headers: Headers }): boolean =>
  (method === "GET" || method === "HEAD") &&
  (headers.accept ?? "").split(",").some((type) => /^\s*text\/html\b/i.test(type))

interface Headers {
  readonly [name: string]: string | undefined
}

/** The page, with status 404. */
export const unknownPage = familyPage({
  status: 404,
  title: "Nothing here",
  body: `<h1>There is nothing at this address</h1>
<p>Treemark runs here, but has no such page. Maybe the address was cut off, or what it named is of another service.</p>
<p><a href="/">The console</a> shows your assets; <a href="/verify">check a proof</a> needs no account; <a href="/explorer">look up</a> a
transaction or an asset by its hash or CID; <a href="/docs">the API</a> is for programs.</p>`
})
