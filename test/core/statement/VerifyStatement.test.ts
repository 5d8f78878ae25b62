/** Statements checked offline: one that holds, and for every code of the closed list a statement that only this is wrong with. */
import { assert, describe, it } from "@effect/vitest"
import { signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import { parseStatement } from "../../../packages/core/src/statement/ReadStatement.ts"
import {
  compactReceipt,
  hashOfText,
  openReceipt,
  type SignedReceipt
} from "../../../packages/core/src/statement/Receipt.ts"
import { type Statement, statementCsv, statementText } from "../../../packages/core/src/statement/Statement.ts"
import { STATEMENT_CODES, type StatementCode } from "../../../packages/core/src/statement/StatementCodes.ts"
import { verifyStatement } from "../../../packages/core/src/statement/VerifyStatement.ts"
import {
  at,
  FIRST,
  KEY,
  OPENING,
  receiptOf,
  SECOND,
  SERVICE,
  STATEMENT,
  signed,
  withMovement,
  withReceipts
} from "./StatementFixture.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const OTHER_KEY = new Uint8Array(32).fill(8)

const chained = (first: SignedReceipt): Statement => withReceipts(first, receiptOf(8, first.hash))

const WRONG: Record<Exclude<StatementCode, "service_differs" | "service_not_named">, Statement> = {
  receipt_missing: withMovement(1, { receipt: null }),
  receipt_unreadable: withMovement(1, { receipt: `${compactReceipt(FIRST)}A` }),
  receipt_signature: withReceipts({ ...FIRST, signature: `0x${"ff".repeat(64)}1b` }, SECOND),
  receipt_wrong_signer: chained(receiptOf(7, OPENING.receipt.hash, {}, OTHER_KEY)),
  receipt_order: chained(receiptOf(6, OPENING.receipt.hash)),
  receipt_chain: chained(receiptOf(7, "cd".repeat(32))),
  closing_receipt: signed({
    ...STATEMENT,
    closing: { ...STATEMENT.closing, receipt: { sequence: 8, hash: FIRST.hash } }
  }),
  receipt_account: chained(receiptOf(7, OPENING.receipt.hash, { account: "acc_2" })),
  receipt_service: chained(receiptOf(7, OPENING.receipt.hash, { service: `0x${"11".repeat(20)}` })),
  receipt_sum: chained(receiptOf(7, OPENING.receipt.hash, { gas: "0.005" })),
  movement_differs: withMovement(1, { reference: "cmt_8" }),
  movement_shape: withMovement(0, { txHash: `0x${"7a".repeat(32)}` }),
  credits_differ: signed({ ...STATEMENT, closing: { ...STATEMENT.closing, credits: "3.397" } }),
  owed_differs: signed({ ...STATEMENT, closing: { ...STATEMENT.closing, owed: "0.003999999999999999" } }),
  below_zero: signed({
    ...STATEMENT,
    opening: { ...STATEMENT.opening, credits: "-1" },
    closing: { ...STATEMENT.closing, credits: "1.396" }
  }),
  outside_period: signed({ ...STATEMENT, to: at(9) }),
  out_of_order: withMovement(0, { at: at(8) }),
  statement_signature: { ...STATEMENT, signature: "0x00" },
  statement_wrong_signer: { ...STATEMENT, account: { ...STATEMENT.account, name: "another" } }
}

describe("the check of a statement", () => {
  it("finds nothing wrong with one that holds, and says that nobody was named as the service", () => {
    const report = verifyStatement(STATEMENT)
    assert.strictEqual(report.verdict, "valid")
    assert.deepStrictEqual(
      report.checks.map(({ code, outcome }) => [outcome, code]),
      [...Array.from({ length: 6 }, () => ["pass", "ok"]), ["skipped", "service_not_named"]]
    )
    assert.deepStrictEqual([report.receipts, report.movements, report.service], [2, 4, SERVICE])
  })

  it("is valid for the service that was named, in any letter case, and for no other", () => {
    const expected = SERVICE.toLowerCase()
    assert.strictEqual(verifyStatement(STATEMENT, { expectedService: expected }).verdict, "valid")
    const other = verifyStatement(STATEMENT, { expectedService: STATEMENT.account.wallet })
    assert.strictEqual(other.verdict, "invalid")
    assert.deepStrictEqual(
      other.checks.filter(({ outcome }) => outcome === "fail").map(({ code }) => code),
      ["service_differs"]
    )
  })

  for (const [code, statement] of Object.entries(WRONG)) {
    it(`is invalid with ${code}: ${STATEMENT_CODES[code as StatementCode].meaning}`, () => {
      const { checks, verdict } = verifyStatement(statement)
      assert.strictEqual(verdict, "invalid")
      const failed = checks.filter(({ outcome }) => outcome === "fail")
      assert.include(
        failed.map((check) => check.code),
        code
      )
      assert.isTrue(failed.every(({ failures, path }) => failures > 0 && path !== null))
    })
  }

  it("lets no receipt say that it is the first when it is not, nor be written in another way than its canonical one", () => {
    const codesOf = (statement: Statement) => verifyStatement(statement).checks.map(({ code }) => code)
    assert.include(codesOf(chained(receiptOf(7, null))), "receipt_chain")
    const text = FIRST.text.replace(",", ", ")
    const hash = hashOfText(text)
    assert.include(codesOf(chained({ text, hash, signature: signPersonalMessage(hash, KEY) })), "receipt_unreadable")
  })

  it("lets a grant only give, and a charge take from one side only", () => {
    const shapeOf = (statement: Statement) =>
      verifyStatement(statement).checks.find(({ name }) => name === "movements-agree")?.code
    for (const credits of ["0", "-1"]) assert.strictEqual(shapeOf(withMovement(0, { credits })), "movement_shape")
    assert.strictEqual(shapeOf(withMovement(1, { owed: "0.1" })), "movement_shape")
  })

  it("has a statement above for every code it can say", () => {
    assert.deepStrictEqual(
      [...Object.keys(WRONG), "service_differs", "service_not_named"].sort(),
      Object.keys(STATEMENT_CODES).sort()
    )
  })

  it("notices any single changed character of the file", () => {
    const text = statementText(STATEMENT)
    for (let n = 0; n < 400; n++) {
      const place = (n * 7_919) % text.length
      const changed = `${text.slice(0, place)}${text[place] === "1" ? "2" : "1"}${text.slice(place + 1)}`
      if (changed === text || JSON.stringify(tryJson(changed)) === JSON.stringify(JSON.parse(text))) continue
      const reading = parseStatement(bytes(changed))
      const verdict = reading.ok ? verifyStatement(reading.statement).verdict : "refused"
      assert.notStrictEqual(verdict, "valid", `${place}: ${changed.slice(place - 20, place + 20)}`)
    }
  })
})

const tryJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe("a statement's file", () => {
  it("reads back as the same statement", () => {
    const reading = parseStatement(bytes(statementText(STATEMENT)))
    assert.isTrue(reading.ok)
    assert.deepStrictEqual(reading.ok && reading.statement, STATEMENT)
  })

  it("with a member that no signature covers is refused, and the member is named", () => {
    const file = (): Record<string, never> => JSON.parse(statementText(STATEMENT))
    const places: ReadonlyArray<readonly [string, (file: Record<string, Record<string, unknown>>) => object]> = [
      ["", (file) => file],
      ["/account", (file) => file.account!],
      ["/opening", (file) => file.opening!],
      ["/opening/receipt", (file) => file.opening!.receipt as object],
      ["/closing", (file) => file.closing!],
      ["/closing/receipt", (file) => file.closing!.receipt as object],
      ...STATEMENT.movements.map(
        (_, at) =>
          [
            `/movements/${at}`,
            (file: { [name: string]: { [name: string]: unknown } }) => file.movements![at] as object
          ] as const
      )
    ]
    for (const [place, partOf] of places) {
      for (const [name, pointer] of [
        ["note", "note"],
        ["__proto__", "__proto__"],
        ["a/b~c", "a~1b~0c"],
        ["", ""],
        ["x".repeat(100_000), undefined]
      ] as const) {
        const changed = file()
        Object.defineProperty(partOf(changed), name, { value: "refund 100", enumerable: true })
        const reading = parseStatement(bytes(JSON.stringify(changed)))
        assert.isFalse(reading.ok, `${place} ${name.slice(0, 20)}`)
        if (reading.ok) continue
        assert.strictEqual(reading.code, "statement_members")
        assert.isBelow(reading.message.length, 2000)
        if (pointer !== undefined)
          assert.deepStrictEqual(
            reading.problems.map(({ path }) => path),
            [`${place}/${pointer}`]
          )
        assert.include(reading.problems[0]?.message, "as it signed it")
      }
    }
    assert.isTrue(parseStatement(bytes(JSON.stringify(file()))).ok)
  })

  it("is refused, with the place, when members are missing, of another form, or in another spelling", () => {
    const refused = (change: (file: Record<string, unknown>) => void) => {
      const file = structuredClone(STATEMENT) as unknown as Record<string, unknown>
      change(file)
      const reading = parseStatement(bytes(JSON.stringify(file)))
      return reading.ok ? [] : [reading.code, ...reading.problems.map(({ path }) => path)]
    }
    assert.deepStrictEqual(
      refused((file) => delete file.from),
      ["statement_members", "/from"]
    )
    const amount = (credits: unknown) => refused((file) => Object.assign(file.closing as object, { credits }))
    for (const text of ["1.50", "01", "-0", "1e3", ".5", 1, null, "9".repeat(65)]) {
      assert.deepStrictEqual(amount(text), ["statement_members", "/closing/credits"], String(text))
    }
    assert.deepStrictEqual(
      refused((file) => Object.assign(file, { mediaType: "text/plain" })),
      ["statement_media_type"]
    )
    assert.strictEqual(parseStatement(bytes("[]")).ok, false)
    assert.strictEqual(parseStatement(bytes(`{"from":"x",${statementText(STATEMENT).slice(1)}`)).ok, false)
  })

  it("has as CSV a line for each movement between its opening and its closing balance", () => {
    const lines = statementCsv(STATEMENT).split("\r\n")
    assert.strictEqual(lines[0], "at,kind,credits,owed,reference,posting,txHash,receipt")
    assert.deepStrictEqual(
      lines.slice(1, -1).map((line) => line.split(",").slice(1, 4)),
      [
        ["opening", "1", "0.5"],
        ["grant", "2.5", "0"],
        ["charge", "-0.104", "0"],
        ["charge", "0", "0.104"],
        ["settlement", "0", "-0.6"],
        ["closing", "3.396", "0.004"]
      ]
    )
  })
})

describe("a receipt", () => {
  it("has one compact text that opens as what was signed, and no other text opens", () => {
    const compact = compactReceipt(FIRST)
    assert.deepStrictEqual(openReceipt(compact), FIRST)
    for (const text of [
      "",
      ".",
      compact.slice(1),
      `${compact}=`,
      compact.replace(".", ""),
      `${compact}.${compact}`,
      " ".repeat(20_000)
    ]) {
      assert.notDeepEqual(openReceipt(text), FIRST, text.slice(0, 40))
    }
  })
})
