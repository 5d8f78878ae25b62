/** Why a file was not committed, in a code for scripts and a sentence that ends with what to do. */

export class FileProblem extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** What the file system said, for people. */
export const fileProblem = (error: unknown): FileProblem => {
  if (error instanceof FileProblem) return error
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return new FileProblem("vanished", "there is no such file (any more); nothing to do unless you miss it")
    case "EACCES":
    case "EPERM":
      return new FileProblem("unreadable", "this user may not read it; change its permissions, then run this again")
    case "ELOOP":
      return new FileProblem("link_loop", "it is a link that leads back to itself; name the file it should lead to")
    default:
      return new FileProblem("unreadable", `it cannot be read (${message}); see to the disk, then run this again`)
  }
}
