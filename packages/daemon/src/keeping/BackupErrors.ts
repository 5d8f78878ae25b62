/** Why a backup was not made, or not restored. */
import { Schema } from "effect"

export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", {
  folder: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `No backup was made in ${this.folder}: ${this.problem} What is there is incomplete and has no backup.json; remove the folder and take the backup again.`
  }
}

export class BackupFolderTaken extends Schema.TaggedError<BackupFolderTaken>()("BackupFolderTaken", {
  folder: Schema.String
}) {
  override get message() {
    return `A backup goes into a new or an empty folder, and ${this.folder} is neither. Name another one, for example with the date in it.`
  }
}

export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  folder: Schema.String,
  home: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.folder} was not restored into ${this.home}: ${this.problem} Nothing was changed.`
  }
}
