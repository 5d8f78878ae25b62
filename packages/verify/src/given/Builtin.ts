/**
 * Modules of Node where the library runs in Node, found at run time, so that bundlers for browsers have nothing to resolve. Apart from what
 * the library exports, so that its published types name no module of Node.
 */
interface Builtins {
  readonly "node:fs": typeof import("node:fs")
  readonly "node:crypto": typeof import("node:crypto")
}

/** The module; undefined in a browser. */
export const builtin = <A extends keyof Builtins>(name: A): Builtins[A] | undefined =>
  typeof process === "undefined" ? undefined : process.getBuiltinModule?.(name)
