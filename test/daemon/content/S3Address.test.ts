/** `content_url`: what it names, and what is said of one that cannot be used. */
import { assert, describe, it } from "@effect/vitest"
import { parseS3Address, urlOf } from "../../../packages/daemon/src/content/S3Address.ts"

describe("content_url", () => {
  it("names the endpoint, the bucket and what every key starts with", () => {
    assert.deepStrictEqual(parseS3Address("https://s3.example.org/my-bucket"), {
      endpoint: "https://s3.example.org",
      bucket: "my-bucket",
      prefix: ""
    })
    assert.deepStrictEqual(parseS3Address("http://127.0.0.1:9000/my.bucket/a/b/"), {
      endpoint: "http://127.0.0.1:9000",
      bucket: "my.bucket",
      prefix: "a/b/"
    })
  })

  it("is refused with a reason that does not repeat it, since it may hold a password", () => {
    const refused = {
      "s3://bucket/prefix": "must be a URL, such as https://",
      "not a url": "must be a URL, such as https://",
      "https://s3.example.org": "must start with the bucket's name",
      "https://s3.example.org/b": "must start with the bucket's name",
      "https://id:pa55word@s3.example.org/bucket": "must not hold credentials; give them as s3_access_key_id",
      "https://s3.example.org/bucket?X-Amz-Signature=pa55word": "must end with the path",
      "https://s3.example.org/bucket/a%20b": "must be of letters, digits"
    }
    for (const [text, reason] of Object.entries(refused)) {
      const address = parseS3Address(text)
      assert("problem" in address, text)
      assert.include(address.problem, reason)
      assert.notInclude(address.problem, "pa55word")
    }
  })

  it("makes URLs of objects and of the bucket itself", () => {
    const address = { endpoint: "https://s3.example.org", bucket: "assets", prefix: "a/" }
    assert.strictEqual(urlOf(address, "a/b"), "https://s3.example.org/assets/a/b")
    assert.strictEqual(urlOf(address, "", { "list-type": "2" }), "https://s3.example.org/assets?list-type=2")
  })
})
