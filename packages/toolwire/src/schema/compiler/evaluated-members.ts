/** The members of one value that schemas have evaluated. spec: 2020-12 core, 11 */
export class EvaluatedMembers {
  readonly names = new Set<string>()
  readonly indexes = new Set<number>()
  everyName = false
  /** All indexes below this one are evaluated. */
  firstIndexes = 0

  /** Number of entries to merge. */
  get size(): number {
    return this.names.size + this.indexes.size
  }

  hasName(name: string): boolean {
    return this.everyName || this.names.has(name)
  }

  hasIndex(index: number): boolean {
    return index < this.firstIndexes || this.indexes.has(index)
  }

  indexesBelow(count: number): void {
    this.firstIndexes = Math.max(this.firstIndexes, count)
  }

  /** Adds the members that another passing schema of the same value has evaluated. */
  merge(other: EvaluatedMembers): void {
    this.everyName ||= other.everyName
    this.indexesBelow(other.firstIndexes)
    for (const name of other.names) this.names.add(name)
    for (const index of other.indexes) this.indexes.add(index)
  }
}
