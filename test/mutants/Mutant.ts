/** One harmful change of one place in the sources, and the test that has to notice it. */
export interface Mutant {
  /** What would be wrong then, as its victim would say it. */
  readonly what: string
  /** The file that is changed, below `packages/`. */
  readonly file: string
  /** The place: text that stands exactly once in the file. */
  readonly from: string
  readonly to: string
  /** The test file that notices, below `test/`, without its ending. */
  readonly in: string
  /** The test there: its title, or a part of it; of several that have it, one must fail. */
  readonly test: string
}
