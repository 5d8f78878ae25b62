/** Why the seed of the wallets cannot be used. No message holds a word, a password or a key. */
import { Schema } from "effect"

/** The seed file is there, but what opens it is not. */
export class SeedLocked extends Schema.TaggedError<SeedLocked>()("SeedLocked", {
  file: Schema.String,
  reason: Schema.Literals(["wrong password", "password needed", "wrong key file", "key file missing"])
}) {
  override get message() {
    const advice = {
      "wrong password": "The password given does not open it. Give the one it was made with.",
      "password needed": "It was made with a password, and none was given. Give that password in the settings.",
      "wrong key file": "The seed.key beside it belongs to another seed. Put back the seed.key it was made with.",
      "key file missing": "Its key, the file seed.key beside it, is missing or unreadable. Put it back from a backup."
    }[this.reason]
    return `The wallets' seed ${this.file} cannot be opened. ${advice} Without it, move ${this.file} away and restore the wallets from their words: treemarkd wallet restore.`
  }
}

/** The seed file cannot be read or written, or is no keystore. */
export class SeedUnusable extends Schema.TaggedError<SeedUnusable>()("SeedUnusable", {
  file: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    const said = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The wallets' seed ${this.file} cannot be used: ${said}. Nothing was overwritten. Check the file and its owner, put it back from a backup, or move it away and restore the wallets from their words: treemarkd wallet restore.`
  }
}

/** The data store belongs to a seed that is not the one here: going on would give every account another wallet. */
export class SeedMismatch extends Schema.TaggedError<SeedMismatch>()("SeedMismatch", {
  file: Schema.String,
  expected: Schema.String,
  found: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const found = this.found === null ? "no seed is there" : `the seed given is ${this.found}`
    return `The accounts of this data store have wallets of the seed ${this.expected}, but ${found} (${this.file}). Nothing was created or changed. Put back the right seed.json and seed.key, or restore them from their words: treemarkd wallet restore.`
  }
}

/** Restoring would replace another seed, and with it the keys of its wallets. */
export class SeedExists extends Schema.TaggedError<SeedExists>()("SeedExists", { file: Schema.String }) {
  override get message() {
    return `Another seed is at ${this.file} already, and it is never overwritten: its wallets may hold tokens. Back it up (treemarkd wallet backup), then use another TREEMARK_HOME or move the file away.`
  }
}

/** The words are not a BIP-39 mnemonic. */
export class WordsInvalid extends Schema.TaggedError<WordsInvalid>()("WordsInvalid", {
  reason: Schema.String
}) {
  override get message() {
    return `The words do not make a seed: ${this.reason}. Give the 12 to 24 English words in their order, as the backup showed them.`
  }
}

export type SeedError = SeedLocked | SeedUnusable | SeedMismatch | SeedExists
