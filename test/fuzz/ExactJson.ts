/** JSON with its numbers as they are written, none rounded to a double: each becomes an object with its digits and its exponent. */

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The value of `text`; equal numbers are equal objects, whatever their spelling (1e2 is 100; -0 is 0). */
export const exactJson = (text: string): unknown =>
  JSON.parse(text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : numberObject(token))))

const numberObject = (token: string): string => {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".")
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const bare = digits.replace(/0+$/, "")
  if (bare === "") return '{"number":"0"}'
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - bare.length)
  return `{"number":"${token.startsWith("-") ? "-" : ""}${bare}e${power}"}`
}
