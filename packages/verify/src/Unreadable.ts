/** Why a file cannot be read, in words. */

/** `path` (`-`: standard input) cannot be read as `what`; `error` is what the system said. */
export const unreadable = (path: string, what: string, error: unknown): string => {
  const reasons: Record<string, string> = {
    ENOENT: "there is no such file",
    EISDIR: "it is a folder",
    EACCES: "you may not read it",
    ENOTDIR: "part of its path is not a folder"
  }
  const reason = reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))
  return `${nameOf(path)} cannot be read as ${what}: ${reason}.`
}

/** A file's name for people. */
export const nameOf = (path: string): string => (path === "-" ? "Standard input" : path)

/** The system's code of an error, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
