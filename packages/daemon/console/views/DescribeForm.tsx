/** What is said of all files at once. The form remembers what was said last, in this browser; it holds nothing secret. */
import { type Fields, LICENSES, NO_FIELDS } from "../adding/Request.ts"
import { words } from "../Language.ts"
import type { Key } from "../languages/English.ts"

const KEPT = "treemark form"
const REMEMBERED = ["creator", "licenseName", "licenseDocument"] as const

/** The limits of a commit request, in characters as people count them. */
const LONGEST = { creator: 21, licenseName: 21, abstract: 255 } as const

/** What was said last; else the account's own name as the creator, where it is short enough to be one. */
export const keptFields = (accountName: string): Fields => {
  const fallback = { ...NO_FIELDS, creator: [...accountName].length <= LONGEST.creator ? accountName : "" }
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "{}")
    const texts = Object.entries(kept as object).filter(([, value]) => typeof value === "string")
    return { ...fallback, ...Object.fromEntries(texts) }
  } catch {
    return fallback
  }
}

const keep = (fields: Fields): void => {
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(REMEMBERED.map((name) => [name, fields[name]]))))
  } catch {
    // The form is empty the next time.
  }
}

interface Props {
  readonly fields: Fields
  readonly change: (fields: Fields) => void
  readonly submit: () => void
  readonly title: string
  /** What the button does, and what that means. */
  readonly send: string
  readonly hint: string
}

export const DescribeForm = ({ change, fields, hint, send: sendText, submit, title }: Props) => {
  const set = (name: keyof Fields) => (value: string) => {
    const license = name === "licenseName" ? LICENSES[value] : undefined
    change({ ...fields, [name]: value, ...(license === undefined ? {} : { licenseDocument: license }) })
  }
  const send = (event: Event) => {
    event.preventDefault()
    keep(fields)
    submit()
  }
  return (
    <form class="card describe" onSubmit={send}>
      <h2>{title}</h2>
      <div class="fields">
        <Field name="creator" label="creator" hint="creatorHint" value={fields.creator} set={set("creator")} isNeeded />
        <Field name="headline" label="headline" value={fields.headline} set={set("headline")} />
        <Field
          name="licenseName"
          label="licenseName"
          hint="licenseHint"
          value={fields.licenseName}
          set={set("licenseName")}
        />
        <Field
          name="licenseDocument"
          label="licenseDocument"
          value={fields.licenseDocument}
          set={set("licenseDocument")}
        />
        <Field name="abstract" label="caption" value={fields.abstract} set={set("abstract")} />
        <Field name="message" label="message" hint="messageHint" value={fields.message} set={set("message")} />
      </div>
      <datalist id="licenses">
        {Object.keys(LICENSES).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" class="main">
        {sendText}
      </button>
      <p class="soft">{hint}</p>
    </form>
  )
}

interface FieldProps {
  readonly name: keyof Fields
  readonly label: Key
  readonly hint?: Key
  readonly value: string
  readonly set: (value: string) => void
  readonly isNeeded?: boolean
}

const Field = ({ hint, isNeeded = false, label, name, set, value }: FieldProps) => {
  const longest = LONGEST[name as keyof typeof LONGEST]
  const length = [...value].length
  const isLong = longest !== undefined && length > longest
  const check = (input: HTMLInputElement | null) =>
    input?.setCustomValidity(isLong ? words("tooLong", { longest, length }) : "")
  return (
    <div>
      <label for={name}>
        {words(label)} {isNeeded && <span class="soft">{words("needed")}</span>}
      </label>
      <input
        id={name}
        type="text"
        autocomplete="off"
        required={isNeeded}
        value={value}
        ref={check}
        list={name === "licenseName" ? "licenses" : undefined}
        aria-invalid={isLong}
        aria-describedby={`${name}-hint`}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      <p id={`${name}-hint`} class={isLong ? "hint warn" : "hint"}>
        {isLong ? words("tooLong", { longest, length }) : hint === undefined ? "" : words(hint)}
      </p>
    </div>
  )
}
