/**
 * The author, who alone has the key: uploads a file, signs, and sends the signature. In a page, a wallet does the same with personal_sign.
 *
 *     AUTHOR_KEY=0x… node author.mjs http://127.0.0.1:3000 photo.jpg
 */
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { privateKeyToAccount } from "viem/accounts"

const [service, file] = process.argv.slice(2)
const author = privateKeyToAccount(process.env.AUTHOR_KEY)

async function post(path, body, type) {
  const answer = await fetch(`${service}${path}`, { method: "POST", headers: { "content-type": type }, body })
  const told = await answer.json()
  if (!answer.ok) throw new Error(JSON.stringify(told))
  return told
}

const query = new URLSearchParams({ author: author.address, creator: "Ada", name: basename(file) })
const { id, sign } = await post(`/works?${query}`, await readFile(file), "image/jpeg")
const signature = await author.signMessage({ message: sign })
console.log(JSON.stringify(await post(`/works/${id}/signature`, JSON.stringify({ signature }), "application/json")))
